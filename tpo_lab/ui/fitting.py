"""The fit to the frozen target: its step size, and the player."""

from dataclasses import replace

import streamlit as st

from tpo_lab.group.fit import fit
from tpo_lab.group.report import Report
from tpo_lab.ui.components.fit_player import fit_player
from tpo_lab.ui.session import change, complain, key_for, worked
from tpo_lab.ui.view import View

STEPS = 100
STEP_SIZES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


def fitting(view: View, now: Report, restart: str) -> None:
    """Gradient steps on the cross-entropy to q, from p = p_old; a new `restart` goes back to the start."""
    size = view.step_size
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("#### The fit: $z \\leftarrow z - \\alpha\\,(p - q)$, with $q$ frozen", width="stretch")
        st.select_slider(
            "Step size α",
            sorted({*STEP_SIZES, size}),
            size,
            key=key_for("step_size", size),
            format_func="{:g}".format,
            on_change=worked("step_size", lambda value: change(lambda v: replace(v, step_size=value), "step_size")),
            width=300,
        )
    complain("step_size")
    fit_player(fit(now, size, STEPS), now, key="target.fit", restart=restart)
