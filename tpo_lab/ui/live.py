"""A run while it is computed: progress, curves and a table of results that follow it, and its files."""

import html
import math

import pandas as pd
import streamlit as st

from tpo_lab.charts import curves
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.summaries import first_below
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.export import curves_csv
from tpo_lab.runs.service import service
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.sentences import refuse

TICK = 0.3  # seconds between two looks at a run
THRESHOLD = 0.01
DIAGNOSTICS = (curves.ERROR, curves.MISALIGNMENT)


def find(run_id: str | None) -> Snapshot | None:
    """The run, or None with one sentence on the page."""
    if run_id is None:
        return None
    try:
        found = service().get(run_id)
        if not isinstance(found.config, BanditConfig):
            raise InputError("run", "This run is not one of the single-context bandit.")
        return found
    except InputError as error:
        st.info(f"{error} Its settings are here: press Run.")
        return None


def follow(snapshot: Snapshot | None, config: BanditConfig) -> None:
    """Draw a run, and go on drawing it until it ends; without one, empty axes.

    Args:
        config: the settings that the axes are for while there is no run.
    """
    going = snapshot is not None and not snapshot.finished

    def tick() -> None:
        now = service().get(snapshot.id) if snapshot else None
        _draw(now, config)
        if going and now and now.finished:
            st.rerun()

    st.fragment(tick, run_every=TICK if going else None)()


def _config(run: Snapshot | None, config: BanditConfig) -> BanditConfig:
    """The settings of a run of the bandit, or those of the page."""
    return run.config if run and isinstance(run.config, BanditConfig) else config


def _draw(run: Snapshot | None, config: BanditConfig) -> None:
    shown = _config(run, config)
    st.progress(run.steps / shown.steps if run else 0.0, text=_progress(run))
    if run and (run.broken or run.status == "failed"):
        refuse(run.broken or run.reason)
    lanes = run.lanes if run else {}
    with st.container(key="bandits-curves"):
        columns = st.columns(2)
    for column, diagnostic in zip(columns, DIAGNOSTICS, strict=True):
        curve = {method: lane.curves[diagnostic.name] for method, lane in lanes.items()}
        column.vega_lite_chart(
            pd.DataFrame(curves.columns(diagnostic, shown, curve), dtype="float64"),
            curves.spec(diagnostic, shown),
            key=f"curves.{diagnostic.name}",
            alt=f"{diagnostic.title} over updates, one line per method",
        )
    st.html(_table(run, shown))
    st.caption(
        "n: seeds with a value. A zero update takes no step and has no angle: GRPO, where all rewards are equal. "
        "Late in a run DG falls to the cut-off at steps where no seed draws a wrong action."
    )


def _progress(run: Snapshot | None) -> str:
    if run is None:
        return "No run with these settings yet."
    c = _config(run, BanditConfig())
    what = f"K {c.actions} · B {c.samples} · α {c.alpha:g} · η {c.eta:g} · b {c.baseline:g} · first seed {c.seed}"
    return f"{_state(run)}: step {run.steps:,} of {c.steps:,}, {run.seconds:.1f} s · {what}"


def _state(run: Snapshot) -> str:
    if run.row.wanted == "stop" and not run.finished:
        return "Stopping"
    if run.status == "queued":
        return "Waiting for the worker"
    return "Compiling" if run.status == "running" and not run.lanes else run.status.capitalize()


def _table(run: Snapshot | None, config: BanditConfig) -> str:
    """Per method: steps to 1 %, and where error and misalignment stand now."""
    rows = "".join(_row(method, run) for method in config.methods)
    return (
        '<table class="results"><thead><tr><th></th><th>steps to 1&nbsp;%</th><th>last error</th>'
        f"<th>last misalignment</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(method: str, run: Snapshot | None) -> str:
    entry, lane = METHODS[method], run.lanes.get(method) if run else None
    cells = ["", "", ""]
    if lane:
        error, angle = lane.curves["error"], lane.curves["misalignment"]
        steps = first_below(error.mean, THRESHOLD)
        cells = [
            "-" if steps is None else str(steps),
            _value(error.mean[-1], error.standard_error[-1], "&nbsp;%", error.n[-1]),
        ]
        cells.append(_value(angle.mean[-1], angle.standard_error[-1], "", angle.n[-1], least=1e-8))
    swatch = f'<span style="color:{entry.colour}">●</span> {html.escape(entry.label)}'
    return f"<tr><th>{swatch}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _value(mean: float, error: float, unit: str, n: float, least: float = 0.0) -> str:
    """Mean, standard error and number of seeds, to two digits; values below `least` are rounding."""
    if math.isnan(mean):
        return f"undefined (n {n:.0f})"
    if mean < least:
        return f"&lt; {least:.0e} (n {n:.0f})"
    scale = 100 if unit else 1
    spread = "" if math.isnan(error) else f" ± {_digits(error * scale, 1)}"
    return f"{_digits(mean * scale, 2)}{spread}{unit} (n {n:.0f})"


def _digits(x: float, n: int) -> str:
    """x >= 0 to n significant digits; 100 is not 1e+02."""
    return f"{x:.0f}" if x >= 10**n - 0.5 else f"{x:.{n}g}"


def files(run: Snapshot | None, config: BanditConfig) -> None:
    """The curves as CSV and the configuration as JSON."""
    shown = _config(run, config)
    with st.container(horizontal=True):
        if run and run.finished and run.lanes:
            st.download_button(
                "Curves (CSV)",
                lambda: curves_csv(run),
                f"bandit-{run.id}.csv",
                "text/csv",
                icon=":material/download:",
                on_click="ignore",
            )
        st.download_button(
            "Settings (JSON)",
            shown.to_json(),
            "bandit.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )
