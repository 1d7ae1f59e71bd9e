"""The lab: `streamlit run app.py`. This file is loaded once and serves lab.py, which Streamlit runs for every view."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from tpo_lab.ui.shell import Shell

app = App("lab.py", middleware=[Middleware(Shell)])
