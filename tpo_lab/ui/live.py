"""The live view of a run, of whatever kind: progress, curves and results that follow it while it is computed."""

from collections.abc import Sequence

import streamlit as st

from tpo_lab.charts import curves
from tpo_lab.charts.curves import USUAL, Look
from tpo_lab.charts.diagnostics import Diagnostic, diagnostics_of
from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import AnyConfig, steps_of
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.runs_results import results
from tpo_lab.ui.runs_view import USUALLY
from tpo_lab.ui.runs_words import duration, is_going, outlook, state
from tpo_lab.ui.sentences import refuse

TICK = 0.4  # seconds between two looks at a run


def find(runs: RunService, run_id: str, kind: type[AnyConfig] | None = None) -> Snapshot | None:
    """The run, or None with one sentence on the page.

    Args:
        kind: of the configurations that the page is about; None: any.
    """
    try:
        found = runs.get(run_id)
        if kind and type(found.config) is not kind:
            raise InputError("run", "This run belongs to another page.")
        return found
    except InputError as error:
        st.info(str(error))
        return None


def follow(
    runs: RunService,
    run: Snapshot | None,
    config: AnyConfig,
    see: Sequence[str] = USUALLY,
    look: Look = USUAL,
    *,
    settings: str = "",
) -> None:
    """Draw a run, and go on drawing it until it ends; without one, empty axes.

    Args:
        config: of the run, or what the axes are for while there is none.
        see: names of diagnostics, a chart each.
        settings: a few words on the configuration, for the line above the curves.
    """
    known = diagnostics_of(config)
    shown = [known[name] for name in see if name in known] or [known["error"]]
    going = run is not None and is_going(run.row)
    last = [run]

    def tick() -> None:
        if run and going:
            try:
                last[0] = runs.get(run.id)
            except InputError as error:  # purged, or the store cannot be read just now: what is drawn stays
                refuse(str(error))
        now = last[0]
        _draw(runs, now, config, shown, look, settings)
        if now and going and _mark(now) != _mark(run):
            st.rerun()

    st.fragment(tick, run_every=TICK if going else None)()


def _mark(run: Snapshot | None) -> tuple[object, ...]:
    """What the buttons and texts around the curves depend on."""
    return (run.status, run.row.wanted, run.row.deleted, run.broken) if run else ()


def _draw(
    runs: RunService,
    run: Snapshot | None,
    config: AnyConfig,
    diagnostics: Sequence[Diagnostic],
    look: Look,
    settings: str,
) -> None:
    total = steps_of(config)
    st.progress(min(1.0, run.steps / total) if run else 0.0, text=_progress(runs, run, total, settings))
    if run and (run.broken or run.status == "failed"):
        refuse(run.broken or run.reason)
    lanes = run.lanes if run else {}
    paces = {lane.method: lane.seconds / lane.steps for lane in run.row.lanes if lane.steps} if run else {}
    with st.container(key="live-curves"):
        columns = st.columns(2) if len(diagnostics) > 1 else [st.container()]
    for i, diagnostic in enumerate(diagnostics):
        found = {m: lane.curves[diagnostic.name] for m, lane in lanes.items() if diagnostic.name in lane.curves}
        with columns[i % len(columns)]:
            chart(
                {**curves.spec(diagnostic, config, look), "data": {"name": "curves"}},
                {"curves": curves.columns(diagnostic, config, found, look, paces)},
                key=f"live-{diagnostic.name.replace('_', '-')}",
                alt=f"{diagnostic.title}, one line per method",
                name=f"{diagnostic.name}-{run.id}" if run else diagnostic.name,
            )
    results(run, config.methods, diagnostics)
    st.caption("Last values: mean ± s.e. over the n seeds that have one, at the last step so far.")


def _progress(runs: RunService, run: Snapshot | None, total: int, settings: str) -> str:
    if run is None:
        return "No run with these settings yet."
    parts = [f"{state(run.row)}: step {run.steps:,} of {total:,}, {duration(run.seconds)}"]
    return " · ".join(part for part in (*parts, outlook(runs, run.row), settings) if part)
