"""The shelf of runs: all of them, what one may do with each, and its curves."""

from dataclasses import replace

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.sweeps import names as names_of
from tpo_lab.runs.log import last_lines
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import live, look, runs_edit, runs_store, runs_view
from tpo_lab.ui.form import Form, load, text_field
from tpo_lab.ui.runs_buttons import buttons
from tpo_lab.ui.runs_files import files, files_of_several
from tpo_lab.ui.runs_table import chosen_ids, table
from tpo_lab.ui.sentences import refuse


def chosen_run(runs: RunService, form: Form[runs_view.Seen], run: Snapshot) -> None:
    """All about one run."""
    row = run.row
    try:
        config, wrong = row.config, ""
    except InputError as error:
        config, wrong = None, f"The settings of this run cannot be read. {error}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"##### Run `{row.id}`", width="content")
        buttons(row)
        if config:
            runs_edit.another_seed(runs, form, row, config)
        runs_edit.delete_button(runs, form, row)
    runs_edit.labels(runs, row)
    if config is None:
        refuse(wrong)
        return
    names = form.view.of(config)
    runs_view.controls(form, config, names)
    live.follow(runs, run, config, names, form.view.look)
    look.look_inside(runs, form, run, config)
    if any(lane.reason for lane in row.lanes):  # it has failed, or its worker has ended
        st.caption("The last lines of the log about this run")
        st.code("\n".join(last_lines(runs.folder, row.id)) or "The log has none.", language=None, wrap_lines=True)
    runs_edit.duplicate(runs, form, row, config)
    files(runs, run, config)


def chosen_runs(runs: RunService, form: Form[runs_view.Seen], found: list[Snapshot]) -> None:
    """Several runs in the same axes."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"##### {len(found)} runs", width="content")
        buttons(*(run.row for run in found))
    try:
        members = [live.Member(run.config, run) for run in found]
    except InputError as error:
        refuse(f"The settings of one of these runs cannot be read. {error}")
        return
    if len(members) > live.MOST:
        refuse(f"At most {live.MOST} runs can be told apart in one chart: these are the first of them.")
        members = members[: live.MOST]
    called = names_of([member.config for member in members])
    members = [replace(member, name=name) for member, name in zip(members, called, strict=True)]  # files need it too
    names = form.view.of_all([member.config for member in members])
    runs_view.controls(form, members[0].config, names)
    live.overlay(runs, members, names, form.view.look)
    files_of_several(runs, members)


form = load("runs", {"run": "", "find": "", **runs_view.FIELDS, **look.FIELDS}, runs_view.seen)
runs = runs_store.runs()
st.markdown("#### Runs of the lab and of the terminal")
if runs:
    runs_store.complain()
    text_field(form, "Find", "find", hint="words: a status, a name, a method, a setting")
    try:
        table(runs, form)
        st.caption("Mark one row to see its run, several to see their curves in the same axes.")
    except InputError as error:
        refuse(str(error))
    found = [run for name in chosen_ids(form.texts) if (run := live.find(runs, name))]
    runs_edit.undo(runs, form, next((run.id for run in found if run.row.deleted), ""))
    there = [run for run in found if not run.row.deleted]
    if len(there) == 1:
        chosen_run(runs, form, there[0])
    elif there:
        chosen_runs(runs, form, there)
form.write_url()
