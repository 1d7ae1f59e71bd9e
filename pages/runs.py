"""The shelf of runs: all of them, what one may do with each, and its curves."""

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.runs.log import last_lines
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import live, runs_edit, runs_store, runs_view
from tpo_lab.ui.entry import through_app
from tpo_lab.ui.form import Form, load, text_field
from tpo_lab.ui.runs_buttons import buttons
from tpo_lab.ui.runs_files import files
from tpo_lab.ui.runs_table import table
from tpo_lab.ui.sentences import refuse

through_app()


def chosen_run(runs: RunService, form: Form[runs_view.Seen], run: Snapshot) -> None:
    """All about one run."""
    row = run.row
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"##### Run `{row.id}`", width="content")
        buttons(row)
        runs_edit.delete_button(runs, form, row)
    runs_edit.labels(runs, row)
    try:
        config = row.config
    except InputError as error:
        refuse(f"The settings of this run cannot be read. {error}")
        return
    names = form.view.of(config)
    runs_view.controls(form, config, names)
    live.follow(runs, run, config, names, form.view.look)
    if any(lane.status == "failed" for lane in row.lanes):
        st.caption("The last lines of the log about this run")
        st.code("\n".join(last_lines(runs.folder, row.id)) or "The log has none.", language=None, wrap_lines=True)
    runs_edit.duplicate(runs, form, row, config)
    files(runs, run, config)


form = load("runs", {"run": "", "find": "", **runs_view.FIELDS}, runs_view.seen)
runs = runs_store.runs()
st.markdown("#### Runs of the lab and of the terminal")
if runs:
    runs_store.complain()
    text_field(form, "Find", "find", hint="words: a status, a name, a method, a setting")
    try:
        table(runs, form)
    except InputError as error:
        refuse(str(error))
    run = live.find(runs, form.texts["run"]) if form.texts["run"] else None
    runs_edit.undo(runs, form, run.id if run and run.row.deleted else "")
    if run and not run.row.deleted:
        chosen_run(runs, form, run)
form.write_url()
