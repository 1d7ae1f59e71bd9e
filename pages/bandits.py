"""The single-context bandit, live: four methods on the same draws, error and misalignment over updates."""

import streamlit as st

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.ui import bandit_form, bandit_tab, live, runs_files, runs_store, url
from tpo_lab.ui.entry import through_app
from tpo_lab.ui.sentences import refuse

through_app()

st.markdown(
    "#### One of K actions is right\n"
    "Each step draws B actions and moves the logits by α along the method's direction, from the same random numbers."
)
runs = runs_store.runs()
if runs is None:
    st.stop()
tab = bandit_tab.load()
with st.sidebar:
    right = bandit_form.settings(tab)
if tab.bad_url:
    refuse(f"The link could not be read. {tab.bad_url} The settings stay as they were.")
runs_store.complain()
run = live.find(runs, tab.run, BanditConfig) if tab.run else None
shown = run.config if run and isinstance(run.config, BanditConfig) else tab.config
bandit_form.buttons(runs, tab, right, run)
live.follow(runs, run, shown, settings=bandit_form.summary(shown))
st.caption(
    "A zero update takes no step and has no angle: GRPO, where all rewards are equal. "
    "Late in a run DG falls to the cut-off at steps where no seed draws a wrong action."
)
runs_files.files(runs, run, shown)
url.write(tab.to_query())
