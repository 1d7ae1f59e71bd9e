"""Target: one group of scored candidates, the target that it gives, and the fit to it."""

import streamlit as st

from tpo_lab.group.report import report
from tpo_lab.group.verdict import verdicts
from tpo_lab.ui import controls, formula
from tpo_lab.ui.components.group_editor import group_editor
from tpo_lab.ui.numbers_form import numbers
from tpo_lab.ui.session import complain, edited, load

view = load()
now = report(view.scenario)
candidate = now.best if view.candidate is None else view.candidate

with st.sidebar:
    controls.temperature(view, now)
    controls.preset(view)
    controls.size(view)
    controls.rule(view)
    with st.expander("Numbers", on_change="rerun") as box:
        if box.open:
            numbers(view)

complain("url")
for verdict in verdicts(now):
    st.markdown(f"**{verdict.title}.** {verdict.text}")
group_editor(now, selected=candidate, key="target.group", on_edit=edited, height=480)
complain("group")
st.latex(formula.target(now, candidate))
