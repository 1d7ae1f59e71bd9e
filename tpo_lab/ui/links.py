"""One group on the other pages."""

import streamlit as st

from tpo_lab.group.scenario import Scenario

PAGES = {
    "target": ("Target", ":material/bar_chart:"),
    "one_update": ("One update", ":material/footprint:"),
    "low_variance": ("Low variance", ":material/microbiology:"),
}


def open_on(scenario: Scenario, *pages: str) -> None:
    """Links that open a group on these pages, names in `PAGES`, in one row."""
    row = st.container(horizontal=True)
    for page in pages:
        label, icon = PAGES[page]
        row.page_link(f"pages/{page}.py", label=f"Open on {label}", icon=icon, query_params=scenario.to_query())
