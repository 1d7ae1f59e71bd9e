"""Rollouts: the groups of a training run, which of them are dead or noise, and what another rule would have done."""

import streamlit as st

from tpo_lab.group.wording import figure, many
from tpo_lab.rollouts_io.formats import FORMATS
from tpo_lab.ui import rollouts_groups, rollouts_health, rollouts_rows, rollouts_source, rollouts_whatif
from tpo_lab.ui.form import Form, body, choice, load, text_field
from tpo_lab.ui.rollouts_data import data_of
from tpo_lab.ui.rollouts_view import DEFAULTS, LOOKS, View, read
from tpo_lab.ui.sentences import refuse

form: Form[View] = load("rollouts", DEFAULTS, read)
choice(form, "Look", "look", LOOKS, label_visibility="collapsed")
with st.sidebar:
    loaded = rollouts_source.choose(form)
    if loaded is not None:
        rollouts_source.columns(form, loaded)
if loaded is None:
    known = ", ".join(entry.label for entry in FORMATS.values())
    st.markdown(
        "#### The groups of a training run\n"
        "Choose files on the left: a dump of scored rollouts, or any table of them.\n\n"
        f"Known by what they hold: {known}. Of any other CSV, TSV, JSON, Parquet or Arrow file you say which column "
        "is what."
    )
elif loaded.table is None:
    st.markdown("#### The groups of a training run")
    refuse(loaded.refused)
else:
    data = data_of(loaded.key, loaded.table)
    with st.sidebar:
        rows, groups = many(loaded.table.rows, "candidate"), many(loaded.table.groups, "group")
        st.caption(f"{loaded.table.format.label}: {rows} in {groups}")
        rollouts_rows.draw(data)
        text_field(form, "Low variance below σ", "threshold", help="In units of the score.")
        suggested = data.suggested()
        if suggested is not None and suggested != form.view.threshold:
            st.button(
                f"Take {figure(suggested)}, from the scores",
                type="tertiary",
                on_click=form.change,
                args=({"threshold": f"{suggested:g}"},),
                help="The spread of a group in which one candidate crosses the widest gap between scores.",
            )
        rollouts_whatif.settings(form, loaded.table)

    def draw() -> None:
        match form.view.look:
            case "health":
                rollouts_health.draw(data, form)
            case "groups":
                rollouts_groups.draw(data, form)
            case _:
                rollouts_whatif.draw(data, form)

    body(form, draw, lambda: rollouts_whatif.around(form, data))
