"""The way to the other pages, and one group on them."""

from pathlib import Path

import streamlit as st

from tpo_lab.group.scenario import Scenario

FOLDER = Path(__file__).parents[2] / "pages"
PAGES = {
    "target": ("Target", ":material/bar_chart:"),
    "one_update": ("One update", ":material/footprint:"),
    "low_variance": ("Low variance", ":material/microbiology:"),
}


def file_of(page: str) -> Path:
    """The file of a page; Streamlit looks for relative ones beside the script of the lab."""
    return FOLDER / f"{page}.py"


def open_on(scenario: Scenario, *pages: str) -> None:
    """Links that open a group on these pages, names in `PAGES`, in one row."""
    row = st.container(horizontal=True)
    for page in pages:
        label, icon = PAGES[page]
        row.page_link(file_of(page), label=f"Open on {label}", icon=icon, query_params=scenario.to_query())
