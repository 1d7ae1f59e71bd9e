"""Every page is reached through lab.py, also the first one that a fresh server opens."""

import runpy
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

LAB = Path(__file__).with_name("lab.py")


def through_app() -> None:
    """To be called first by every page: runs lab.py if Streamlit has opened the page without it, and ends there.

    Streamlit takes a folder called pages/ for a menu of its own until `st.navigation` has been called once. The first
    session of a server that arrives by a link to a page would have no menu, no style and no state in its URL.
    """
    if PagesManager.uses_pages_directory:
        runpy.run_path(str(LAB), run_name="lab")
        st.stop()
