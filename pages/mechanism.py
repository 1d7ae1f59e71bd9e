"""Why TPO's gradient ends and GRPO's does not, live: one race seen from inside, or a sweep of one setting."""

from typing import Any

import streamlit as st

from tpo_lab.ui import config_page, live, runs_files, runs_store, runs_view
from tpo_lab.ui.form import Form, load
from tpo_lab.ui.mechanism_form import FIELDS, SHELF, make, settings, sweep_row, view_switch
from tpo_lab.ui.mechanism_sweep import sweep
from tpo_lab.ui.runs_store import complain

form: Form[Any] = load("mechanism", FIELDS, make)  # of `View`, which the parts of other pages need not know
with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown("#### Whose gradient ends", width="content")
    view_switch(form)
runs = runs_store.runs()
if runs is None:
    st.stop()
config_page.preset_row(form, SHELF)
with st.sidebar:
    settings(form)
if form.view.which == "sweep":
    sweep_row(form)
    complain()
    sweep(runs, form)
else:
    run = config_page.run_of(runs, form, SHELF)
    config_page.run_row(runs, form, run)
    shown = run.config if run else form.view.config
    runs_view.controls(form, shown, form.view.names())
    words = config_page.summary(shown, run.row.preset if run else form.view.preset.name)
    with st.container(key="mechanism-race"):
        live.follow(runs, run, shown, form.view.names(), form.view.seen.look, settings=words)
    runs_files.files(runs, run, shown)
form.write_url()
