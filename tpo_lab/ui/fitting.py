"""The fit to the frozen target, played."""

from dataclasses import replace

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.ui.components.fit_player import fit_player
from tpo_lab.ui.session import change, complain
from tpo_lab.ui.view import View

STEPS = 100
STEP_SIZES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


def fitting(view: View, now: Report, restart: str) -> None:
    """Gradient steps on the cross-entropy to q, from p = p_old; a new `restart` goes back to the start."""
    st.markdown("#### The fit: $z \\leftarrow z - \\alpha\\,(p - q)$, with $q$ frozen")
    fit_player(
        now,
        step_size=view.step_size,
        step_sizes=sorted({*STEP_SIZES, view.step_size}),
        steps=STEPS,
        key="target.fit",
        on_step_size=lambda size: change(lambda view: replace(view, step_size=size), "step_size"),
        restart=restart,
    )
    complain("step_size")
