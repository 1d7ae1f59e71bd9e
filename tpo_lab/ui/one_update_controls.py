"""The sidebar of the page One update: the group, the methods that take it, and how the steps are made."""

import streamlit as st

from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import POLICY_KINDS, Scenario
from tpo_lab.methods.updates import UPDATED
from tpo_lab.ui.config_form import dots
from tpo_lab.ui.form import Form, chips, choice, text_field
from tpo_lab.ui.form_file import save_and_load
from tpo_lab.ui.links import open_on
from tpo_lab.ui.microscope import GROUP
from tpo_lab.ui.microscope_controls import rule
from tpo_lab.ui.one_update import MAX_METHODS, View, preset_of
from tpo_lab.ui.one_update_methods import csv_text

_MORE = "update.open.more"


def controls(form: Form[View]) -> None:
    """Everything that can be set."""
    _preset(form)
    text_field(form, "Scores", "scores", help="`null` is a candidate without a score.")
    dots(form, "methods", UPDATED)
    chips(form, f"Methods, up to {MAX_METHODS}", "methods", {name: method.label for name, method in UPDATED.items()})
    left, right = st.columns(2)
    with left:
        text_field(form, "Step size α", "step")
        text_field(form, "Clip range ε", "clip")
    with right:
        text_field(form, "Temperature η", "eta")
        text_field(form, "KL weight β", "kl_weight")
    choice(form, "Step", "optimiser", {"plain": "α g", "normalised": "α g / ‖g‖"}, help="z ← z − α g, or of length α.")
    with st.expander("Old policy, rule, file", key=_MORE, on_change="rerun") as box:
        if box.open:
            _more(form)
    form.complain("kind", "lengths", "phase", "quantity", "epoch")


def around(form: Form[View]) -> object:
    """What the controls show beside the texts of their fields."""
    links = form.view.scenario if st.session_state.get(_MORE) else None
    return preset_of(form.view), form.view.scenario.kind, form.view.look, links


def _preset(form: Form[View]) -> None:
    current = preset_of(form.view)

    def chosen() -> None:
        _show(form, PRESETS[st.session_state["update.preset"]].scenario)

    st.menu_button(
        PRESETS[current].label if current else "Your own group",
        list(PRESETS),
        key="update.preset",
        format_func=lambda name: PRESETS[name].label,
        on_click=chosen,
        icon=":material/category:",
        width="stretch",
    )


def _show(form: Form[View], scenario: Scenario) -> None:
    """Another group under the same methods and settings."""
    form.change({**{name: form.defaults[name] for name in GROUP}, **scenario.to_query()})


def _more(form: Form[View]) -> None:
    kind = form.view.scenario.kind
    text_field(form, f"Old policy: {POLICY_KINDS[kind]}", "policy", hint="uniform")
    rule(form, "Rule of TPO and Group PG")
    save_and_load(form, "one_update", lambda: form.view.scenario, lambda: csv_text(form.view))
    open_on(form.view.scenario, "target", "low_variance")
