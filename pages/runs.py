"""The shelf of runs: all of them, what one may do with each, and its curves."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from tpo_lab.charts.curves import Look
from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import KINDS, kind_of
from tpo_lab.runs.log import last_lines
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import live, runs_edit, runs_store
from tpo_lab.ui.entry import through_app
from tpo_lab.ui.form import Form, choice, load, several, text_field
from tpo_lab.ui.runs_buttons import buttons
from tpo_lab.ui.runs_files import files
from tpo_lab.ui.runs_table import table
from tpo_lab.ui.sentences import refuse

through_app()

DEFAULTS = {"run": "", "find": "", "see": "", "scale": "usual", "over": "steps"}
SCALES = {"usual": "As usual", "log": "Log", "linear": "Linear"}
OVER = {"steps": "Steps", "seconds": "Seconds"}


@dataclass(frozen=True)
class View:
    """What is seen: diagnostics by name, and how."""

    see: tuple[str, ...]
    look: Look


def make(texts: Mapping[str, str]) -> View:
    """The view of the page's texts.

    Raises:
        InputError: for the first that is wrong.
    """
    see = tuple(name for name in texts["see"].split(",") if name)
    known = {name for kind in KINDS.values() for name in diagnostics_of(kind())}
    for field, options in (("scale", SCALES), ("over", OVER)):
        if texts[field] not in options:
            raise InputError(field, f"Unknown {field} {texts[field]!r}; known: {', '.join(options)}.")
    if unknown := [name for name in see if name not in known]:
        raise InputError("see", f"Unknown diagnostic {unknown[0]!r}; known: {', '.join(sorted(known))}.")
    log = {"usual": None, "log": True, "linear": False}[texts["scale"]]
    return View(see, Look(log, texts["over"] == "seconds"))


def chosen_run(runs: RunService, form: Form[View], run: Snapshot) -> None:
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
    known = diagnostics_of(config)
    first = live.FIRST.get(kind_of(config), live.USUALLY)
    with st.container(horizontal=True):
        several(form, "Curves", "see", {n: d.title for n, d in known.items()}, placeholder=_titles(known, first))
        choice(form, "Scale", "scale", SCALES, width="content")
        choice(form, "Over", "over", OVER, width="content")
    see = [name for name in form.view.see if name in known] or first
    live.follow(runs, run, config, see, form.view.look)
    if any(lane.status == "failed" for lane in row.lanes):
        st.caption("The last lines of the log about this run")
        st.code("\n".join(last_lines(runs.folder, row.id)) or "The log has none.", language=None, wrap_lines=True)
    runs_edit.duplicate(runs, form, row, config)
    files(runs, run, config)


def _titles(known: Mapping[str, object], names: tuple[str, ...]) -> str:
    return ", ".join(getattr(known[name], "title", name) for name in names)


form = load("runs", DEFAULTS, make)
runs = runs_store.runs()
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
