"""The live view of runs, of whatever kind: progress, curves and results that follow them while they are computed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from tpo_lab.charts import curves
from tpo_lab.charts.axes import Spec
from tpo_lab.charts.curve_data import Values, datasets
from tpo_lab.charts.diagnostics import Diagnostic, diagnostics_of
from tpo_lab.charts.lines import USUAL, Line, Look, lines_of, thin
from tpo_lab.charts.points import MAX_POINTS
from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.sweeps import names as names_of
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.runs_progress import lost, progress
from tpo_lab.ui.runs_results import results
from tpo_lab.ui.runs_view import USUALLY
from tpo_lab.ui.runs_words import is_going
from tpo_lab.ui.sentences import refuse

MOST = len(curves.DASHES)  # runs in one chart
TICK = 0.4  # seconds between two looks at runs, at least
YOUNG, LONG = 1.0, 10.0  # seconds of computing, after which the pace is set anew; after LONG it is half at most
SHARE = 0.014  # of a core that the looks of a tab may take: the dearer one is, the longer until the next
CELLS = 20_000  # numbers a second that a browser draws without getting in a person's way
_COST = "live.cost"  # seconds of a look, lately
STEPS = ("error",)  # the curve that tells the steps to 1 %
HOW = (
    "Results: mean ± s.e. over the n seeds that have a value, at the last step so far. On the charts a click on the "
    "legend hides, Ctrl and the wheel zoom, dragging moves, a double click resets."
)


@dataclass(frozen=True)
class Member:
    """A run beside others, or the settings that axes are drawn for while there is none.

    Attributes:
        name: how it is called beside the others, "K = 16"; empty: by what differs.
    """

    config: AnyConfig
    run: Snapshot | None = None
    name: str = ""


def find(runs: RunService, run_id: str) -> Snapshot | None:
    """The run, with its steps alone; or None with one sentence on the page."""
    try:
        return runs.get(run_id, STEPS)
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
    _follow(runs, (Member(config, run),), see, look, settings)


def overlay(runs: RunService, members: Sequence[Member], see: Sequence[str] = USUALLY, look: Look = USUAL) -> None:
    """Draw several runs in the same axes, and go on drawing them until the last one ends.

    One line per method and run: its colour is the method's, its stroke the run's. Above them stands in what the
    settings of the runs differ, below them the results of all.

    Args:
        members: at least one; runs that are not there yet have their place in the legend.
        see: names of diagnostics that all of them have, a chart each.

    Raises:
        ValueError: if two members have the same name.
    """
    names = names_of([member.config for member in members])
    named = [replace(member, name=member.name or name) for member, name in zip(members, names, strict=True)]
    if len({member.name for member in named}) < len(named):
        raise ValueError(f"two runs of the same name among {[member.name for member in named]}")
    _follow(runs, named, see, look, "")


def _follow(runs: RunService, members: Sequence[Member], see: Sequence[str], look: Look, settings: str) -> None:
    known = [diagnostics_of(member.config) for member in members]
    shown = [known[0][name] for name in see if all(name in found for found in known)] or [known[0]["error"]]
    names = {*STEPS, *(diagnostic.name for diagnostic in shown)}
    lines = lines_of({m.name: m.config for m in members} if len(members) > 1 else members[0].config)
    try:
        specs = [curves.spec(diagnostic, lines, look) for diagnostic in shown]
    except InputError as error:
        refuse(str(error))
        return
    going = any(m.run is not None and is_going(m.run.row) for m in members)
    last = [*members]

    def tick() -> None:
        began = time.thread_time()
        for i, member in enumerate(last):
            if member.run:
                try:
                    last[i] = replace(member, run=runs.get(member.run.id, names))
                except InputError as error:  # purged, or the store cannot be read just now: what is drawn stays
                    refuse(str(error))
        _draw(runs, last, lines, shown, specs, look, settings)
        st.session_state[_COST] = (st.session_state.get(_COST, 0.0) + time.thread_time() - began) / 2
        if going and [_mark(m.run) for m in last] != [_mark(m.run) for m in members]:
            st.rerun()

    slow = all(_age(m.run) == 2 for m in members if m.run and is_going(m.run.row))
    pause = max(_pause(lines, len(shown), look, slow), st.session_state.get(_COST, 0.0) / SHARE)
    st.fragment(tick, run_every=round(pause, 1) if going else None)()


def _pause(lines: Sequence[Line], charts: int, look: Look, slow: bool) -> float:
    """Seconds between two looks: the more there is to draw, the longer; over seconds every point moves each time."""
    columns = len(lines) * (5 + (thin(lines) if look.seeds else 0))
    moves = (2.5 if look.over == "seconds" else 1) * (2 if slow else 1)
    return moves * max(TICK, round(charts * columns * MAX_POINTS / CELLS, 1))


def _age(run: Snapshot | None) -> int:
    """0 while a run is young; 2 if it takes so long that its curves hardly move between two looks."""
    return sum(run.seconds > limit for limit in (YOUNG, LONG)) if run else 0


def _mark(run: Snapshot | None) -> tuple[object, ...]:
    """What the buttons and texts around the curves, and the pace of looking, depend on."""
    return (run.status, run.row.wanted, run.row.deleted, run.broken, _age(run)) if run else ()


def _draw(
    runs: RunService,
    members: Sequence[Member],
    lines: Sequence[Line],
    diagnostics: Sequence[Diagnostic],
    specs: Sequence[Spec],
    look: Look,
    settings: str,
) -> None:
    progress(runs, members, settings)
    lanes, paces = _lanes(members, lines), _paces(members, lines)
    ids = "-".join(member.run.id for member in members if member.run)
    with st.container(key="live-curves"):
        columns = st.columns(2) if len(diagnostics) > 1 else [st.container()]
    for i, (diagnostic, spec) in enumerate(zip(diagnostics, specs, strict=True)):
        found = {key: lane.curves[diagnostic.name] for key, lane in lanes.items() if diagnostic.name in lane.curves}
        with columns[i % len(columns)]:
            chart(
                spec,
                datasets(diagnostic, lines, found, look, paces, _seeds(runs, members, lines, diagnostic, look)),
                key=f"live-{diagnostic.name.replace('_', '-')}",
                alt=f"{diagnostic.title}, one line per method" + (" and run" if len(members) > 1 else ""),
                name="-".join(filter(None, (diagnostic.name, ids))),
            )
    results(members, lines, lanes, diagnostics)
    lost(members)  # below the curves, which stay where they are
    st.caption(HOW)


def _lanes(members: Sequence[Member], lines: Sequence[Line]) -> Mapping[str, LaneSnapshot]:
    """By key of the line, what it has so far."""
    found = {}
    for line in lines:
        run = members[line.place].run
        if run and line.method in run.lanes:
            found[line.key] = run.lanes[line.method]
    return found


def _paces(members: Sequence[Member], lines: Sequence[Line]) -> dict[str, float]:
    """By key of the line, its seconds per step."""
    paces = {}
    for line in lines:
        run = members[line.place].run
        for lane in run.row.lanes if run else ():
            if lane.method == line.method and lane.steps:
                paces[line.key] = lane.seconds / lane.steps
    return paces


def _seeds(
    runs: RunService, members: Sequence[Member], lines: Sequence[Line], diagnostic: Diagnostic, look: Look
) -> dict[str, Values]:
    """By key of the line, the values of every seed, if the look needs them."""
    found: dict[str, Values] = {}
    for place, run in enumerate(member.run for member in members) if look.needs_seeds else ():
        if run and not run.broken:
            try:
                values = runs.readers.get(run.id).seeds(diagnostic.name)
            except InputError as error:
                refuse(str(error))
                continue
            found |= {line.key: values[line.method] for line in lines if line.place == place and line.method in values}
    return found
