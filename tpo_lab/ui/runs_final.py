"""What came of runs that have ended: it is in their files, so a few are read at each look and then remembered."""

import math
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.experiments.summaries import first_below
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.export import ONE_PERCENT
from tpo_lab.runs.reader import Reader
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import LaneSnapshot

BUDGET = 0.08  # seconds of reading at one look


class Final(NamedTuple):
    """In words, of each method, the smallest error first: its last error, and its steps to 1 %."""

    error: str = ""
    steps: str = ""


_known: dict[tuple[str, int], Final] = {}  # by run and the steps that all its lanes have taken together


def finals_of(runs: RunService, rows: Iterable[RunRow]) -> tuple[dict[str, Final], bool]:
    """By id, what came of each run that has ended; and whether that is all."""
    found, complete = {}, True
    until = time.monotonic() + BUDGET
    for row in rows:
        if not row.finished:
            continue
        key = (row.id, sum(lane.steps for lane in row.lanes))
        if key not in _known and time.monotonic() < until:
            _known[key] = _read(runs, row.id)
        if key in _known:
            found[row.id] = _known[key]
        else:
            complete = False
    return found, complete


def _read(runs: RunService, run_id: str) -> Final:
    reader = Reader(runs.catalogue, run_id)
    try:
        snapshot = reader.read(("error",))
    except InputError:
        return Final()
    finally:
        reader.close()
    if snapshot.broken:
        return Final("cannot be read")
    errors = {method: value for method, lane in snapshot.lanes.items() if (value := _last(lane)) is not None}
    ordered = sorted(errors, key=errors.__getitem__)
    steps = {method: first_below(snapshot.lanes[method].curves["error"].mean, ONE_PERCENT) for method in ordered}
    return Final(
        " · ".join(f"{METHODS[m].label} {100 * errors[m]:.2g} %" for m in ordered),
        " · ".join(f"{METHODS[m].label} {'-' if n is None else f'{n:,}'}" for m, n in steps.items()),
    )


def _last(lane: LaneSnapshot) -> float | None:
    mean = lane.curves["error"].mean if "error" in lane.curves else np.empty(0)
    defined = mean[~np.isnan(mean)]
    return float(defined[-1]) if len(defined) and math.isfinite(defined[-1]) else None
