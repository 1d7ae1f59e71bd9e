"""A page with the two components and nothing else: the group comes by the query, as does how slow the server is."""

import time

import streamlit as st

from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.components import Edit, fit_player, group_editor

st.set_page_config("Components", layout="wide")
if "scenario" not in st.session_state:
    st.session_state.scenario = Scenario.from_json(st.query_params["group"])
    st.session_state.selected = 0
    st.session_state.edits = []


def take(edit: Edit) -> None:
    st.session_state.scenario = edit.apply(st.session_state.scenario)
    st.session_state.selected = edit.selected
    st.session_state.edits.append(edit)


def put(scenario: Scenario) -> None:
    st.session_state.scenario = scenario


st.button("Two equal scores", on_click=put, args=(Scenario((0.5, 0.5)),))
time.sleep(float(st.query_params.get("sleep", 0)))
now = report(st.session_state.scenario)
group_editor(now, selected=st.session_state.selected, key="group", on_edit=take, height=490)
last = st.session_state.edits[-1].final if st.session_state.edits else None
st.text(f"edits {len(st.session_state.edits)} final {last}")
st.text(f"scenario {st.session_state.scenario.to_json()}")
fit_player(
    now,
    step_size=st.session_state.get("step_size", 1.0),
    step_sizes=(0.5, 1.0, 2.0),
    steps=40,
    key="fit",
    on_step_size=lambda size: st.session_state.update(step_size=size),
)
