"""The groups of one batch as a strip of squares, one of which is chosen by a click or the arrow keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from tpo_lab.ui.components.bundle import javascript, stylesheet
from tpo_lab.ui.components.payload import revision

_component = st.components.v2.component(
    "tpo_lab.look_strip",
    html='<div class="tpo look-strip"></div>',
    css=stylesheet("components.css", "look_strip.css"),
    js=javascript("look_strip.js"),
)


def look_strip(
    rows: Sequence[Sequence[int]],
    kinds: Sequence[Mapping[str, str]],
    *,
    names: tuple[str, str],
    chosen: tuple[int, int],
    key: str,
    on_choose: Callable[[int, int], None],
) -> None:
    """Draw squares with a legend that counts them.

    Args:
        rows: index into `kinds` of each square, (places, groups).
        kinds: `label`, `sign`, `colour` and `ink` of each kind, texts.
        names: what a column and what a row is called: "Group", "token".
        chosen: column and row of the square that is marked, from 0.
        key: the widget's key; one per page.
        on_choose: takes column and row of another, before the page's script runs.
    """
    data: dict[str, Any] = {"rows": [[*row] for row in rows], "kinds": [dict(kind) for kind in kinds]}
    data |= {"names": list(names), "chosen": list(chosen), "name": f"{names[0]}s of this batch"}
    _component(key=key, data={**data, "revision": revision(data)}, on_chosen_change=lambda: _chosen(key, on_choose))


def _chosen(key: str, take: Callable[[int, int], None]) -> None:
    state = st.session_state.get(key)
    chosen = state.get("chosen") if isinstance(state, Mapping) else None
    if isinstance(chosen, Mapping):
        take(int(chosen["group"]), int(chosen["place"]))
