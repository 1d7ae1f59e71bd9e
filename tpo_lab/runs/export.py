"""A run as files: its curves as CSV or Parquet, its configuration as JSON, and what came of it in a few numbers.

Imports pyarrow only to write Parquet.
"""

import csv
import io
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments import lanes_file
from tpo_lab.experiments.summaries import Summary, first_below
from tpo_lab.runs.curves import Values
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.rows import LaneRow, RunRow
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot, Source

ONE_PERCENT = 0.01


def curves_csv(snapshot: Snapshot) -> str:
    """One row per method, diagnostic and step; an undefined number is an empty cell."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["method", "diagnostic", "step", *Summary._fields])
    for method, lane in snapshot.lanes.items():
        for diagnostic, curve in lane.curves.items():
            for step, values in enumerate(zip(*(column.tolist() for column in curve), strict=True)):
                rows.writerow([method, diagnostic, step, *("" if x != x else f"{x:.9g}" for x in values)])
    return out.getvalue()


def parquet(reader: Source, path: Path, only: Collection[str] = ()) -> None:
    """Every seed: one row per (method, seed, step), see `tpo_lab.experiments.lanes_file`.

    Args:
        only: the diagnostics; none: all.

    Raises:
        InputError: if the run cannot be read or has no such diagnostic, or the file not be written.
    """
    snapshot = reader.read(())
    lanes = seeds_of(reader, snapshot, only)
    lanes_file.write(path, snapshot.config, lanes, snapshot.row.versions, _facts(snapshot.row))


def _facts(row: RunRow) -> dict[str, Any]:
    """What of a run is neither its settings nor its curves; with these, the file is a recording of it."""
    names = ("method", "steps", "seconds", "compile_seconds")
    lanes = [{**{n: getattr(lane, n) for n in names}, "diverged": dict(lane.diverged)} for lane in row.lanes]
    facts = {"kind": row.kind, "preset": row.preset, "created": row.created, "seconds": row.seconds}
    return {**facts, "host": dict(row.host), "lanes": lanes}


def seeds_of(reader: Source, snapshot: Snapshot, only: Collection[str] = ()) -> list["Seed"]:
    """Every seed of every method, each for itself.

    Args:
        only: the diagnostics; none: all.

    Raises:
        InputError: if the run cannot be read, has no step yet, or no such diagnostic.
    """
    if snapshot.broken:
        raise StoreError("store", snapshot.broken)
    if not snapshot.lanes:
        raise InputError("run", "This run has no step to export yet.")
    found = {lane.method: values for lane in snapshot.row.lanes if (values := reader.values(lane.method))}
    known = next(iter(found.values()))
    if missing := [name for name in only if name not in known]:
        raise InputError("only", f"Unknown diagnostic {shown(missing[0])}; this run has: {', '.join(known)}.")
    return [
        Seed(method, seed, {name: curves[name][:, seed] for name in only or curves})
        for method, curves in found.items()
        for seed in range(snapshot.config.seeds)
    ]


def configuration_json(row: RunRow) -> str:
    """What was run, with what, on what: kind, configuration, versions and machine."""
    facts = {"kind": row.kind, "preset": row.preset, "config": json.loads(row.config_json)}
    return json.dumps({**facts, "versions": dict(row.versions), "host": dict(row.host)}, indent=2)


def write_text(path: Path, text: str) -> None:
    """Write a text as a file, all of it or nothing.

    Raises:
        InputError: if it cannot be written.
    """
    with lanes_file.replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")


def summary(snapshot: Snapshot) -> dict[str, Any]:
    """Per method: the final error over seeds, each seed's, steps to 1 % of the mean curve, and what it took.

    Only a method that is done has errors. Steps count from 0; null is never, or a number that is not finite.
    """
    methods = {lane.method: _of_method(lane, snapshot.lanes.get(lane.method)) for lane in snapshot.row.lanes}
    facts = {"id": snapshot.id, "status": snapshot.status, "config": json.loads(snapshot.row.config_json)}
    return {**facts, "methods": methods}


def _of_method(row: LaneRow, lane: LaneSnapshot | None) -> dict[str, Any]:
    done = lane is not None and lane.steps == row.total
    entry: dict[str, Any] = {
        "steps": lane.steps if lane else 0,
        "seeds_ended": len(lane.last["error"]) if lane and done else 0,
        "seconds": round(row.seconds, 3),
        "compile_seconds": round(row.compile_seconds, 3),
        "diverged": {str(seed): step for seed, step in row.diverged.items()},
    }
    if lane and done:
        error = lane.curves["error"]
        entry |= {
            "final_error_mean": _finite(error.mean[-1]),
            "final_error_standard_error": _finite(error.standard_error[-1]),
            "final_errors": [_finite(x) for x in lane.last["error"]],
            "steps_to_1_percent": first_below(error.mean, ONE_PERCENT),
        }
    return entry


def _finite(x: float | np.floating[Any]) -> float | None:
    return float(x) if np.isfinite(x) else None


@dataclass(frozen=True)
class Seed:
    """One seed of one method."""

    method: str
    seed: int
    record: Mapping[str, Values]

    @property
    def episodes(self) -> int:
        return len(next(iter(self.record.values())))
