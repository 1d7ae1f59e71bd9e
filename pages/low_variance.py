"""Low variance: what each stack's rule makes of scores that hardly differ, and how far to trust the target."""

import streamlit as st

from tpo_lab.ui import microscope, microscope_controls, microscope_more, microscope_rules, microscope_trust
from tpo_lab.ui.form import choice, load

form = load("microscope", microscope.DEFAULTS, microscope.read)
choice(
    form,
    "Look",
    "look",
    microscope.LOOKS,
    label_visibility="collapsed",
    also=microscope.outdated(form.texts, form.view),
)
with st.sidebar:
    microscope_controls.controls(form)
{
    "rules": microscope_rules.draw,
    "trust": microscope_trust.trust,
    "rewards": microscope_more.rewards,
    "copies": microscope_more.copies,
}[form.view.look](form.view)
microscope_controls.code(form)
