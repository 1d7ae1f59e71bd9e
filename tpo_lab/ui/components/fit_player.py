"""The player of a fit: the policy moves from p_old to q while the residual, which is the gradient, extinguishes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.methods.registry import METHODS
from tpo_lab.ui.components.bundle import javascript, stylesheet
from tpo_lab.ui.components.payload import group_data, revision

_component = st.components.v2.component(
    "tpo_lab.fit_player",
    html='<div class="tpo fit-player"></div>',
    css=stylesheet("components.css", "fit_player.css"),
    js=javascript("fit_player.js"),
)


def fit_player(
    report: Report,
    *,
    step_size: float,
    step_sizes: Sequence[float],
    steps: int,
    key: str,
    on_step_size: Callable[[float], None],
    restart: str = "",
    height: int = 340,
) -> None:
    """Play `tpo_lab.group.fit` in the browser: bars of p on their way to q, ||p - q|| on a log axis, loss and floor.

    It plays at 12 steps a second, long fits faster, so a few hundred steps are enough. It follows the group editor of
    the page while a gesture is ahead of Python. When the trajectory changes it stays at its step and goes on playing.

    Args:
        report: of the group.
        step_size: in logits per unit of gradient.
        step_sizes: stops of its slider, in rising order.
        steps: gradient steps.
        key: the widget's key; one per page.
        on_step_size: takes the step size that a person has chosen, before the page's script runs.
        restart: any text; when it changes, the player goes back to step 0 (the name of a preset, say).
        height: the least height of the drawing, in pixels; a tall window gets more, and the controls stand below.

    The root element `.fit-player` carries `data-tpo-revision` and `data-tpo-step` after each redraw.
    """
    data: dict[str, Any] = {"group": group_data(report), "stepSize": step_size, "steps": steps}
    _component(
        key=key,
        data={
            **data,
            "stepSizes": list(step_sizes),
            "restart": restart,
            "height": height,
            "colour": METHODS["tpo"].colour,
            "revision": revision(data),
        },
        on_step_size_change=lambda: _chosen(key, on_step_size),
    )


def _chosen(key: str, take: Callable[[float], None]) -> None:
    state = st.session_state.get(key)
    size = state.get("step_size") if isinstance(state, Mapping) else None
    if size is not None:
        take(float(size))
