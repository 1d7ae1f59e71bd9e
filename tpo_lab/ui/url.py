"""How a page's state and the URL stay one: deep links, F5, back and forward, a second tab.

The URL is read when somebody arrives by it: a new session, another page, back or forward. At any other time the
session leads and the URL follows, because a rerun may still carry the parameters of the change before it. To arrive
leaves the URL as it is, or the way back would lead here again; what a person then changes is written.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_PATH, _ARRIVED, _HELD = "url.path", "url.arrived", "url.held"


def enter(path: str) -> None:
    """Note which page runs; to be called by the entry point before the page."""
    if st.session_state.get(_PATH) != path:
        st.session_state[_PATH] = path
        st.session_state[_ARRIVED] = True


def arrived(*, first: bool) -> dict[str, str] | None:
    """The parameters by which somebody has come to this page since the last call; None: the session leads.

    A link of the menu carries none: the page is then as it was left, and the URL follows.

    Args:
        first: whether this tab opens the page for the first time.
    """
    went_back = _went_back()
    if not (st.session_state.pop(_ARRIVED, False) or went_back or first):
        return None
    # Of a parameter that is given twice no value is meant: joined, they are refused by every reader, and both shown.
    query = {name: " & ".join(st.query_params.get_all(name)) for name in st.query_params}
    if query or went_back or first:
        return query
    keep({})
    return None


def keep(query: Mapping[str, str]) -> None:
    """Take the URL as it is for these parameters, however it spells them, also where it is wrong."""
    st.session_state[_HELD] = query


def write(query: Mapping[str, str]) -> None:
    """Make the URL hold these parameters and no others; a change adds one entry to the browser's history."""
    if query != st.session_state.get(_HELD):
        st.query_params.from_dict(query)
        keep(query)


def _went_back() -> bool:
    """Whether this run was started by the browser's back or forward button."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
