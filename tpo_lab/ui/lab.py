"""The pages of the lab and what they share; runs for every view of every page (see app.py)."""

from pathlib import Path

import streamlit as st

from tpo_lab.ui import pace, runs_store, url

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"

# Before the pages are named: else the browser fetches the first one's icon from another host. The title is that of the
# page before; each call costs the browser a dozen milliseconds, so a second one is made only where the page is another.
title = st.session_state.get("title", "TPO Lab")
st.set_page_config(title, ROOT / "assets/icon.svg", layout="wide")
page = st.navigation(
    [
        st.Page(PAGES / "start.py", title="Start", icon=":material/home:", default=True),
        st.Page(PAGES / "target.py", title="Target", icon=":material/bar_chart:"),
        st.Page(PAGES / "one_update.py", title="One update", icon=":material/footprint:"),
        st.Page(PAGES / "low_variance.py", title="Low variance", icon=":material/microbiology:"),
        st.Page(PAGES / "rollouts.py", title="Rollouts", icon=":material/dataset:"),
        st.Page(PAGES / "bandits.py", title="Bandits", icon=":material/ssid_chart:"),
        st.Page(PAGES / "digits.py", title="Digits", icon=":material/pin:"),
        st.Page(PAGES / "tokens.py", title="Token reversal", icon=":material/swap_horiz:"),
        st.Page(PAGES / "mechanism.py", title="Mechanism", icon=":material/troubleshoot:"),
        st.Page(PAGES / "runs.py", title="Runs", icon=":material/list:"),
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
