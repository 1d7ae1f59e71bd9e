"""Runs as they are now, at the price of what is new and asked for: a page may ask several times a second."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from types import MappingProxyType

from tpo_lab.errors import InputError
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.course import Course
from tpo_lab.runs.curves import RunFile, Values, path_of
from tpo_lab.runs.database import StoreError, damaged
from tpo_lab.runs.looks import Kept
from tpo_lab.runs.recording import Recording
from tpo_lab.runs.rows import RECORDED, RunRow
from tpo_lab.runs.seeds import Seeds
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot, Source


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
        self._version = -1
        self._seeds: dict[str, Seeds] = {}
        self._courses: dict[str, Course] = {}  # every diagnostic; one that nobody asks for stays behind
        self._looks: dict[frozenset[str] | None, Snapshot] = {}  # as the run is now, by what was asked for

    def read(self, names: Iterable[str] | None = None) -> Snapshot:
        """The run now; the same object as before if nothing has changed.

        Curves that cannot be read are named in `broken`; what was read before stays.

        Args:
            names: of the diagnostics whose curves are looked at; None: all. One that a run does not have is left out.

        Raises:
            InputError: if there is no such run (any more).
            StoreError: if the catalogue cannot be read.
        """
        asked = None if names is None else frozenset(names)
        with self._lock:
            row = self._row()
            try:
                changed, broken = self._advance(row, asked), ""
            except StoreError as error:
                row = self._row()  # again: it may just have been purged
                changed, broken = False, "" if row.deleted else f"The curves of this run cannot be read. {error}"
            if changed or any((look.row, look.broken) != (row, broken) for look in self._looks.values()):
                self._looks.clear()
            if asked not in self._looks:
                self._looks[asked] = Snapshot(row, MappingProxyType(self._lanes(row, asked)), broken)
            return self._looks[asked]

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

    def seeds(self, name: str) -> dict[str, Values]:
        """One diagnostic of every method, each seed for itself: (T, S) float32. Only what is new is read.

        Raises:
            StoreError: if it cannot be read.
        """
        with self._lock:
            file = self._open()
            if file is None or name not in file.diagnostics:
                return {}
            if name not in self._seeds:
                self._seeds[name] = Seeds(file.diagnostics.index(name))
            return self._seeds[name].read(file)

    def looks(self) -> dict[str, tuple[int, ...]]:
        """The steps of each method whose batches are kept.

        Raises:
            StoreError: if they cannot be read.
        """
        with self._lock:
            file = self._open()
            return file.looks() if file else {}

    def look(self, method: str, step: int) -> Kept | None:
        """The batch of a step; None if it is not kept. It is read from the file each time.

        Raises:
            StoreError: if it cannot be read.
        """
        with self._lock:
            file = self._open()
            return file.look(method, step) if file else None

    def close(self) -> None:
        """Close the file; the next read opens it again."""
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

    def _asked(self, asked: frozenset[str] | None) -> dict[str, Course]:
        """What is to be read: what was asked for, and always the first one, which counts the steps."""
        return {
            name: course
            for d, (name, course) in enumerate(self._courses.items())
            if d == 0 or asked is None or name in asked
        }

    def _lanes(self, row: RunRow, asked: frozenset[str] | None) -> dict[str, LaneSnapshot]:
        """Every lane that has a step."""
        courses, lanes = self._asked(asked), {}
        for method in (lane.method for lane in row.lanes):
            there = {name: course for name, course in courses.items() if course.steps(method)}
            if there:
                curves = {name: course.summary(method) for name, course in there.items()}
                last = {name: course.last(method) for name, course in there.items()}
                steps = next(iter(there.values())).steps(method)
                lanes[method] = LaneSnapshot(steps, MappingProxyType(curves), MappingProxyType(last))
        return lanes

    def _advance(self, row: RunRow, asked: frozenset[str] | None) -> bool:
        """Read what is new in what is asked for; returns whether there are new steps."""
        file = self._open()
        if file is None:
            if any(lane.steps for lane in row.lanes):
                raise StoreError("store", f"{path_of(self._catalogue.folder, row.id)} is missing or empty.")
            return False
        if not self._courses:
            self._courses = {name: Course(d) for d, name in enumerate(file.diagnostics)}
        courses = [*self._asked(asked).values()]
        counted, version = courses[0], file.version()
        if version == self._version and all(course.since == counted.since for course in courses):
            return False
        before, chunks = counted.since, file.read(min(course.since for course in courses))
        totals = {lane.method: lane.total for lane in row.lanes}
        for method in dict.fromkeys(chunk.lane for chunk in chunks):
            mine = [chunk for chunk in chunks if chunk.lane == method]
            for course in courses:
                course.put(file, method, mine, totals.get(method, 0))
        for lane in row.lanes:
            if lane.status == "done" and counted.steps(lane.method) < lane.total:
                missing = f"steps {counted.steps(lane.method)} to {lane.total - 1} of {lane.method} are missing"
                raise damaged(file.path, missing)
        for course in courses if chunks else ():
            course.since = chunks[-1].id
        self._version = version
        return counted.since != before


class Readers:
    """The runs looked at most recently, each read once for everybody who looks. Thread-safe.

    Args:
        catalogue: of the data folder.
        kept: how many stay in memory.
    """

    def __init__(self, catalogue: Catalogue, kept: int = 8) -> None:
        self._catalogue, self._kept = catalogue, kept
        self._lock = threading.Lock()
        self._readers: OrderedDict[str, Source] = OrderedDict()

    def get(self, run_id: str) -> Source:
        """The reader of a run, of the store or recorded."""
        with self._lock:
            reader = self._readers.pop(run_id, None)
            if reader is None:
                reader = Recording(run_id) if run_id.startswith(RECORDED) else Reader(self._catalogue, run_id)
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
