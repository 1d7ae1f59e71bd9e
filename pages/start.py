"""Start: what TPO does, in three sentences and on one small group."""

import streamlit as st

from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.components.group_editor import Edit, group_editor
from tpo_lab.ui.links import file_of
from tpo_lab.ui.view import View

STATE = "start.view"
FIRST = View(Scenario((1.0, 0.2, 0.0, 0.0), policy=(0.2, 0.3, 0.35, 0.15)))

view: View = st.session_state.setdefault(STATE, FIRST)


def edited(edit: Edit) -> None:
    st.session_state[STATE] = View(edit.apply(view.scenario), edit.selected)


words, group = st.columns([2, 3], gap="large")
with words:
    st.markdown(
        "## Target Policy Optimization\n"
        "Sample $K$ answers to one prompt, score them, and standardise the scores to $u$. "
        "The target $q$ is the old policy $p$ tilted towards the better answers. "
        "The policy is fitted to $q$ by cross-entropy; the gradient is $p - q$ and vanishes once the target is reached."
    )
    st.latex(r"q_i \propto p_i^{\text{old}}\; e^{u_i / \eta}")
    st.page_link(
        file_of("target"),
        label="Open this group on the page Target",
        icon=":material/arrow_forward:",
        query_params=view.to_query(),
    )
    st.page_link(file_of("bandits"), label="Watch four methods learn a bandit, live", icon=":material/arrow_forward:")
    st.page_link(file_of("rollouts"), label="Find the dead groups of a training run", icon=":material/arrow_forward:")
with group:
    now = report(view.scenario)
    chosen = now.best if view.candidate is None else view.candidate
    group_editor(now, selected=chosen, key="start.group", on_edit=edited, height=520)
