"""What every page that starts runs has: a row of presets, a row of buttons, and the run that they lead to."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from tpo_lab.experiments.differences import base_of, changes, written
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.runs import recording
from tpo_lab.runs.crew import cores
from tpo_lab.runs.pace import seconds_of
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import live, predict, runs_store, runs_view
from tpo_lab.ui.config_form import Shelf, View
from tpo_lab.ui.form import Form
from tpo_lab.ui.links import file_of
from tpo_lab.ui.runs_buttons import buttons
from tpo_lab.ui.runs_words import duration


def preset_row(form: Form[View], shelf: Shelf) -> None:
    """The presets that the page opens on, all others of their kind, and one sentence on what to look for."""
    name, first = form.view.preset.name, shelf.first
    others = [other for other in shelf.names() if other not in first]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            "Presets",
            list(first),
            default=name if name in first else None,
            format_func=first.__getitem__,
            label_visibility="collapsed",
            key=form.key("preset"),
            on_change=_taken(form, shelf, form.key("preset")),
            width="content",
        )
        if others:
            key = f"{form.key('preset')}.other"
            st.selectbox(
                "Others",
                others,
                others.index(name) if name in others else None,
                placeholder=f"{len(others)} more of the paper's",
                label_visibility="collapsed",
                key=key,
                on_change=_taken(form, shelf, key),
                width=280,
            )
        paper = shelf.papers.get(name)
        if paper and paper not in first:
            st.button(
                f"The paper's own: {paper}",
                icon=":material/menu_book:",
                type="tertiary",
                on_click=_take,
                args=(form, shelf, paper),
            )
        changed = {field: "" for field, text in form.texts.items() if text and field in vars(form.view.config)}
        if changed or not form.right:
            st.button(
                "Back to the preset",
                icon=":material/restart_alt:",
                type="tertiary",
                on_click=_take,
                args=(form, shelf, name),
                help="Undo what differs from it.",
            )
    st.caption(form.view.preset.why)


def _take(form: Form[View], shelf: Shelf, preset: str) -> None:
    form.replace_all({"preset": preset, **{name: form.texts[name] for name in ("predict", *shelf.stays)}})


def _taken(form: Form[View], shelf: Shelf, key: str) -> Callable[[], None]:
    """Take the preset that a control holds; the chip that is pressed again stays."""
    return lambda: _take(form, shelf, st.session_state[key] or form.view.preset.name)


def race(
    runs: RunService, form: Form[Any], shelf: Shelf, names: Sequence[str] | None = None
) -> tuple[Snapshot | None, AnyConfig]:
    """The buttons, the controls of the curves, and the curves themselves: the run, and the settings that are shown.

    Args:
        names: of the diagnostics that are drawn; None: those that the form asks for.
    """
    run = run_of(runs, form, shelf)
    run_row(runs, form, run)
    shown = run.config if run else form.view.config
    seen = form.view.seen.of(shown) if names is None else names
    runs_view.controls(form, shown, seen)
    settings = summary(shown, run.row.preset if run else form.view.preset.name)
    live.follow(runs, run, shown, seen, form.view.seen.look, settings=settings)
    return run, shown


def run_of(runs: RunService, form: Form[View], shelf: Shelf) -> Snapshot | None:
    """The run of the link, else the latest one of these settings that nobody has ended early, else the recorded one.

    None, with one sentence if it should be there; and to whoever is to predict, what they have not run themselves.
    """
    run_id = form.texts["run"]
    if not run_id and not predict.wanted(form):
        found = [row for row in runs_store.listed() if runs_store.same(row, form.view.config)]
        whole = [row.id for row in found if row.status == "done" or not row.finished]
        candidates = (*whole, recording.recorded(form.view.config), *(row.id for row in found))
        run_id = next(filter(None, candidates), "")
    run = live.find(runs, run_id) if run_id else None
    if run and (run.row.deleted or type(run.config) not in shelf.kinds):
        st.info("This run is deleted." if run.row.deleted else "This run belongs to another page.")
        st.container().page_link(
            file_of("runs"), label="See it on Runs", icon=":material/list:", query_params={"run": run_id}
        )
        return None
    return run


def summary(config: AnyConfig, preset: str) -> str:
    """A configuration as its preset, and what differs from it."""
    base = base_of(config, preset)
    return ", ".join([base.name, *map(str, changes(config, base.config))])


def run_row(runs: RunService, form: Form[View], run: Snapshot | None) -> None:
    """Run, another seed, pause, resume, stop, about how long it takes here, and what went wrong with any of it."""
    config, ready = form.view.config, form.right and predict.is_ready(form)
    running = run is not None and not run.finished and run.status != "paused"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run",
            icon=":material/play_arrow:",
            type="secondary" if running else "primary",
            disabled=running or not ready,
            on_click=_start,
            args=(runs, form, 0),
        )
        st.button(
            "Another seed",
            icon=":material/casino:",
            disabled=running or not ready,
            on_click=_start,
            args=(runs, form, 1),
            help="The same settings with the next first seed.",
        )
        buttons(*([run.row] if run else []))
        predict.switch(form)
        _other_run(runs, form, run)
        left = seconds_of(config, runs_store.listed(), cores())
        st.caption(
            f"About {duration(left)} on this machine" if left else "How long it takes here is known after the first run"
        )
    runs_store.complain()  # also of the list that was read just now
    predict.row(form, run)
    if run and run.row.recorded:
        st.info(_recorded(run.row), icon=":material/history:")
    if run and run.config != config:
        st.caption("The curves below are of other settings. Run to see these.")


def _recorded(row: RunRow) -> str:
    """What a recorded run is, when and on what it was computed."""
    day = time.strftime("%d %B %Y", time.gmtime(row.created)).lstrip("0")
    versions = ", ".join(f"{name} {row.versions[name]}" for name in ("tpo-lab", "jax") if name in row.versions)
    return f"**Recorded**: {day}, {versions}, {row.host['cores']} cores. Run draws over it."


def _start(runs: RunService, form: Form[View], seeds_on: int) -> None:
    if not form.right or not predict.is_ready(form):  # something was changed after the button was drawn
        return
    if seeds_on:
        last = int(form.view.config.numbers["seed"].high)
        form.change({"seed": str((form.view.config.seed + seeds_on) % (last + 1))})
    if run_id := runs_store.attempt(runs.start, form.view.config, form.view.preset.name):
        form.change({"run": run_id})


def _other_run(runs: RunService, form: Form[View], run: Snapshot | None) -> None:
    """The way to the run that is computed before this one, if it is of the same page."""
    first = runs_store.attempt(runs.computing)
    if run and run.status == "queued" and first and first.id != run.id and first.kind == run.row.kind:
        st.button(
            "Another run is computed first: show it",
            icon=":material/hourglass_top:",
            type="tertiary",
            on_click=_show,
            args=(form, first),
            help="It was started in another tab, or before this one was. There it can be stopped.",
        )


def _show(form: Form[View], row: RunRow) -> None:
    base = base_of(row.config, row.preset)
    texts = {change.name: written(change.value) for change in changes(row.config, base.config)}
    form.replace_all({"preset": base.name, "run": row.id, **texts})
