"""The bandit, live: one context or many, every method from the same start, error and misalignment over updates."""

import streamlit as st

from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.ui import bandit_beta, config_form, config_page, runs_files, runs_store
from tpo_lab.ui.config_form import Shelf
from tpo_lab.ui.form import load

SHELF = Shelf(
    first={
        "fig2": "One context",
        "easy": "One context, ten actions",
        "fig3": "A hundred contexts",
        "fig3-sampled": "A hundred contexts, sampled",
    },
    papers={"easy": "fig2", "fig3-sampled": "fig3"},
)

form = load("bandits", SHELF.fields(), SHELF.make)
st.markdown("#### One of K actions is right")
runs = runs_store.runs()
if runs is None:
    st.stop()
config_page.preset_row(form, SHELF)
with st.sidebar:
    config_form.settings(form)
run, shown = config_page.race(runs, form, SHELF)
if isinstance(shown, MultiBanditConfig):
    bandit_beta.below(runs, run, shown)
runs_files.files(runs, run, shown)
form.write_url()
