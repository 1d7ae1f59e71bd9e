"""The sidebar of the page One update: the group, the methods that take it, and how the steps are made."""

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import POLICY_KINDS, Scenario
from tpo_lab.methods.updates import UPDATED
from tpo_lab.ui.form import Form, choice, several, text_field
from tpo_lab.ui.links import open_on
from tpo_lab.ui.microscope import GROUP
from tpo_lab.ui.microscope_controls import rule
from tpo_lab.ui.one_update import MAX_METHODS, View, preset_of
from tpo_lab.ui.sentences import refuse
from tpo_lab.ui.view import View as Saved

UPLOAD_MB = 1


def controls(form: Form[View]) -> None:
    """Everything that can be set."""
    _preset(form)
    text_field(form, "Scores", "scores", help="`null` is a candidate without a score.")
    several(
        form,
        f"Methods, up to {MAX_METHODS}",
        "methods",
        {name: method.label for name, method in UPDATED.items()},
        max_selections=MAX_METHODS,
    )
    left, right = st.columns(2)
    with left:
        text_field(form, "Step size α", "step")
        text_field(form, "Clip range ε", "clip")
    with right:
        text_field(form, "Temperature η", "eta")
        text_field(form, "KL weight β", "kl_weight")
    choice(form, "Step", "optimiser", {"plain": "α g", "normalised": "α g / ‖g‖"}, help="z ← z − α g, or of length α.")
    with st.expander("Old policy, rule, file", key="update.open.more", on_change="rerun") as box:
        if box.open:
            _more(form)
    form.complain("kind", "lengths", "phase", "quantity", "epoch")


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
    st.file_uploader(
        "Load a saved group (JSON)",
        "json",
        key="update.file",
        on_change=_loaded,
        args=(form,),
        max_upload_size=UPLOAD_MB,
    )
    if sentence := st.session_state.get("update.file.wrong"):
        refuse(sentence)
    st.download_button(
        "Save the group (JSON)",
        lambda: Saved(form.view.scenario).to_json(),
        "tpo-group.json",
        "application/json",
        on_click="ignore",
    )
    open_on(form.view.scenario, "target", "low_variance")


def _loaded(form: Form[View]) -> None:
    file = st.session_state["update.file"]
    st.session_state["update.file.wrong"] = ""
    if file is None:
        return
    try:
        data = file.getvalue().decode("utf-8-sig", errors="replace")
        _show(form, _group_of(data))
    except InputError as error:
        st.session_state["update.file.wrong"] = str(error)


def _group_of(text: str) -> Scenario:
    """The group of a file that Target saved: what was looked at in it is left out."""
    return Saved.from_json(text).scenario
