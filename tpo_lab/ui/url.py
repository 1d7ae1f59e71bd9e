"""How a page's state and the URL stay one: deep links, F5, back and forward, a second tab.

The URL is read when somebody arrives by it: a new session, another page, back or forward. At any other time the
session leads and the URL follows, because a rerun may still carry the parameters of the change before it.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_PATH, _ARRIVED = "url.path", "url.arrived"


def enter(path: str) -> None:
    """Note which page runs; to be called by the entry point before the page."""
    if st.session_state.get(_PATH) != path:
        st.session_state[_PATH] = path
        st.session_state[_ARRIVED] = True


def arrived() -> bool:
    """Whether somebody came to this page by its URL since the last call: then the URL is to be read."""
    return bool(st.session_state.pop(_ARRIVED, False)) or went_back()


def went_back() -> bool:
    """Whether this run was started by the browser's back or forward button."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def write(query: Mapping[str, str]) -> None:
    """Make the URL hold these parameters and no others; a change adds one entry to the browser's history."""
    st.query_params.from_dict(query)
