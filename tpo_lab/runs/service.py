"""The one place of a process that starts, follows and controls runs; it belongs to the process, not to a page or a tab.

The process owns the runs that it starts: its workers compute them and write to the store, and when it ends, the runs
that have not are interrupted; any process can resume those. What other processes ask of its runs it reads in the
catalogue. Thread-safe.
"""

import atexit
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import KINDS, AnyConfig
from tpo_lab.runs import estimate, jobs, log
from tpo_lab.runs.ahead import Ahead
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.crew import Crew, Event, cores
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.home import data_folder
from tpo_lab.runs.jobs import LaneJob, RunJob
from tpo_lab.runs.ledger import Ledger
from tpo_lab.runs.owner import Owner
from tpo_lab.runs.process import COMMAND, Worker, end
from tpo_lab.runs.protocol import Message
from tpo_lab.runs.reader import Readers
from tpo_lab.runs.rows import RunRow, Wanted
from tpo_lab.runs.snapshot import Snapshot

TICK = 0.1  # seconds between two looks at what other processes want
WARM = 4  # workers that are ready before anybody asks, where there are as many cores
KEPT = 24 * 3600.0  # seconds that a deleted run can be brought back


class RunService:
    """Start, follow and control runs.

    Args:
        folder: the data folder.
        workers: how many at most; None: as many as cores.
        warm: how many to start at once, and to have the live presets compiled for ahead of time.
        command: what starts a worker, without the folder.

    Attributes:
        catalogue: the list of all runs, those of other processes too.
        readers: the curves.

    Raises (every method): StoreError, if the store cannot be read or written; those that take the id of a run:
    InputError, if there is no such run (any more).
    """

    def __init__(
        self, folder: Path, workers: int | None = None, warm: int = 0, command: tuple[str, ...] = COMMAND
    ) -> None:
        self.folder = folder
        self.catalogue = Catalogue(folder)
        self.readers = Readers(self.catalogue)
        self._owner: Owner | None = None
        self._lock, self._closed = threading.RLock(), threading.Event()
        self._jobs: dict[str, RunJob] = {}  # that have not ended, in line
        self._ledger = Ledger(self.catalogue)
        self._seen = -1  # version of the catalogue
        size = workers or cores()
        self._warm = min(warm, size)
        make_worker = partial(Worker, (*command, str(folder)), self._hear, self._bury)
        self._crew = Crew(size, make_worker, self._report)
        self._ahead = Ahead(self._warm, folder, self._hear, self._bury)
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        with suppress(StoreError):  # what is there can be read; whoever starts a run is told
            self.own()

    def own(self) -> str:
        """The name of this process as an owner of runs; its workers start with it. Fails if nothing can be written."""
        with self._lock:
            if self._owner is None:
                self._owner = Owner(self.folder)
                self.readers.close()  # what was opened while nothing could be written sees no change
                self.catalogue.close()
                log.start(self.folder)
                self._crew.start(self._warm)
                self._watcher.start()
            return self._owner.id

    def start(self, config: AnyConfig, preset: str = "", name: str = "") -> str:
        """Put a run in line and return its id at once.

        Raises:
            InputError: if it would need more memory than there is.
        """
        estimate.check(config, self._crew.size, len(self._crew.members))
        with self._lock:
            run_id = self.catalogue.add(config, preset, name, self.own())
            self._enter(self.catalogue.get(run_id))
            return run_id

    def duplicate(self, run_id: str, **changes: Any) -> str:
        """Start a run with the settings of another, but for the changes, which may be refused; returns its id."""
        row = self.catalogue.get(run_id)
        config = KINDS[row.kind].from_mapping({**vars(row.config), **changes})
        return self.start(config, "" if changes else row.preset)

    def get(self, run_id: str, names: Iterable[str] | None = None) -> Snapshot:
        """A run with the curves of some diagnostics as they are now; None: of all."""
        return self.readers.get(run_id).read(names)

    def list(self) -> tuple[RunRow, ...]:
        """Every run, the newest first."""
        return self.catalogue.list()

    def stop(self, run_id: str) -> None:
        """End a run and keep what it has, within a second."""
        self._want(run_id, "stop")

    def pause(self, run_id: str) -> None:
        """Have a run give way to others until it is resumed."""
        self._want(run_id, "pause")

    def resume(self, run_id: str) -> None:
        """Go on with a run from its last checkpoints: one that was paused, stopped or interrupted, or that has failed.

        Raises:
            InputError: if it is done, or would need more memory than there is.
        """
        with self._lock:
            if run_id in self._jobs or self.catalogue.want(run_id, "run"):
                self._want(run_id, "run")
                return
            estimate.check(self.catalogue.get(run_id).config, self._crew.size, len(self._crew.members))
            if self.catalogue.claim(run_id, self.own()):
                self._enter(self.catalogue.get(run_id))
            elif self.catalogue.get(run_id).status == "done":
                raise InputError("run", "This run is done; a copy with other settings can be started.")

    def delete(self, run_id: str) -> None:
        """Take a run off the list, and end it; it can be brought back for a day."""
        self.catalogue.delete(run_id)
        with self._lock:
            if run_id in self._jobs:
                self._apply(self._jobs[run_id], "stop")

    def undelete(self, run_id: str) -> None:
        """Bring back a run that was deleted."""
        self.catalogue.undelete(run_id)

    def position(self, run_id: str) -> int | None:
        """How many runs of this process are computed before this one begins; None if it does not wait."""
        with self._lock:
            return jobs.position(self._jobs.values(), run_id)

    def seconds_left(self, run_id: str) -> float | None:
        """Until a run of this process is done, those before it included; None while that is not known."""
        with self._lock:
            return jobs.seconds_left(self._jobs.values(), run_id, self._crew.size)

    def trouble(self, run_id: str) -> str:
        """Why the catalogue could not be told that a run of this process has ended; empty while there is no trouble."""
        with self._lock:
            return "" if run_id in self._jobs else self._ledger.trouble

    def computing(self) -> RunRow | None:
        """The run of this process that is computed now, the first of them."""
        with self._lock:
            running = next((job.id for job in self._jobs.values() if job.status == "running"), None)
        return self.catalogue.get(running) if running else None

    def close(self) -> None:
        """End the workers, after a last checkpoint; runs that have not ended are interrupted."""
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            self._ahead.give_way()
            workers = self._crew.close()
            self._ledger.write()
        end(workers)
        if self._owner:
            self._watcher.join(5.0)
            self._owner.release()
        self.readers.close()
        self.catalogue.close()
        log.stop()

    def _enter(self, row: RunRow) -> None:
        self._jobs[row.id] = RunJob.of(row)
        log.event("queued", row.id, kind=row.kind)
        self._crew.forgive()
        self._deal()

    def _want(self, run_id: str, wanted: Wanted) -> None:
        with self._lock:
            try:
                if run_id in self._jobs:
                    self._apply(self._jobs[run_id], wanted)
            finally:
                self.catalogue.want(run_id, wanted)

    def _apply(self, job: RunJob, wanted: Wanted) -> None:
        """See to what somebody wants of a run."""
        job.wanted = job.asked = wanted
        if wanted == "run" and job.status == "paused":
            job.queue_again()
            self._ledger.note(job)
        if wanted != "run":
            for lane in job.lanes:
                self._crew.expel(lane, force=wanted == "stop")
        self._settle(job)
        self._deal()

    def _settle(self, job: RunJob) -> None:
        """See whether a run has ended, or is paused."""
        if not job.settle():
            return
        log.event(job.status, job.id, reason=job.reason, seconds=f"{job.seconds:.1f}")
        self._ledger.note(job, *job.lanes)
        self._ledger.write()
        if job.status != "paused":
            del self._jobs[job.id]
            self._ledger.forget(job)

    def _deal(self) -> None:
        """Have the workers compute what waits."""
        if self._closed.is_set():
            return
        self._crew.start(self._warm)
        self._crew.deal(self._jobs.values())
        if self._crew.trouble and not self._crew.members:
            for job in [*self._jobs.values()]:
                for lane in job.waiting():
                    lane.state, lane.reason = "failed", f"No worker could be started. {self._crew.trouble}"
                self._settle(job)
        self._crew.fetch(self._ahead.to_fetch)
        self._ledger.write()

    def _report(self, lane: LaneJob, event: Event) -> None:
        """Something has happened to a lane; the lock is held."""
        if event == "dealt":
            self._ahead.give_way()
        new = event in ("on", "at") and lane.run.begin()
        if new or event != "on":
            self._ledger.note(lane, lane.run)
        if new:
            self._ledger.write()
        if event in ("done", "failed", "left"):
            log.event(event, lane.run.id, lane.method, step=lane.steps, reason=lane.reason)
            self._settle(lane.run)

    def _hear(self, worker: Worker, message: Message) -> None:
        with self._lock:
            self._crew.hear(worker, message)
            self._ahead.hear(worker, message)
            if message["is"] not in ("on", "at"):
                self._deal()

    def _bury(self, worker: Worker, reason: str) -> None:
        with self._lock:
            self._crew.bury(worker, reason)
            self._ahead.bury(worker)
            self._deal()

    def _watch(self) -> None:
        """Several times a second: what other processes want, workers that must be ended, and what is to be written."""
        with suppress(StoreError):
            self.catalogue.purge(KEPT)
        while not self._closed.wait(TICK):
            with suppress(StoreError), self._lock:
                self._crew.tick()
                self._deal()
                if not self._crew.busy:
                    self._ahead.go_on()
                version = self.catalogue.version()
                if version != self._seen:
                    self._seen = version
                    self._obey()
            self._ledger.tidy()

    def _obey(self) -> None:
        for run_id, wanted in self.catalogue.wanted(self.own()).items():
            if (job := self._jobs.get(run_id)) and wanted != job.asked:
                self._apply(job, wanted)


_service: RunService | None = None
_service_lock = threading.Lock()


def service() -> RunService:
    """The service of this process. The first call starts its workers.

    Raises:
        InputError: if the data folder cannot be used.
    """
    global _service
    with _service_lock:
        if _service is None:
            _service = RunService(data_folder(), warm=WARM)
            atexit.register(_service.close)
        return _service
