"""A walk through named phases: a row of tabs, and buttons and keys that go back, play and step."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from tpo_lab.ui.components.bundle import javascript, stylesheet

_component = st.components.v2.component(
    "tpo_lab.stepper",
    html='<div class="tpo stepper"></div>',
    css=stylesheet("components.css", "stepper.css"),
    js=javascript("stepper.js"),
)


def stepper(
    name: str, labels: Sequence[str], at: int, *, seconds: float, key: str, on_go: Callable[[int], None]
) -> None:
    """Draw the tabs; the browser plays them, one after another.

    Args:
        name: of the row, for a reader who does not see it.
        labels: of the phases.
        at: index of the one that is shown.
        seconds: that each stays while it plays.
        key: the widget's key; one per page.
        on_go: takes the index of another, before the page's script runs.
    """
    chosen = _chosen(key)
    data = {"name": name, "labels": list(labels), "at": at, "seconds": seconds, "answered": chosen.get("count")}
    _component(key=key, data=data, on_at_change=lambda: on_go(int(_chosen(key)["at"])))


def _chosen(key: str) -> Mapping[str, float]:
    """What the browser sent last: where to, and the number of this wish."""
    state = st.session_state.get(key)
    chosen = state.get("at") if isinstance(state, Mapping) else None
    return chosen if isinstance(chosen, Mapping) else {}
