"""How hard each method pushes a context, beside the curves of the multi-context bandit. It follows a run as they do."""

from typing import Any

import numpy as np
import streamlit as st

from tpo_lab.charts.beta import MARKS, TOP, rows, spec
from tpo_lab.errors import InputError
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.group.exact import beta
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.live import TICK
from tpo_lab.ui.runs_words import is_going
from tpo_lab.ui.sentences import refuse

POINTS = np.linspace(0, 1, 200, endpoint=False)  # at 1 every reward is equal, and GRPO falls to 0


def below(runs: RunService, run: Snapshot | None, config: MultiBanditConfig) -> None:
    """beta(p) of every method, with the contexts of a run on it until that ends."""
    if config.baseline:
        st.caption("β(p) is the exact update without a baseline; set it to 0 to see β(p) here.")
        return
    curves = [
        (p, value, method, "")
        for method in config.methods
        for p, value in zip(POINTS.tolist(), _beta(config, method, POINTS).tolist(), strict=True)
    ]

    def tick() -> None:
        try:
            marks = _marks(runs, run, config)
        except InputError as error:  # the store cannot be read just now
            refuse(str(error))
            return
        chart(
            spec(config),
            {"beta": rows(curves), "now": rows(marks)},
            key="bandit-beta",
            alt="beta(p) over p, one line per method, with marks where the contexts are now",
            name=f"beta-{run.id}" if run else "beta",
        )

    st.fragment(tick, run_every=TICK if run and is_going(run.row) else None)()


def _marks(runs: RunService, run: Snapshot | None, config: MultiBanditConfig) -> list[tuple[float, float, str, str]]:
    found = []
    for method, lane in (runs.get(run.id, MARKS).lanes if run else {}).items():
        for name, label in MARKS.items():
            if name in lane.curves and lane.steps:
                p = float(lane.curves[name].mean[-1])
                found.append((p, min(float(_beta(config, method, np.float64(p))), TOP), method, label))
    return found


def _beta(config: MultiBanditConfig, method: str, p: Any) -> Any:
    return beta(method, p, k=config.actions, eta=config.eta)
