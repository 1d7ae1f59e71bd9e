"""Copy as code: what a page shows as a program of its own, in each library."""

from collections.abc import Callable

import streamlit as st

from tpo_lab.group.snippets import LANGUAGES


def programs(write: Callable[[str], str]) -> None:
    """A tab a library; `write` makes the program of its name in `LANGUAGES`."""
    tabs = st.tabs([language.label for language in LANGUAGES.values()])
    for tab, name in zip(tabs, LANGUAGES, strict=True):
        tab.code(write(name), "python")
