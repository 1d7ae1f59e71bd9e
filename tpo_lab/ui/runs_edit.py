"""What a person does with a chosen run: name, note, pin, delete with undo, and a copy with changes."""

from dataclasses import fields
from typing import Any

import streamlit as st

from tpo_lab.experiments.differences import LISTS, read, written
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.ui.form import Form
from tpo_lab.ui.runs_store import attempt

_DELETED = "runs.deleted"


def labels(runs: RunService, row: RunRow) -> None:
    """Its name, its note, and whether it stays at the top."""
    columns = st.columns([2, 4, 1], vertical_alignment="bottom")
    name, note, pin = f"runs.name.{row.id}", f"runs.note.{row.id}", f"runs.pin.{row.id}.{row.pinned}"
    columns[0].text_input(
        "Name", row.name, key=name, max_chars=100, on_change=lambda: _write(runs.catalogue.rename, row.id, name)
    )
    columns[1].text_input(
        "Note", row.note, key=note, max_chars=10_000, on_change=lambda: _write(runs.catalogue.note, row.id, note)
    )
    columns[2].toggle("Pinned", row.pinned, key=pin, on_change=lambda: _write(runs.catalogue.pin, row.id, pin))


def _write(change: Any, run_id: str, key: str) -> None:
    attempt(change, run_id, st.session_state[key])


def delete_button(runs: RunService, form: Form[Any], row: RunRow) -> None:
    """Take the run off the list; `undo` can bring it back."""

    def delete() -> None:
        attempt(runs.delete, row.id)
        st.session_state[_DELETED] = row.id
        form.change({"run": ""})

    st.button("Delete", icon=":material/delete:", key="runs.delete", on_click=delete)


def another_seed(runs: RunService, form: Form[Any], row: RunRow, config: AnyConfig) -> None:
    """Start the same settings with the next first seed."""

    def start() -> None:
        following = (config.seed + 1) % 2**31
        if run_id := attempt(runs.duplicate, row.id, seed=following):
            form.change({"run": run_id})

    help = "The same settings with the next first seed."
    st.button("Another seed", icon=":material/casino:", key="runs.another", on_click=start, help=help)


def undo(runs: RunService, form: Form[Any], gone: str = "") -> None:
    """Offer the run that was deleted last, or this one, back.

    Args:
        gone: id of a deleted run that somebody has come to by a link.
    """
    run_id = gone or st.session_state.get(_DELETED, "")
    if not run_id:
        return

    def back() -> None:
        attempt(runs.undelete, run_id)
        st.session_state.pop(_DELETED, None)
        form.change({"run": run_id})

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("This run is deleted. It can come back for a day.")
        st.button("Undo", icon=":material/undo:", key="runs.undo", on_click=back)


def duplicate(runs: RunService, form: Form[Any], row: RunRow, config: AnyConfig) -> None:
    """A form with every setting of the run, and a button that starts a copy with what was changed."""
    area = st.expander("Duplicate with changes", icon=":material/content_copy:", on_change="rerun", key="runs.copy")
    if not area.open:
        return
    keys = {field.name: f"runs.copy.{row.id}.{field.name}" for field in fields(config)}
    before = {name: written(getattr(config, name)) for name in keys}

    def start() -> None:
        typed = {name: st.session_state[key] for name, key in keys.items() if st.session_state[key] != before[name]}
        values = {name: _value(name, text) for name, text in typed.items()}
        if run_id := attempt(runs.duplicate, row.id, **values):
            form.change({"run": run_id})

    with area, st.form("runs.copy.form", border=False):
        columns = st.columns(5)
        for i, (name, key) in enumerate(keys.items()):
            columns[i % 5].text_input(name.replace("_", " "), before[name], key=key)
        st.form_submit_button("Start the copy", icon=":material/play_arrow:", type="primary", on_click=start)


def _value(name: str, text: str) -> Any:
    if name == LISTS:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return read(text)
