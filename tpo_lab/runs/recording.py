"""Runs that ship with the lab, one Parquet file each as `tpo_lab.runs.export` writes them, read as any run is.

They are in no catalogue: their id says that they are recorded, and of which preset. Imports pyarrow to read.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import AnyConfig, config_from, steps_of
from tpo_lab.experiments.lanes_file import AXES
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.runs.curves import Values
from tpo_lab.runs.looks import Kept
from tpo_lab.runs.rows import RECORDED, LaneRow, RunRow
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

FOLDER = Path(__file__).parents[2] / "assets" / "recordings"
MOST_BYTES, MOST_ROWS, MOST_COLUMNS = 5 << 20, 1_000_000, 32


def recorded(config: AnyConfig) -> str:
    """The id of the recorded run of these settings; empty if there is none. No file is opened."""
    names = (path.stem for path in sorted(FOLDER.glob("*.parquet")))
    return next((RECORDED + name for name in names if name in PRESETS and PRESETS[name].config == config), "")


class Recording:
    """A recorded run, read at the first look; it has the methods of a `Reader`. Thread-safe.

    Args:
        run_id: of the run, `RECORDED` and the name of its preset.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self._lock = threading.Lock()
        self._found: tuple[RunRow, dict[str, dict[str, Values]]] | None = None
        self._summaries: dict[tuple[str, str], Summary] = {}

    def read(self, names: Iterable[str] | None = None) -> Snapshot:
        """The run with the curves of these diagnostics, or of all that were recorded.

        Raises:
            InputError: if there is no such recording, or it cannot be read.
        """
        asked = None if names is None else {"error", *names}
        row, lanes = self._open()
        found = {}
        for method, values in lanes.items():
            chosen = [name for name in values if asked is None or name in asked]
            curves = {name: self._summary(method, name, values[name]) for name in chosen}
            last = {name: values[name][-1] for name in chosen}
            found[method] = LaneSnapshot(steps_of(row.config), MappingProxyType(curves), MappingProxyType(last))
        return Snapshot(row, MappingProxyType(found))

    def values(self, method: str) -> dict[str, Values]:
        """Each diagnostic of a method, each seed for itself: (T, S) float32."""
        return self._open()[1].get(method, {})

    def seeds(self, name: str) -> dict[str, Values]:
        """One diagnostic of every method, each seed for itself: (T, S) float32."""
        return {method: values[name] for method, values in self._open()[1].items() if name in values}

    def looks(self) -> dict[str, tuple[int, ...]]:
        """Batches that are kept: none, they would be most of the file."""
        return {}

    def look(self, method: str, step: int) -> Kept | None:  # noqa: ARG002  # as a `Reader` has it
        """No batch is kept."""
        return None

    def close(self) -> None:
        """Nothing is open."""

    def _open(self) -> tuple[RunRow, dict[str, dict[str, Values]]]:
        with self._lock:
            if self._found is None:
                self._found = _read(self.run_id)
            return self._found

    def _summary(self, method: str, name: str, values: Values) -> Summary:
        if (method, name) not in self._summaries:
            self._summaries[method, name] = summarise(values)
        return self._summaries[method, name]


def _read(run_id: str) -> tuple[RunRow, dict[str, dict[str, Values]]]:
    name = run_id.removeprefix(RECORDED)
    path = FOLDER / f"{name}.parquet"
    if name not in PRESETS or not path.is_file():
        raise InputError("run", "This recorded run is not here.")
    import pyarrow as pa

    try:
        table = _table(path)
        metadata = table.schema.metadata or {}
        row = _row(run_id, name, *(metadata[b"tpo_lab." + key].decode() for key in (b"config", b"versions", b"run")))
        return row, _lanes(table, row)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, pa.ArrowException):
        # An InputError of its parts is a ValueError too; the path and the rest are no help to whoever looks.
        raise InputError("run", f"The recorded run of {name} is damaged; Run computes it here.") from None


def _table(path: Path) -> "pa.Table":
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    if path.stat().st_size > MOST_BYTES:
        raise ValueError("too large")
    with pq.ParquetFile(path) as file:
        if file.metadata.num_rows > MOST_ROWS or file.metadata.num_columns > MOST_COLUMNS:
            raise ValueError("too many rows or columns")
        return file.read(use_threads=False)


def _row(run_id: str, preset: str, config: str, versions: str, facts_json: str) -> RunRow:
    facts: dict[str, Any] = json.loads(facts_json)
    settings = config_from(facts["kind"], config)
    if settings != PRESETS[preset].config:
        raise ValueError("of other settings")
    total = steps_of(settings)
    lanes = tuple(_lane(entry, total) for entry in facts["lanes"])
    if [lane.method for lane in lanes] != list(settings.methods):
        raise ValueError("of other methods")
    made, seconds = float(facts["created"]), float(facts["seconds"])
    machine = {"cores": int(facts["host"]["cores"]), **facts["host"]}
    of_no_one: dict[str, Any] = {"owner": "", "name": "", "note": "", "pinned": False, "deleted": False, "reason": ""}
    return RunRow(
        id=run_id,
        kind=facts["kind"],
        preset=preset,
        status="done",
        wanted="run",
        created=made,
        began=made,
        ended=made + seconds,
        seconds=seconds,
        config_json=config,
        versions_json=json.dumps({str(name): str(version) for name, version in json.loads(versions).items()}),
        host_json=json.dumps(machine),
        lanes=lanes,
        **of_no_one,
    )


def _lane(entry: Mapping[str, Any], total: int) -> LaneRow:
    if entry["steps"] != total:
        raise ValueError("not done")
    diverged = {int(seed): int(step) for seed, step in entry["diverged"].items()}
    seconds = float(entry["seconds"]), float(entry["compile_seconds"])
    return LaneRow(str(entry["method"]), "done", total, total, *seconds, 0.0, diverged, "", 1)


def _lanes(table: "pa.Table", row: RunRow) -> dict[str, dict[str, Values]]:
    """By method and diagnostic, (T, S); the rows must be those of every method, seed and step, in this order."""
    steps, seeds = steps_of(row.config), row.config.seeds
    methods, names = row.config.methods, [name for name in table.column_names if name not in AXES]
    # Through DLPack: pyarrow's own way to NumPy imports pandas first, which takes longer than all the rest.
    coded = table["method"].combine_chunks().dictionary_encode()
    order = np.indices((len(methods), seeds, steps)).reshape(3, -1)
    rows = map(np.from_dlpack, (coded.indices, *(table[axis].combine_chunks() for axis in ("seed", "step"))))
    if coded.dictionary.to_pylist() != list(methods) or not all(map(np.array_equal, rows, order)):
        raise ValueError("other rows")
    lanes: dict[str, dict[str, Values]] = {method: {} for method in methods}
    for name in names:
        if str(table.schema.field(name).type) != "float":  # of 32 bits
            raise TypeError(name)
        values = np.asarray(np.from_dlpack(table[name].combine_chunks()), np.float32).reshape(
            len(methods), seeds, steps
        )
        for method, found in zip(methods, values, strict=True):
            lanes[method][name] = found.T
    if "error" not in names:
        raise ValueError("no error")
    return lanes
