"""Predict, then reveal: the order that a person expects of the methods before a run, and its score after."""

import math
from collections.abc import Mapping

import numpy as np
import streamlit as st

from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.predictions import End, Pair, pairs
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.config_form import PREDICTS, View, dots
from tpo_lab.ui.form import Form
from tpo_lab.ui.pieces import swatch, table
from tpo_lab.ui.runs_results import last


def wanted(form: Form[View]) -> bool:
    """Whether somebody wants to predict; runs that they have not started themselves then give nothing away."""
    return form.texts["predict"] == PREDICTS and len(form.view.config.methods) > 1


def order_of(form: Form[View], config: AnyConfig) -> tuple[str, ...]:
    """The methods in the expected order, as far as it is said."""
    return tuple(name for name in form.texts["order"].split(",") if name in config.methods)


def is_ready(form: Form[View]) -> bool:
    """Whether a run may begin: nothing is to be predicted, or all of it has been."""
    return not wanted(form) or len(order_of(form, form.view.config)) == len(form.view.config.methods)


def switch(form: Form[View]) -> None:
    """Whether to predict."""
    if len(form.view.config.methods) > 1:
        st.toggle(
            "Predict first",
            wanted(form),
            help="Say which method will end with the smallest error, and which next, before the run; it is scored "
            "after. Runs of these settings that are there already are not shown meanwhile.",
            **form.on("predict", {"order": "", "run": ""}, write=lambda on: PREDICTS if on else ""),
        )


def row(form: Form[View], run: Snapshot | None) -> None:
    """The order, before the run; the same and its score, after."""
    if not wanted(form):
        return
    config = run.config if run else form.view.config
    order = order_of(form, config)
    if run is None:
        dots(form, "order", config.methods)
        st.pills(
            "Who ends with the smallest error, who next? Press the methods in this order.",
            config.methods,
            selection_mode="multi",
            default=order,
            format_func=_label,
            **form.on("order", write=",".join),
        )
    said = " · ".join(f"{place} {_label(name)}" for place, name in enumerate(order, 1))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**You expect:** {said}" if order else "**You expect:** nothing yet", width="content")
        st.button(
            "Predict again",
            icon=":material/undo:",
            type="tertiary",
            disabled=not order or bool(run and not run.finished),
            on_click=form.change,
            args=({"order": "", "run": ""},),
        )
    if run and run.finished and order:
        _score(run, config, order)


def _score(run: Snapshot, config: AnyConfig, order: tuple[str, ...]) -> None:
    ends = _ends(run)
    if run.status != "done" or set(ends) != set(config.methods) or len(order) < len(config.methods):
        st.caption("No score: it takes an order of all methods, and a run in which each has come to its end.")
        return
    st.markdown(sentence(pairs(order, ends)))
    error = diagnostics_of(config)["error"]
    rows = [
        [
            swatch(METHODS[name].colour, METHODS[name].label),
            last(run.lanes[name].curves["error"], error),
            str(place),
            str(order.index(name) + 1),
        ]
        for place, name in enumerate(sorted(ends, key=lambda name: ends[name].mean), 1)
    ]
    table(["", "last error", "place", "you expected"], rows)


def sentence(found: tuple[Pair, ...]) -> str:
    """How many pairs are in the right order, which are too close to call, and which are not."""
    by_verdict = {
        verdict: [f"{_label(a)} before {_label(b)}" for a, b, v in found if v == verdict]
        for verdict in ("right", "tie", "wrong")
    }
    right, ties, wrong = by_verdict.values()
    text = f"**{len(right)} of {len(found)} pairs in the right order.**"
    if wrong:
        text += f" Wrong: {', '.join(wrong)}."
    if ties:
        text += f" Too close to call, within one standard error of the difference: {', '.join(ties)}."
    return text


def _ends(run: Snapshot) -> Mapping[str, End]:
    """Of every method whose last error is a number."""
    ends = {}
    for method, lane in run.lanes.items():
        curve = lane.curves["error"]
        defined = np.flatnonzero(~np.isnan(curve.mean))
        if len(defined) and math.isfinite(curve.mean[defined[-1]]):
            ends[method] = End(float(curve.mean[defined[-1]]), float(curve.standard_error[defined[-1]]))
    return ends


def _label(name: str) -> str:
    return METHODS[name].label
