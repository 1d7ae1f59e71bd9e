"""Token reversal, live: a small transformer learns to write tokens backwards, one reward at the end or one a token."""

from functools import partial

import streamlit as st

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.crew import cores
from tpo_lab.runs.pace import seconds_of
from tpo_lab.runs.service import RunService
from tpo_lab.ui import live, look, runs_files, runs_store, runs_view, tokens_form
from tpo_lab.ui.entry import through_app
from tpo_lab.ui.form import Form, load
from tpo_lab.ui.runs_buttons import buttons
from tpo_lab.ui.runs_words import duration

through_app()


def preset_row(form: Form[tokens_form.View]) -> None:
    """The preset, what to look for, and the way to the paper's own settings."""
    name = form.view.preset.name
    names = list(tokens_form.OF_PAGE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Preset",
            names,
            names.index(name) if name in names else 0,
            key=form.key("preset"),
            on_change=lambda: form.replace_all({"preset": st.session_state[form.key("preset")]}),
            width=320,
        )
        paper = tokens_form.PAPERS.get(name)
        if paper:
            st.button(
                f"The paper's own: {paper}",
                icon=":material/menu_book:",
                type="tertiary",
                on_click=partial(form.replace_all, {"preset": paper}),
            )
        elif name in tokens_form.PAPERS.values():
            small = next(live for live, own in tokens_form.PAPERS.items() if own == name)
            st.button(
                "Back to the live one",
                icon=":material/restart_alt:",
                type="tertiary",
                on_click=partial(form.replace_all, {"preset": small}),
            )
    st.caption(form.view.preset.why)


def start(runs: RunService, form: Form[tokens_form.View], config: ReversalConfig) -> None:
    """Start a run and show it."""
    if run_id := runs_store.attempt(runs.start, config, form.view.preset.name):
        form.change({"run": run_id})


form = load("tokens", {**tokens_form.FIELDS, **look.FIELDS}, tokens_form.make)
st.markdown("#### Write the tokens in reverse")
runs = runs_store.runs()
if runs is None:
    st.stop()
preset_row(form)
with st.sidebar:
    tokens_form.fields_of(form)
config, rows = form.view.config, runs_store.listed()
runs_store.complain()
run_id = form.texts["run"] or next((row.id for row in rows if runs_store.same(row, config)), "")
run = live.find(runs, run_id, ReversalConfig) if run_id else None
running = run is not None and not run.finished and run.status != "paused"
with st.container(horizontal=True, vertical_alignment="center"):
    st.button(
        "Run",
        icon=":material/play_arrow:",
        type="secondary" if running else "primary",
        disabled=running or not form.right,
        on_click=start,
        args=(runs, form, config),
    )
    buttons(run.row if run else None)
    left = seconds_of(config, rows, cores())
    st.caption(
        f"About {duration(left)} on this machine" if left else "How long it takes here is known after the first run"
    )
if run and run.config != config:
    st.caption("The curves below are of other settings. Run to see these.")
shown = run.config if run and isinstance(run.config, ReversalConfig) else config
names = form.view.seen.of(shown)
runs_view.controls(form, shown, names)
live.follow(runs, run, shown, names, form.view.seen.look)
look.look_inside(runs, form, run, shown)
runs_files.files(runs, run, shown)
form.write_url()
