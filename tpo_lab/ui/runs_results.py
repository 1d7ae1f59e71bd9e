"""A table of results: per method, steps to 1 %, where the curves stand, and the time that it took."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.lines import Line, runs_of
from tpo_lab.experiments.summaries import Summary, digits, first_below
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.export import ONE_PERCENT
from tpo_lab.runs.rows import LaneRow
from tpo_lab.runs.snapshot import LaneSnapshot
from tpo_lab.ui.pieces import swatch, table
from tpo_lab.ui.runs_progress import Shown, stroke
from tpo_lab.ui.runs_words import duration


def results(
    members: Sequence[Shown],
    lines: Sequence[Line],
    lanes: Mapping[str, LaneSnapshot],
    diagnostics: Sequence[Diagnostic],
) -> None:
    """Mean ± standard error over the n seeds that have a value, at the last step of each method.

    Args:
        lanes: by key of the line.
    """
    several = bool(runs_of(lines))
    head = ["", *(["run"] if several else []), "steps to 1&nbsp;%"]
    head += [*(f"last {d.name.replace('_', ' ')}" for d in diagnostics), "at step", "status", "time"]
    rows = []
    for line in lines:
        entry = METHODS[line.method]
        name = [swatch(entry.colour, entry.label), *([stroke(line.place, line.run)] if several else [])]
        rows.append([*name, *_cells(_row(members[line.place], line.method), lanes.get(line.key), diagnostics)])
    table(head, rows)


def _row(member: Shown, method: str) -> LaneRow | None:
    rows = member.run.row.lanes if member.run else ()
    return next((row for row in rows if row.method == method), None)


def _cells(row: LaneRow | None, lane: LaneSnapshot | None, diagnostics: Sequence[Diagnostic]) -> list[str]:
    if lane is None or row is None:
        return [""] * (4 + len(diagnostics))
    steps = first_below(lane.curves["error"].mean, ONE_PERCENT) if "error" in lane.curves else None
    return [
        "-" if steps is None else f"{steps:,}",
        *(last(lane.curves.get(d.name), d) for d in diagnostics),
        f"{lane.steps:,}",
        _status(row),
        _time(row),
    ]


def _status(row: LaneRow) -> str:
    """How far a method has to go, and about how long; or how it has ended."""
    if row.status != "running":
        return row.status
    if row.rate:
        return f"about {duration((row.total - row.steps) / row.rate)} left"
    return "running" if row.steps else "compiling"


def _time(lane: LaneRow) -> str:
    gone = f" · {len(lane.diverged)} diverged" if lane.diverged else ""
    return f"{duration(lane.seconds)}{gone}"


def last(curve: Summary | None, diagnostic: Diagnostic) -> str:
    """Mean, standard error and number of seeds, to two digits; what a log axis cannot show is rounding."""
    if curve is None or not len(curve.mean):
        return ""
    at = -1
    if diagnostic.sparse:
        defined = np.flatnonzero(~np.isnan(curve.mean))
        at = int(defined[-1]) if len(defined) else -1
    mean, error, n = float(curve.mean[at]), float(curve.standard_error[at]), float(curve.n[at])
    if math.isnan(mean):
        return f"undefined (n {n:.0f})"
    if diagnostic.name == "misalignment" and diagnostic.floor is not None and mean < 10**diagnostic.floor:
        return f"&lt; {10**diagnostic.floor:.0e} (n {n:.0f})"
    unit, scale = ("&nbsp;%", 100) if diagnostic.format.endswith("%") else ("", 1)
    spread = "" if math.isnan(error) else f" ± {digits(error * scale, 1)}"
    return f"{digits(mean * scale, 2)}{spread}{unit} (n {n:.0f})"
