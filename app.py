"""The lab: `streamlit run app.py`.

The pages are in app_pages/. Streamlit takes a folder called pages/ for a menu of its own: the first session of a server
would then open a deep link without this file.
"""

import streamlit as st

from tpo_lab.ui import url

st.set_page_config("TPO Lab", ":material/tune:", layout="wide")
page = st.navigation(
    [
        st.Page("app_pages/start.py", title="Start", icon=":material/home:", default=True),
        st.Page("app_pages/target.py", title="Target", icon=":material/bar_chart:"),
    ],
    position="top",
)
url.enter(page.url_path)
page.run()
