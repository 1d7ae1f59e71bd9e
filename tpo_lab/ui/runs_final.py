"""The last error of runs that have ended: it is in their files, so a few are read at each look and then remembered."""

import math
import time
from collections.abc import Iterable

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.reader import Reader
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import LaneSnapshot

BUDGET = 0.08  # seconds of reading at one look
_known: dict[tuple[str, int], str] = {}  # by run and the steps that all its lanes have taken together


def final_errors(runs: RunService, rows: Iterable[RunRow]) -> tuple[dict[str, str], bool]:
    """By id, the last error of each method, the smallest first; and whether that is all."""
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


def _read(runs: RunService, run_id: str) -> str:
    reader = Reader(runs.catalogue, run_id)
    try:
        snapshot = reader.read(("error",))
    except InputError:
        return ""
    finally:
        reader.close()
    if snapshot.broken:
        return "cannot be read"
    errors = {method: value for method, lane in snapshot.lanes.items() if (value := _last(lane)) is not None}
    return " · ".join(f"{METHODS[m].label} {100 * errors[m]:.2g} %" for m in sorted(errors, key=errors.__getitem__))


def _last(lane: LaneSnapshot) -> float | None:
    mean = lane.curves["error"].mean if "error" in lane.curves else np.empty(0)
    defined = mean[~np.isnan(mean)]
    return float(defined[-1]) if len(defined) and math.isfinite(defined[-1]) else None
