"""The player of a fit: the policy moves from p_old to q while the residual, which is the gradient, extinguishes."""

from typing import Any

import numpy as np
import streamlit as st

from tpo_lab.group.fit import Fit
from tpo_lab.group.report import Report
from tpo_lab.methods.registry import METHODS
from tpo_lab.ui.components.bundle import javascript, stylesheet
from tpo_lab.ui.components.payload import revision

_component = st.components.v2.component(
    "tpo_lab.fit_player",
    html='<div class="tpo fit-player"></div>',
    css=stylesheet("components.css", "fit_player.css"),
    js=javascript("fit_player.js"),
)


def fit_player(fit: Fit, report: Report, *, key: str, restart: str = "", height: int = 340) -> None:
    """Play a fit in the browser: bars of p on their way to q, ||p - q|| on a log axis, the loss and its floor.

    Plays at 12 steps a second, long fits faster, so a few hundred steps are enough. When the trajectory changes it
    stays at its step and goes on playing.

    Args:
        fit: the trajectory of `report`'s group, from step 0.
        report: holds the target q.
        key: the widget's key; one per page.
        restart: any text; when it changes, the player goes back to step 0 (the name of a preset, say).
        height: the least height of the drawing, in pixels; a tall window gets more, and the controls stand below.

    The root element `.fit-player` carries `data-tpo-revision` and `data-tpo-step` after each redraw.
    """
    data: dict[str, Any] = {
        # Six decimals are finer than a pixel, and half the message.
        "p": np.round(fit.p, 6).tolist(),
        "q": report.q.tolist(),
        "residual": fit.residual.tolist(),
        "loss": fit.loss.tolist(),
        "floor": fit.loss_floor,
    }
    _component(
        key=key,
        data={
            "fit": data,
            "restart": restart,
            "height": height,
            "colour": METHODS["tpo"].colour,
            "revision": revision(data),
        },
    )
