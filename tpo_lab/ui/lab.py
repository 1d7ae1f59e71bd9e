"""The pages of the lab and what they share; runs for every view of every page (see app.py)."""

from pathlib import Path

import streamlit as st

from tpo_lab.ui import pace, runs_store, url
from tpo_lab.ui.links import file_of

ICON = Path(__file__).parents[2] / "assets/icon.svg"

# Before the pages are named: else the browser fetches the first one's icon from another host. The title is that of the
# page before; each call costs the browser a dozen milliseconds, so a second one is made only where the page is another.
title = st.session_state.get("title", "TPO Lab")
st.set_page_config(title, ICON, layout="wide")
page = st.navigation(
    [
        st.Page(file_of("start"), title="Start", icon=":material/home:", default=True),
        st.Page(file_of("target"), title="Target", icon=":material/bar_chart:"),
        st.Page(file_of("one_update"), title="One update", icon=":material/footprint:"),
        st.Page(file_of("low_variance"), title="Low variance", icon=":material/microbiology:"),
        st.Page(file_of("rollouts"), title="Rollouts", icon=":material/dataset:"),
        st.Page(file_of("bandits"), title="Bandits", icon=":material/ssid_chart:"),
        st.Page(file_of("digits"), title="Digits", icon=":material/pin:"),
        st.Page(file_of("tokens"), title="Token reversal", icon=":material/swap_horiz:"),
        st.Page(file_of("mechanism"), title="Mechanism", icon=":material/troubleshoot:"),
        st.Page(file_of("runs"), title="Runs", icon=":material/list:"),
    ],
    position="top",
)
if title != f"{page.title} · TPO Lab":
    st.session_state["title"] = f"{page.title} · TPO Lab"
    st.set_page_config(st.session_state["title"])
st.html(Path(__file__).with_name("style.css"))
runs_store.wake()  # its worker warms up while the first page is read
url.enter(page.url_path)
page.run()
pace.shown()
