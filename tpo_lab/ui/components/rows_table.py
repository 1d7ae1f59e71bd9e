"""A table whose rows are chosen by a click or the arrow keys: Streamlit's own waits 0.2 s before it says which."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from tpo_lab.ui.components.bundle import javascript, stylesheet
from tpo_lab.ui.components.payload import revision

_component = st.components.v2.component(
    "tpo_lab.rows_table",
    html='<div class="tpo rows-table"></div>',
    css=stylesheet("components.css", "rows_table.css"),
    js=javascript("rows_table.js"),
)


def rows_table(
    columns: Mapping[str, Sequence[str]],
    ids: Sequence[int],
    *,
    words: Sequence[str],
    chosen: int | None,
    height: int,
    name: str,
    key: str,
    on_choose: Callable[[int], None],
) -> None:
    """Draw a table.

    Args:
        columns: texts by heading.
        ids: of each row.
        words: the columns that hold words; the others are numbers.
        chosen: id of the row that is marked.
        height: of the frame in pixels; longer tables scroll.
        name: what a reader who does not see it is told.
        key: the widget's key; one per page.
        on_choose: takes the id of another row, before the page's script runs.
    """
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    data: dict[str, Any] = {"columns": list(columns), "rows": rows}
    data["kinds"] = ["words" if column in words else "numbers" for column in columns]
    data |= {"ids": list(ids), "chosen": chosen, "height": height, "name": name}
    _component(key=key, data={**data, "revision": revision(data)}, on_chosen_change=lambda: _chosen(key, on_choose))


def _chosen(key: str, take: Callable[[int], None]) -> None:
    state = st.session_state.get(key)
    chosen = state.get("chosen") if isinstance(state, Mapping) else None
    if isinstance(chosen, Mapping):
        take(int(chosen["id"]))
