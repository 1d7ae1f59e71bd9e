"""What the page Digits has below the curves: the surplus, and some of the digits. It follows a run as they do."""

from typing import Any

import streamlit as st

from tpo_lab.charts.digits import BINS, latest, surplus_columns, surplus_spec
from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot
from tpo_lab.training.guesses import Guesses
from tpo_lab.ui.digits_images import ORDERS, grid
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.form import Form, choice
from tpo_lab.ui.runs_words import is_going
from tpo_lab.ui.sentences import refuse

FIELDS = {"images": "each"}  # of the form of the page
TICK = 1.0  # seconds; an evaluation is no more frequent in most runs
_HELD = "digits.looks"


def check(order: str) -> str:
    """The order of the images.

    Raises:
        InputError: if there is no such order.
    """
    if order not in ORDERS:
        raise InputError("images", f"Unknown order of images; known: {', '.join(ORDERS)}.")
    return order


def below(runs: RunService, form: Form[Any], run: Snapshot | None, config: DigitsConfig) -> None:
    """The surplus and the digits, and what comes to them until the run ends."""

    def tick() -> None:
        try:
            _surplus(runs, run, config)
            if run:
                _digits(runs, form, run)
        except InputError as error:  # the store cannot be read just now
            refuse(str(error))

    st.fragment(tick, run_every=TICK if run and is_going(run.row) else None)()


def _surplus(runs: RunService, run: Snapshot | None, config: DigitsConfig) -> None:
    lanes = runs.get(run.id, BINS).lanes if run else {}
    chart(
        surplus_spec(config),
        {"surplus": surplus_columns({method: lane.curves for method, lane in lanes.items()})},
        key="digits-surplus",
        alt="Surplus by concentration of the wrong probability, one bar per method with a closed form",
        name=f"surplus-{run.id}" if run else "surplus",
    )
    steps = [at + 1 for lane in lanes.values() for name in BINS if (at := _latest(lane, name)) is not None]
    st.caption(
        "Surplus: what the expected update adds to the right probability, to first order, beyond what it would add if "
        "the wrong probability were spread evenly."
        + (f" At the latest evaluation, step {max(steps):,}." if steps else "")
    )


def _latest(lane: LaneSnapshot, name: str) -> int | None:
    return latest(lane.curves[name].mean) if name in lane.curves else None


def _digits(runs: RunService, form: Form[Any], run: Snapshot) -> None:
    looks, step = _looks(runs, run)
    if not looks:
        st.caption(
            "A recording keeps no digits; Run does." if run.row.recorded else "No digits are kept of this run yet."
        )
        return
    choice(form, "Digits", "images", ORDERS, width="content")
    st.html(grid(form.texts["images"], looks))
    st.caption(
        f"Probabilities of the ten classes after step {step + 1:,} of the first seed, and before training; "
        "✗: another class is more probable than the right one."
    )
    form.write_url()


def _looks(runs: RunService, run: Snapshot) -> tuple[dict[str, Guesses], int]:
    """The latest that is kept of each method, and the step that all of them have come to."""
    reader = runs.readers.get(run.id)
    kept = reader.looks()
    newest = {method: kept[method][-1] for method in run.config.methods if kept.get(method)}
    held = st.session_state.get(_HELD)
    if held is None or held[0] != (run.id, newest):
        found = {method: reader.look(method, step) for method, step in newest.items()}
        held = (run.id, newest), {method: look for method, look in found.items() if isinstance(look, Guesses)}
        st.session_state[_HELD] = held
    return held[1], min(newest.values(), default=0)
