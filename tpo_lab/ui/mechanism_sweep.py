"""A sweep on the page Mechanism: a run per value, where each has ended against the value, and the curves of all."""

from collections.abc import Mapping, Sequence

import streamlit as st

from tpo_lab.charts import ends
from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.charts.lines import lines_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import Summary
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.crew import cores
from tpo_lab.runs.pace import seconds_of
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import live, runs_files, runs_store, runs_view
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.form import Form
from tpo_lab.ui.mechanism_form import View
from tpo_lab.ui.runs_buttons import do
from tpo_lab.ui.runs_words import duration, is_held

Found = Mapping[str, RunRow]


def sweep(runs: RunService, form: Form[View]) -> None:
    """Start and stop the runs of the sweep, and draw what they have."""
    view, rows = form.view, runs_store.listed()
    found = runs_of(view.configs, rows, form.texts["run"].split(","))
    _buttons(runs, form, found, rows)
    members = [
        live.Member(config, live.find(runs, found[name].id) if name in found else None, name)
        for name, config in view.configs.items()
    ]
    _summary(view, {member.name: member.run for member in members if member.run})
    names = view.names()
    runs_view.controls(form, members[0].config, names)
    live.overlay(runs, members, names, view.seen.look)
    there = [member for member in members if member.run]
    if len(members) == 1:
        runs_files.files(runs, members[0].run, members[0].config)
    elif there:
        runs_files.files_of_several(runs, there)


def runs_of(configs: Mapping[str, ReversalConfig], rows: Sequence[RunRow], linked: Sequence[str]) -> dict[str, RunRow]:
    """By name, the run with these settings: the one of the link, else one that is done, else one under way, else any.

    Args:
        rows: every run, the newest first.
        linked: ids in the link.
    """
    found = {}
    for name, config in configs.items():
        alike = [row for row in rows if runs_store.same(row, config)]
        if alike:
            found[name] = min(alike, key=lambda row: (row.id not in linked, row.status != "done", row.finished))
    return found


def _buttons(runs: RunService, form: Form[View], found: Found, rows: Sequence[RunRow]) -> None:
    missing = {name: config for name, config in form.view.configs.items() if name not in found}
    held = [row for row in found.values() if is_held(row)]
    going = [row for row in found.values() if not row.finished and not is_held(row)]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Go on" if held else "Run the sweep",
            icon=":material/resume:" if held else ":material/play_arrow:",
            type="primary" if missing or held else "secondary",
            disabled=not form.right or not (missing or held),
            on_click=_go_on,
            args=(runs, form),
            help="One run per value; those with these settings that are there already are used as they are.",
        )
        st.button(
            "Stop all",
            icon=":material/stop:",
            disabled=not going,
            on_click=do,
            args=("Stop", going),
            help="End the runs of the sweep and keep what they have.",
        )
        st.caption(_outlook(form.view, missing, rows))


def _outlook(view: View, missing: Mapping[str, ReversalConfig], rows: Sequence[RunRow]) -> str:
    """What is there, and about how long the rest takes here."""
    total, there = len(view.configs), len(view.configs) - len(missing)
    if not missing:
        return ""
    known = f"{there} of {total} runs are there · " if there else ""
    seconds = [seconds_of(config, rows, cores()) for config in missing.values()]
    if None in seconds:
        return f"{known}How long it takes here is known after the first run"
    compiling = ", and the compilation for each K" if view.sweep.name == "candidates" else ""
    return f"{known}About {duration(sum(filter(None, seconds)))} on this machine{compiling}"


def _go_on(runs: RunService, form: Form[View]) -> None:
    """Start what is not there, and resume what was stopped, in the order of the values."""
    if not form.right:  # something wrong was typed after the button was drawn
        return
    view, ids = form.view, []
    found = runs_of(view.configs, runs_store.listed(), form.texts["run"].split(","))
    for name, config in view.configs.items():
        row = found.get(name)
        if row is None:
            run_id = runs_store.attempt(runs.start, config, view.preset.name, f"{name} · sweep")
            if run_id is None:  # for want of memory, say: the next would fail alike
                break
            ids.append(run_id)
            continue
        ids.append(row.id)
        if is_held(row):
            runs_store.attempt(runs.resume, row.id)
    form.change({"run": ",".join(ids)})


def _summary(view: View, found: Mapping[str, Snapshot]) -> None:
    """The error at the end of each run against the value."""
    over_methods = bool(view.sweep.methods)
    lines = lines_of(view.configs if not over_methods else next(iter(view.configs.values())))
    error, look = diagnostics_of(view.config)["error"], view.seen.look
    if over_methods:
        labels = [METHODS[name].label for name in view.sweep.methods]
    else:
        labels = [name.rpartition(" = ")[2] for name in view.configs]
    chart(
        ends.spec(error, lines, "" if over_methods else view.sweep.label, labels, look),
        ends.data(_ends(found, over_methods), error, lines, look),
        key="sweep-ends",
        alt=f"Error at the end of each run against {view.sweep.label}, one line per method",
        name=f"sweep-{view.sweep.name}",
    )


def _ends(found: Mapping[str, Snapshot], over_methods: bool) -> list[ends.End]:
    """Of every method that is done."""
    points = []
    for name, run in found.items():
        for row in run.row.lanes:
            if row.status == "done" and row.method in run.lanes:
                label = METHODS[row.method].label if over_methods else name.rpartition(" = ")[2]
                points.extend(_end(label, row.method, run.lanes[row.method].curves["error"]))
    return points


def _end(label: str, method: str, curve: Summary) -> list[ends.End]:
    """None of a curve that is undefined at its end."""
    if not len(curve.mean) or not curve.n[-1]:
        return []
    return [ends.End(label, method, float(curve.mean[-1]), float(curve.standard_error[-1]), int(curve.n[-1]))]
