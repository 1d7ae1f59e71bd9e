"""Pause, resume and stop: the same two buttons on every page that shows a run."""

import streamlit as st

from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import service
from tpo_lab.ui.runs_store import attempt


def buttons(row: RunRow | None) -> None:
    """Pause or Resume, and Stop, of a run; greyed out where they make no sense."""
    going = row is not None and not row.finished
    stopping = row is not None and going and row.wanted == "stop"
    held = row is not None and (row.status in ("paused", "stopped", "failed", "interrupted") or row.wanted == "pause")
    if held and not stopping:
        _button("Resume", ":material/resume:", row, True, "Go on from the last checkpoint.")
    else:
        _button("Pause", ":material/pause:", row, going and not stopping, "Let others go first; nothing is lost.")
    _button("Stop", ":material/stop:", row, going and not stopping, "End the run and keep what it has.")


def _button(label: str, icon: str, row: RunRow | None, enabled: bool, help: str) -> None:
    st.button(
        label,
        key=f"runs.{label}",
        icon=icon,
        disabled=not enabled,
        on_click=_do,
        args=(label, row.id if row else ""),
        help=help,
    )


def _do(label: str, run_id: str) -> None:
    runs = attempt(service)
    if runs:
        action = {"Pause": runs.pause, "Resume": runs.resume, "Stop": runs.stop}[label]
        attempt(action, run_id)
