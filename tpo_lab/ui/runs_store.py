"""The store of runs as pages reach it: what goes wrong there is one sentence on the page, and the lab stays usable."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.runs.home import VARIABLE
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService, service
from tpo_lab.ui.sentences import refuse

_WRONG = "runs.wrong"


def wake() -> None:
    """Have the service start its workers; where it cannot, the pages that need it say why."""
    with suppress(InputError):
        service()


def runs() -> RunService | None:
    """The service, or None with the reason on the page; why nothing can be started, if nothing can be written."""
    try:
        found = service()
    except InputError as error:
        refuse(str(error))
        return None
    try:
        found.own()
    except InputError as error:
        refuse(f"Runs can be looked at, but none can be started or changed. {error} Set {VARIABLE} to another folder.")
    return found


def listed() -> tuple[RunRow, ...]:
    """Every run, the newest first; none, with the reason kept for `complain`, if the list cannot be read."""
    try:
        return service().list()
    except InputError as error:
        st.session_state[_WRONG] = str(error)
        return ()


def attempt(action: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Do something to the store from a callback; what it returns, or None with the reason kept for `complain`."""
    try:
        return action(*args, **kwargs)
    except InputError as error:
        st.session_state[_WRONG] = str(error)
        return None


def complain() -> None:
    """Show, once, what went wrong since the last time."""
    if sentence := st.session_state.pop(_WRONG, ""):
        refuse(sentence)


def same(row: RunRow, config: object) -> bool:
    """Whether a run has this configuration; one that this lab cannot read has none."""
    try:
        return row.config == config
    except InputError:
        return False
