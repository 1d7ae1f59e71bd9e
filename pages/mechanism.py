"""Why TPO's gradient ends and GRPO's does not, live: one race seen from inside, or a sweep of one setting."""

from typing import Any

import streamlit as st

from tpo_lab.ui import config_page, runs_files, runs_store
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
    with st.container(key="mechanism-race"):
        run, shown = config_page.race(runs, form, SHELF, form.view.names())
    runs_files.files(runs, run, shown)
form.write_url()
