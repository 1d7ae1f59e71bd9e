"""What has happened to the runs of a service, written to the catalogue, at once or as soon as that is possible."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from tpo_lab.runs import log
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.jobs import LaneJob, RunJob
from tpo_lab.runs.rows import Status


class Ledger:
    """Keeps the rows of some runs up to date. Not thread-safe: the service holds its lock around every call.

    Attributes:
        trouble: why the latest write failed, in one sentence; empty if it did not.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._noted: dict[RunJob | LaneJob, None] = {}
        self._written: dict[LaneJob, dict[str, Any]] = {}
        self._done: list[str] = []
        self.trouble = ""

    def note(self, *jobs: RunJob | LaneJob) -> None:
        """Something about a run or a lane has changed; it is written with the next `write`."""
        self._noted |= dict.fromkeys(jobs)

    def write(self) -> None:
        """Write what was noted; where that fails it is kept for the next time."""
        try:
            for job in [*self._noted]:
                if isinstance(job, RunJob):
                    self._catalogue.set_run(job.id, job.status, job.reason, job.seconds)
                else:
                    self._write_lane(job)
                del self._noted[job]
            self.trouble = ""
        except StoreError as error:
            if str(error) != self.trouble:
                log.event("not written", reason=str(error))
            self.trouble = str(error)

    def forget(self, run: RunJob) -> None:
        """The run has ended; what was noted of it is still written."""
        for lane in run.lanes:
            self._written.pop(lane, None)
        if run.status == "done":
            self._done.append(run.id)

    def tidy(self) -> None:
        """Give back the space of the checkpoints of runs that are done. Needs no lock, and may take a while."""
        while self._done:
            with suppress(StoreError):
                _compact(self._catalogue.folder, self._done.pop())

    def _write_lane(self, lane: LaneJob) -> None:
        columns = {
            "status": _status(lane),
            "steps": lane.steps,
            "seconds": lane.seconds,
            "compile_seconds": lane.compile_seconds,
            "rate": lane.rate,
            "diverged": dict(lane.diverged),
            "reason": lane.reason,
            "attempts": lane.attempts,
        }
        before = self._written.get(lane, {})
        if changes := {name: value for name, value in columns.items() if name not in before or before[name] != value}:
            self._catalogue.set_lane(lane.run.id, lane.method, **changes)
            self._written[lane] = columns


def _status(lane: LaneJob) -> Status:
    if lane.state in ("done", "failed"):
        return lane.state
    if lane.busy:
        return "running"
    return "queued" if lane.run.status == "running" else lane.run.status


def _compact(folder: Path, run_id: str) -> None:
    found = RunFile.open(folder, run_id)
    if found:
        with found, RunFile.create(folder, run_id, found.diagnostics, found.seeds) as file:
            file.compact()
