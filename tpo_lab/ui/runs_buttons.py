"""Pause, resume and stop: the same two buttons on every page that shows a run, or several."""

from collections.abc import Sequence

import streamlit as st

from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import service
from tpo_lab.ui.runs_store import attempt
from tpo_lab.ui.runs_words import is_held


def buttons(*rows: RunRow) -> None:
    """Pause or Resume, and Stop, of one run or of all that are shown; greyed out where they make no sense."""
    going = [row for row in rows if not row.finished and row.wanted != "stop"]
    moving = [row for row in going if not is_held(row)]
    held = [row for row in rows if is_held(row) and (row.finished or row in going)]
    every = " all" if len(rows) > 1 else ""
    if held and not moving:
        _button("Resume", every, ":material/resume:", held, "Go on from the last checkpoint.")
    else:
        _button("Pause", every, ":material/pause:", moving, "Let others go first; nothing is lost.")
    _button("Stop", every, ":material/stop:", going, f"End the run{'s' * bool(every)} and keep what there is.")


def do(what: str, rows: Sequence[RunRow]) -> None:
    """Pause, resume or stop runs; the last in line is asked first, or the next one would begin meanwhile."""
    runs = attempt(service)
    if runs:
        action = {"Pause": runs.pause, "Resume": runs.resume, "Stop": runs.stop}[what]
        for row in sorted(rows, key=lambda row: row.created, reverse=what != "Resume"):
            attempt(action, row.id)


def _button(what: str, every: str, icon: str, rows: Sequence[RunRow], help: str) -> None:
    st.button(what + every, key=f"runs.{what}", icon=icon, disabled=not rows, on_click=do, args=(what, rows), help=help)
