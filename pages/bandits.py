"""The single-context bandit, live: four methods on the same draws, error and misalignment over updates."""

import streamlit as st

from tpo_lab.ui import bandit_form, bandit_tab, live, url
from tpo_lab.ui.entry import through_app
from tpo_lab.ui.sentences import refuse

through_app()

tab = bandit_tab.load()
st.markdown(
    "#### One of K actions is right\n"
    "Each step draws B actions and moves the logits by α along the method's direction, from the same random numbers."
)
with st.sidebar:
    right = bandit_form.settings(tab)
if tab.bad_url:
    refuse(f"The link could not be read. {tab.bad_url} The settings stay as they were.")
run = live.find(tab.run)
bandit_form.buttons(tab, right, run)
live.follow(run, tab.config)
live.files(run, tab.config)
url.write(tab.to_query())
