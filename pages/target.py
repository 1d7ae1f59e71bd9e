"""Target: one group of scored candidates, the target that it gives, and the fit to it."""

from functools import partial

import streamlit as st

from tpo_lab.group.report import report
from tpo_lab.group.snippets import snippet
from tpo_lab.group.verdict import verdicts
from tpo_lab.ui import controls, files, reading
from tpo_lab.ui.components.group_editor import group_editor
from tpo_lab.ui.fitting import fitting
from tpo_lab.ui.links import open_on
from tpo_lab.ui.numbers_form import numbers
from tpo_lab.ui.pace import head_start
from tpo_lab.ui.programs import programs
from tpo_lab.ui.session import complain, edited, load

view = load()
now = report(view.scenario)
found = verdicts(now)
candidate = now.best if view.candidate is None else view.candidate

# The group comes first: it is drawn while the controls beside it are still being loaded.
complain("url")
reading.headline(found)
group_editor(now, selected=candidate, key="target.group", on_edit=edited, height=455)
complain("group")
head_start()

with st.sidebar:
    preset = controls.preset(view)
    controls.temperature(view)
    controls.size(view)
    controls.rule(view)
    with st.expander("Type or paste the group", key="target.open.numbers", on_change="rerun") as box:
        if box.open:
            numbers(view)
    with st.expander("Save, load", key="target.open.files", on_change="rerun") as box:
        if box.open:
            files.save_and_load(view, now)

reading.numbers(now, found)
open_on(view.scenario, "one_update", "low_variance")
reading.formula(now, candidate)
fitting(view, now, restart=preset)
with st.expander("Copy as code", icon=":material/code:", key="target.open.code", on_change="rerun") as box:
    if box.open:
        programs(partial(snippet, view.scenario))
