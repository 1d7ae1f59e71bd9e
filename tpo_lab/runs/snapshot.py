"""A run with its curves at one moment: what pages, exports and the command line get. It never changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.summaries import Summary
from tpo_lab.runs.curves import Values
from tpo_lab.runs.looks import Kept
from tpo_lab.runs.rows import RunRow, Status


@dataclass(frozen=True)
class LaneSnapshot:
    """What one method of a run has so far.

    Attributes:
        steps: how many steps are in.
        curves: statistics over seeds at each of these steps, of the run's first diagnostic and of each that was asked
            for; read-only arrays.
        last: of the same diagnostics each seed's value at the last step, shape (S,).
    """

    steps: int
    curves: Mapping[str, Summary]
    last: Mapping[str, Values]


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment.

    Attributes:
        row: what the catalogue says of it.
        lanes: by method, in the order of the configuration; a method without a step yet has no lane.
        broken: why its curves cannot be read, in one sentence; empty otherwise.
    """

    row: RunRow
    lanes: Mapping[str, LaneSnapshot]
    broken: str = ""

    @property
    def id(self) -> str:
        """The run's id."""
        return self.row.id

    @property
    def config(self) -> AnyConfig:
        """The run's configuration.

        Raises:
            InputError: if this lab does not know one of its settings.
        """
        return self.row.config

    @property
    def status(self) -> Status:
        """How the run is."""
        return self.row.status

    @property
    def reason(self) -> str:
        """Why it failed or ended, in one sentence; empty otherwise."""
        return self.row.reason

    @property
    def seconds(self) -> float:
        """How long it has been computing."""
        return self.row.seconds

    @property
    def finished(self) -> bool:
        """Whether nothing is added any more, unless somebody resumes it."""
        return self.row.finished

    @property
    def steps(self) -> int:
        """Steps that every method has taken."""
        counts = [(self.lanes[lane.method].steps if lane.method in self.lanes else 0) for lane in self.row.lanes]
        return min(counts, default=0)


class Source(Protocol):
    """Where the curves of one run are read: its file, or a recording; see `tpo_lab.runs.reader.Reader`."""

    run_id: str

    def read(self, names: Iterable[str] | None = None) -> Snapshot: ...
    def values(self, method: str) -> dict[str, Values]: ...
    def seeds(self, name: str) -> dict[str, Values]: ...
    def looks(self) -> dict[str, tuple[int, ...]]: ...
    def look(self, method: str, step: int) -> Kept | None: ...
    def close(self) -> None: ...
