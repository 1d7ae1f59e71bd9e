"""The runs that a service computes, in memory: which lane waits, where the others are, what is wanted."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.runs.rows import RunRow, Status, Wanted

if TYPE_CHECKING:
    from tpo_lab.runs.crew import Member

State = Literal["waiting", "dealt", "leaving", "done", "failed"]


@dataclass(eq=False)
class LaneJob:
    """One lane.

    Attributes:
        state: "leaving" once its worker was told to leave it.
        member: the worker that has it, if it is dealt or leaving.
        deaths: of workers that were computing it.
        rate: steps per second of its own time lately; 0: not known.
    """

    run: "RunJob"
    method: str
    total: int
    steps: int = 0
    seconds: float = 0.0
    compile_seconds: float = 0.0
    rate: float = 0.0
    diverged: dict[int, int] = field(default_factory=dict)
    state: State = "waiting"
    member: "Member | None" = None
    deaths: int = 0
    attempts: int = 0
    reason: str = ""

    @property
    def busy(self) -> bool:
        """Whether a worker has it."""
        return self.state in ("dealt", "leaving")

    @property
    def over(self) -> bool:
        """Whether nothing more can come of it."""
        return self.state in ("done", "failed")

    def seconds_left(self) -> float | None:
        """Of its own time; None while that is not known."""
        if self.over:
            return 0.0
        return (self.total - self.steps) / self.rate if self.rate else None


@dataclass(eq=False)
class RunJob:
    """One run.

    Attributes:
        wanted: what somebody wants of it; asked: what the catalogue said of that last.
        status: as the catalogue has it, or will have it.
    """

    id: str
    config: AnyConfig
    lanes: list[LaneJob] = field(default_factory=list)
    wanted: Wanted = "run"
    asked: Wanted = "run"
    status: Status = "queued"
    reason: str = ""
    _seconds: float = 0.0
    _since: float | None = None

    @classmethod
    def of(cls, row: RunRow) -> "RunJob":
        """The job of a run in the catalogue; lanes that are done stay done, failed ones are tried again."""
        job = cls(row.id, row.config, _seconds=row.seconds)
        for lane in row.lanes:
            state: State = "done" if lane.status == "done" else "waiting"
            again = LaneJob(job, lane.method, lane.total, lane.steps, lane.seconds, state=state, attempts=lane.attempts)
            again.compile_seconds, again.diverged = lane.compile_seconds, dict(lane.diverged)
            job.lanes.append(again)
        return job

    @property
    def kind(self) -> str:
        """The kind of its configuration."""
        return kind_of(self.config)

    @property
    def seconds(self) -> float:
        """How long it has been computing, by a clock that nobody sets."""
        return self._seconds + (time.monotonic() - self._since if self._since is not None else 0.0)

    def waiting(self) -> list[LaneJob]:
        """The lanes that a worker may take."""
        return [lane for lane in self.lanes if lane.state == "waiting"] if self.wanted == "run" else []

    def lane(self, method: str) -> LaneJob:
        """The lane of a method."""
        return next(lane for lane in self.lanes if lane.method == method)

    def settle(self) -> bool:
        """Bring the status up to date with its lanes; returns whether it has changed."""
        before = self.status
        if all(lane.over for lane in self.lanes):
            failed = [lane for lane in self.lanes if lane.state == "failed"]
            self.status = "failed" if failed else "done"
            self.reason = " ".join(f"{lane.method}: {lane.reason}" for lane in failed)
        elif any(lane.busy for lane in self.lanes):
            return False
        elif self.wanted != "run":
            self.status = "stopped" if self.wanted == "stop" else "paused"
        if self.status != before:
            self._stop_the_clock()
        return self.status != before

    def begin(self) -> bool:
        """A worker has begun to compute it; returns whether that is new."""
        if self.status == "running":
            return False
        self.status, self._since = "running", time.monotonic()
        return True

    def queue_again(self) -> None:
        """A run that was paused, or had ended, is in line again."""
        self._stop_the_clock()
        self.wanted, self.status, self.reason = "run", "queued", ""

    def _stop_the_clock(self) -> None:
        self._seconds, self._since = self.seconds, None


def position(line: Iterable[RunJob], run_id: str) -> int | None:
    """How many runs are computed before this one begins; None if it does not wait."""
    line = list(line)
    waiting = [job.id for job in line if job.status == "queued" and job.wanted == "run"]
    going = any(job.status == "running" for job in line)
    return waiting.index(run_id) + going if run_id in waiting else None


def seconds_left(line: Iterable[RunJob], run_id: str, workers: int) -> float | None:
    """Until a run is done, those before it in line included; None while that is not known."""
    times: list[float | None] = []
    for job in line:
        times += [lane.seconds_left() for lane in job.lanes] if job.wanted == "run" else []
        if job.id == run_id:
            known = [seconds for seconds in times if seconds is not None]
            return max(sum(known) / workers, max(known, default=0.0)) if len(known) == len(times) else None
    return None
