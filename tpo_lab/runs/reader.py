"""Runs as they are now, at the price of what is new: a page may ask several times a second."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError
from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import Chunk, RunFile, Values, path_of
from tpo_lab.runs.database import StoreError, damaged
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot

BLOCK = 32768  # values that are summed up at once: they stay in the processor's cache


class Reader:
    """One run, read on from where the last look ended. Thread-safe.

    Args:
        catalogue: of the run's data folder.
        run_id: the run.
    """

    def __init__(self, catalogue: Catalogue, run_id: str) -> None:
        self._catalogue, self.run_id = catalogue, run_id
        self._lock = threading.Lock()
        self._file: RunFile | None = None
        self._version, self._since = -1, 0
        self._lanes: dict[str, _Lane] = {}
        self._snapshot: Snapshot | None = None

    def read(self) -> Snapshot:
        """The run now; the same object as before if nothing has changed.

        Curves that cannot be read are named in `broken`; what was read before stays.

        Raises:
            InputError: if there is no such run (any more).
            StoreError: if the catalogue cannot be read.
        """
        with self._lock:
            row = self._row()
            try:
                changed, broken = self._advance(row), ""
            except StoreError as error:
                row = self._row()  # again: it may just have been purged
                changed, broken = False, "" if row.deleted else f"The curves of this run cannot be read. {error}"
            before = self._snapshot
            if before is None or changed or (before.row, before.broken) != (row, broken):
                found = {lane.method: self._lanes[lane.method] for lane in row.lanes if lane.method in self._lanes}
                lanes = {method: lane.snapshot() for method, lane in found.items()}
                self._snapshot = Snapshot(row, MappingProxyType(lanes), broken)
            assert self._snapshot
            return self._snapshot

    def values(self, method: str) -> dict[str, Values]:
        """Each diagnostic of a method, each seed for itself: (T, S) float32. They are read from the file each time.

        Raises:
            StoreError: if they cannot be read.
        """
        with self._lock:
            file = self._open()
            if file is None:
                return {}
            values = file.values(method)
            return {name: values[:, d] for d, name in enumerate(file.diagnostics)}

    def close(self) -> None:
        """Close the file; the next look opens it again."""
        with self._lock:
            self._close()

    def _row(self) -> RunRow:
        try:
            return self._catalogue.get(self.run_id)
        except InputError:
            self._close()
            raise

    def _close(self) -> None:
        if self._file:
            self._file.close()
        self._file, self._version = None, -1

    def _open(self) -> RunFile | None:
        if self._file is None:
            self._file = RunFile.open(self._catalogue.folder, self.run_id)
        return self._file

    def _advance(self, row: RunRow) -> bool:
        """Read what is new; returns whether there was anything."""
        file = self._open()
        if file is None:
            if any(lane.steps for lane in row.lanes):
                raise StoreError("store", f"{path_of(self._catalogue.folder, row.id)} is missing or empty.")
            return False
        version = file.version()
        if version == self._version:
            return False
        chunks = file.read(self._since)
        totals = {lane.method: lane.total for lane in row.lanes}
        for method in dict.fromkeys(chunk.lane for chunk in chunks):
            mine = [chunk for chunk in chunks if chunk.lane == method]
            lane = self._lanes.setdefault(method, _Lane(file.diagnostics, totals.get(method, 0)))
            for piece in _pieces(mine):
                file.check_follows(piece[0], lane.steps)
                lane.put(piece[0].first, np.concatenate([chunk.values for chunk in piece]))
        for lane_row in row.lanes:
            there = self._lanes[lane_row.method].steps if lane_row.method in self._lanes else 0
            if lane_row.status == "done" and there < lane_row.total:
                raise damaged(file.path, f"steps {there} to {lane_row.total - 1} of {lane_row.method} are missing")
        self._since = chunks[-1].id if chunks else self._since
        self._version = version
        return bool(chunks)


class Readers:
    """The runs looked at most recently, each read once for everybody who looks. Thread-safe.

    Args:
        catalogue: of the data folder.
        kept: how many stay in memory.
    """

    def __init__(self, catalogue: Catalogue, kept: int = 8) -> None:
        self._catalogue, self._kept = catalogue, kept
        self._lock = threading.Lock()
        self._readers: OrderedDict[str, Reader] = OrderedDict()

    def get(self, run_id: str) -> Reader:
        """The reader of a run."""
        with self._lock:
            reader = self._readers.pop(run_id, None) or Reader(self._catalogue, run_id)
            self._readers[run_id] = reader
            if len(self._readers) > self._kept:
                self._readers.popitem(last=False)[1].close()
        return reader

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()

    def __enter__(self) -> "Readers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Lane:
    """Statistics of a lane, one array (5, D, capacity) that is only ever filled further: older views stay true."""

    def __init__(self, diagnostics: tuple[str, ...], total: int) -> None:
        self._diagnostics, self.steps = diagnostics, 0
        self._columns: npt.NDArray[np.float64] = np.empty((len(Summary._fields), len(diagnostics), total))
        self._last: Values = np.empty((len(diagnostics), 0), np.float32)

    def snapshot(self) -> LaneSnapshot:
        """What is there now."""
        seen = self._columns[:, :, : self.steps]
        seen.flags.writeable = False
        curves = {name: Summary(*seen[:, d]) for d, name in enumerate(self._diagnostics)}
        last = dict(zip(self._diagnostics, self._last, strict=True))
        return LaneSnapshot(self.steps, MappingProxyType(curves), MappingProxyType(last))

    def put(self, first: int, values: Values) -> None:
        """Append steps, or replace all from `first` on."""
        t, d, s = values.shape
        end = first + t
        if first < self.steps or end > self._columns.shape[2]:
            room = np.empty((*self._columns.shape[:2], max(self._columns.shape[2], end)))
            room[:, :, :first] = self._columns[:, :, :first]
            self._columns = room
        length = max(1, BLOCK // (d * s))
        for at in range(0, t, length):
            block = values[at : at + length]
            for column, part in zip(self._columns, summarise(block.reshape(-1, s)), strict=True):
                column[:, first + at : first + at + len(block)] = part.reshape(-1, d).T
        self.steps, self._last = end, values[-1].copy()


def _pieces(chunks: list[Chunk]) -> Iterator[list[Chunk]]:
    """Chunks of one lane in the order of writing, cut where a later one does not follow on the one before."""
    start = 0
    for at in range(1, len(chunks) + 1):
        if at == len(chunks) or chunks[at].first != chunks[at - 1].first + len(chunks[at - 1].values):
            yield chunks[start:at]
            start = at
