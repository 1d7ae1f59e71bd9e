"""A run as files: its curves as CSV or Parquet, its configuration as JSON. Imports pyarrow only to write Parquet."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tpo_lab.errors import InputError
from tpo_lab.experiments import lanes_file
from tpo_lab.experiments.summaries import Summary
from tpo_lab.runs.curves import Values
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.reader import Reader
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.snapshot import Snapshot


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


def parquet(reader: Reader, path: Path) -> None:
    """Every seed: one row per (method, seed, step), see `tpo_lab.experiments.lanes_file`.

    Raises:
        InputError: if the run cannot be read or the file not written.
    """
    snapshot = reader.read()
    row = snapshot.row
    if snapshot.broken:
        raise StoreError("store", snapshot.broken)
    if not snapshot.lanes:
        raise InputError("run", "This run has no step to export yet.")
    seeds = [
        _Seed(lane.method, seed, {name: values[:, seed] for name, values in curves.items()})
        for lane in row.lanes
        if (curves := reader.values(lane.method))
        for seed in range(row.config.seeds)
    ]
    lanes_file.write(path, row.config, seeds, row.versions)


def configuration_json(row: RunRow) -> str:
    """What was run, with what, on what: kind, configuration, versions and machine."""
    facts = {"kind": row.kind, "preset": row.preset, "config": json.loads(row.config_json)}
    return json.dumps({**facts, "versions": dict(row.versions), "host": dict(row.host)}, indent=2)


@dataclass(frozen=True)
class _Seed:
    """One seed of one method."""

    method: str
    seed: int
    record: Mapping[str, Values]

    @property
    def episodes(self) -> int:
        return len(next(iter(self.record.values())))
