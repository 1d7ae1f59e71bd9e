"""A page's state as a file: its fields as the URL has them, and its group as every page of groups saves one."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import write_number
from tpo_lab.group.scenario import Scenario, json_object
from tpo_lab.ui.form import Form
from tpo_lab.ui.microscope import GROUP
from tpo_lab.ui.view import View as SavedGroup

UPLOAD_MB = 1


def save_and_load(form: Form[Any], page: str, group: Callable[[], Scenario], numbers: Callable[[], str]) -> None:
    """Buttons that make their file when they are pressed, and the way back.

    Args:
        page: its name in the file.
        group: as the fields of `GROUP` hold it.
        numbers: what is shown, as CSV.
    """
    name = f"tpo-{page.replace('_', '-')}"
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Page (JSON)",
            lambda: to_json(page, form.texts, group()),
            f"{name}.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button("Numbers (CSV)", numbers, f"{name}.csv", "text/csv", on_click="ignore")
    key = f"{form.name}.file"

    def loaded() -> None:
        file = st.session_state[key]
        if file is not None:  # bytes that are no text become signs that are no JSON
            text = file.getvalue().decode("utf-8-sig", errors="replace")
            form.take_file(lambda: from_json(page, text, form.defaults))

    st.file_uploader(
        "Load a saved page or group (JSON)",
        "json",
        key=key,
        on_change=loaded,
        max_upload_size=UPLOAD_MB,
    )
    form.complain("file")


def to_json(page: str, texts: Mapping[str, str], group: Scenario) -> str:
    """The fields as a file: all of them, so that whoever loads it sees what was saved."""
    others = {name: text for name, text in texts.items() if name not in GROUP}
    return json.dumps({"page": page, **group.to_dict(), **others}, indent=2) + "\n"


def from_json(page: str, text: str, defaults: Mapping[str, str]) -> dict[str, str]:
    """The texts that a file puts into the fields of a page; of a file of another page they are its group alone.

    A file without a page is a group as Target saves it. A field that stretches the scores goes back to its default.

    Raises:
        InputError: for what is no JSON object, unknown fields, and a group that is wrong.
    """
    data = json_object(text)
    saved_by = data.pop("page", None)
    if saved_by is None:
        group, others = SavedGroup.from_json(text).scenario, {}
    else:
        group = Scenario.from_dict({name: data.pop(name) for name in GROUP if name in data})
        others = {name: _text(name, value, defaults) for name, value in data.items()} if saved_by == page else {}
    fresh = {name: defaults[name] for name in (*GROUP, "spread") if name in defaults}
    return {**fresh, **group.to_query(), **others}


def _text(name: str, value: Any, defaults: Mapping[str, str]) -> str:
    if name not in defaults:
        raise InputError("file", f"Unknown field {shown(name)} of this page; known: {', '.join(defaults)}.")
    if isinstance(value, float):
        return write_number(value)
    if not isinstance(value, str):
        raise InputError("file", f"The field {name} is {shown(value)}; it must be a text.")
    return value
