"""Token reversal, live: a small transformer learns to write tokens backwards, one reward at the end or one a token."""

import streamlit as st

from tpo_lab.ui import config_page, look, runs_files, runs_store
from tpo_lab.ui.config_form import Shelf
from tpo_lab.ui.form import load
from tpo_lab.ui.mechanism_form import settings

SHELF = Shelf(
    first={
        "live-terminal": "Reward at the end",
        "live-dense": "Reward per token",
        "table3-H10-prompt": "Paper: at the end, H = 10",
        "table1-V2": "Paper: per token, V = 2",
    },
    papers={},
)

form = load("tokens", {**SHELF.fields(), **look.FIELDS}, SHELF.make)
st.markdown("#### Write the tokens in reverse")
runs = runs_store.runs()
if runs is None:
    st.stop()
config_page.preset_row(form, SHELF)
with st.sidebar:
    settings(form)
run, shown = config_page.race(runs, form, SHELF)
look.look_inside(runs, form, run, shown)
runs_files.files(runs, run, shown)
form.write_url()
