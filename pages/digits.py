"""Digits, live: name a handwritten digit and learn only whether that was right."""

from collections.abc import Mapping

import streamlit as st

from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.ui import config_form, config_page, digits_view, runs_files, runs_store
from tpo_lab.ui.config_form import Shelf
from tpo_lab.ui.form import load

SHELF = Shelf(
    first={"live-digits": "Ten images a step", "digits-100": "A hundred", "fig4-digits": "The paper's own"},
    papers={"live-digits": "fig4-digits"},
)


def make(texts: Mapping[str, str]) -> config_form.View:
    """The view of the page's texts."""
    digits_view.check(texts["images"])
    return SHELF.make(texts)


form = load("digits", {**SHELF.fields(), **digits_view.FIELDS}, make)
st.markdown("#### Read a digit, and learn only whether it was right")
runs = runs_store.runs()
if runs is None:
    st.stop()
config_page.preset_row(form, SHELF)
with st.sidebar:
    config_form.settings(form)
    config_form.text(form, "folder", "empty: 8x8 digits; else a folder of MNIST")
run, shown = config_page.race(runs, form, SHELF)
if isinstance(shown, DigitsConfig):
    digits_view.below(runs, form, run, shown)
runs_files.files(runs, run, shown)
form.write_url()
