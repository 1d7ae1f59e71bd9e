"""The one place that starts, follows and stops runs; it belongs to the process, not to a page or a browser tab.

Thread-safe. Runs are computed one after the other by one warm worker process; its death fails the run that it was
computing and nothing else.
"""

import atexit
import secrets
import threading
from collections.abc import Callable
from dataclasses import asdict

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.process import Worker
from tpo_lab.runs.protocol import Message
from tpo_lab.runs.record import Record, Snapshot

KEPT = 50  # finished runs
PATIENCE = 0.6  # seconds that a worker has to stop a run by itself; a compilation cannot be asked
ATTEMPTS = 3  # starts in a row of a worker that ends before it is ready

MakeWorker = Callable[[Callable[[Worker, Message], None], Callable[[Worker, str], None]], Worker]


class RunService:
    """Start, get, stop and list runs.

    Args:
        make_worker: starts a worker process with the two callbacks of `Worker`.
    """

    def __init__(self, make_worker: MakeWorker = Worker) -> None:
        self._lock = threading.RLock()
        self._make_worker = make_worker
        self._records: dict[str, Record] = {}
        self._queue: list[str] = []
        self._busy: str | None = None  # the run that the worker computes, also after it was told to stop
        self._failures = 0
        self._closed = False
        self._worker: Worker | None = self._make_worker(self._hear, self._bury)

    def start(self, config: BanditConfig) -> str:
        """Queue a run and return its id at once."""
        with self._lock:
            record = Record(secrets.token_urlsafe(6), config)
            self._records[record.id] = record
            self._queue.append(record.id)
            self._forget_old()
            if self._worker is None and not self._closed:
                self._failures = 0
                self._worker = self._make_worker(self._hear, self._bury)
            self._next()
            return record.id

    def get(self, run_id: str) -> Snapshot:
        """The run as it is now.

        Raises:
            InputError: if there is no such run (any more).
        """
        with self._lock:
            return self._record(run_id).snapshot()

    def list(self) -> tuple[Snapshot, ...]:
        """Every run that is kept, the newest first."""
        with self._lock:
            return tuple(record.snapshot() for record in reversed(self._records.values()))

    def computing(self) -> Snapshot | None:
        """The run that the worker computes now; a run that was stopped is not."""
        return next((run for run in self.list() if run.status == "running"), None)

    def stop(self, run_id: str) -> None:
        """End a run and keep what it has; the worker is free within a second, by force if need be.

        Raises:
            InputError: if there is no such run (any more).
        """
        with self._lock:
            record = self._record(run_id)
            record.end("stopped")
            if run_id in self._queue:
                self._queue.remove(run_id)
            if self._busy == run_id and self._worker:
                self._worker.send({"do": "stop", "id": run_id})
                timer = threading.Timer(PATIENCE, self._replace, (self._worker, run_id))
                timer.daemon = True
                timer.start()

    def close(self) -> None:
        """End the worker; nothing can be started afterwards."""
        with self._lock:
            self._closed, worker, self._worker = True, self._worker, None
        if worker:
            worker.kill()

    def _record(self, run_id: str) -> Record:
        if run_id not in self._records:
            raise InputError("run", "This run is not here any more: the lab keeps the latest runs until it is closed.")
        return self._records[run_id]

    def _next(self) -> None:
        """Give the worker the next run, if it has none."""
        if self._busy is None and self._queue and self._worker:
            self._busy = self._queue.pop(0)
            record = self._records[self._busy]
            self._worker.send({"do": "run", "id": record.id, "config": asdict(record.config)})

    def _hear(self, worker: Worker, message: Message) -> None:
        with self._lock:
            if worker is not self._worker:
                return
            if message["is"] == "ready":
                self._failures = 0
                return
            record = self._records[message["id"]]
            if message["is"] == "began":
                record.begin()
                return
            if message["is"] == "chunk":
                record.add(message["lane"], message["values"])
                return
            record.end(message["is"], message.get("reason", ""))
            self._busy = None
            self._next()

    def _bury(self, worker: Worker, reason: str) -> None:
        """A worker has ended: its run has failed, the others go on with a new one."""
        with self._lock:
            if worker is not self._worker:
                return
            if self._busy:
                self._records[self._busy].end("failed", reason)
            self._busy = None
            self._failures += 1
            if self._failures < ATTEMPTS:
                self._worker = self._make_worker(self._hear, self._bury)
                self._next()
                return
            self._worker = None
            while self._queue:
                self._records[self._queue.pop(0)].end("failed", f"No worker could be started. {reason}")

    def _replace(self, worker: Worker, run_id: str) -> None:
        with self._lock:
            if self._busy != run_id or worker is not self._worker:
                return
            self._busy = None
            self._worker = self._make_worker(self._hear, self._bury)
            self._next()
        worker.kill()

    def _forget_old(self) -> None:
        finished = [record.id for record in self._records.values() if record.snapshot().finished]
        for run_id in finished[: max(0, len(finished) - KEPT)]:
            if run_id != self._busy:
                del self._records[run_id]


_service: RunService | None = None
_service_lock = threading.Lock()


def service() -> RunService:
    """The service of this process. The first call starts its worker, and the paper's run as something to show."""
    global _service
    with _service_lock:
        if _service is None:
            _service = RunService()
            atexit.register(_service.close)
            _service.start(BanditConfig())
        return _service
