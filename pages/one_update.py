"""One update: the same group through five phases, and through every method."""

import streamlit as st

from tpo_lab.ui import one_update, one_update_controls, one_update_methods, one_update_phases
from tpo_lab.ui.form import body, choice, load

form = load("update", one_update.DEFAULTS, one_update.read)
choice(form, "Look", "look", one_update.LOOKS, label_visibility="collapsed")
with st.sidebar:
    one_update_controls.controls(form)


def draw() -> None:
    match form.view.look:
        case "phases":
            one_update_phases.draw(form)
            one_update_methods.code(form.view)
        case "methods":
            one_update_methods.compare(form)
            one_update_methods.code(form.view)
        case "dead":
            one_update_methods.dead(form)
        case _:
            one_update_methods.needs()


body(form, draw, lambda: one_update_controls.around(form))
