"""The lanes that a worker computes side by side: it always advances the one that is least far, and writes to the store.

Importing this loads JAX: only workers do.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.experiments.kinds import config_from
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.lane import Lane, Values
from tpo_lab.runs.protocol import Message
from tpo_lab.runs.shortage import of_memory

# A checkpoint is worth 50 times its cost: that is 2 % of the time. In less than a second there is little to lose.
WORTH, LEAST = 50, 1.0
TELL = 0.4  # seconds between two messages on how far a lane is

Key = tuple[str, str]  # run, lane


class Seat:
    """One lane at work, and its place in the store.

    Raises:
        InputError: if the lane cannot be computed, or the store cannot be used.
    """

    def __init__(self, folder: Path, key: Key, kind: str, config: str) -> None:
        self.key = key
        self.lane: Lane | None = None
        self._folder, self._kind, self._config = folder, kind, config
        self._file: RunFile | None = None
        self._kept_steps, self._kept_seconds, self._kept_at, self._cost = 0, 0.0, 0.0, 0.0
        self.compile_seconds, self.told = 0.0, 0.0

    @property
    def share(self) -> float:
        """How far it is; what has not begun is least far."""
        return self.lane.share if self.lane else -1.0

    def begin(self) -> Lane:
        """Compile, and go to where the store says that the lane is."""
        began = time.perf_counter()
        run_id, method = self.key
        config = config_from(self._kind, self._config)
        lane = Lane(config, method)
        self._file = RunFile.create(self._folder, run_id, lane.diagnostics, config.seeds)
        steps, checkpoint = self._file.take(method)
        if checkpoint is not None:
            lane = Lane(config, method, checkpoint)
        lane.prepare()
        if lane.steps != steps:
            raise InputError("run", f"The checkpoint of {method} is of step {lane.steps}, not {steps}.")
        self.compile_seconds = time.perf_counter() - began
        self._kept_steps, self._kept_seconds, self._kept_at = steps, lane.seconds, time.monotonic()
        self.lane = lane
        return lane

    def keep(self, values: Values) -> None:
        """Write the values of the latest steps, and with them a checkpoint if it is time for one."""
        assert self.lane
        assert self._file
        spent = self.lane.seconds - self._kept_seconds
        due = spent >= WORTH * self._cost and time.monotonic() - self._kept_at >= LEAST
        first = self.lane.steps - len(values)
        if not due and self.lane.steps < self.lane.total:
            self._file.append(self.lane.method, first, values, look=self.lane.look)
            return
        began = time.perf_counter()
        self._file.append(self.lane.method, first, values, self.lane.to_bytes(), self.lane.look)
        took = time.perf_counter() - began  # now and then much longer, when SQLite copies its log into the file
        self._cost = (self._cost + took) / 2 if self._cost else took
        self._kept_steps, self._kept_seconds, self._kept_at = self.lane.steps, self.lane.seconds, time.monotonic()

    def leave(self) -> None:
        """Write a checkpoint, unless there is one of this step, and close the file."""
        if self._file:
            if self.lane and self.lane.steps > self._kept_steps:
                nothing = np.empty((0, len(self.lane.diagnostics), self.lane.config.seeds), np.float32)
                self._file.append(self.lane.method, self.lane.steps, nothing, self.lane.to_bytes())
            self._file.close()


class Seats:
    """All lanes of a worker.

    Args:
        folder: the data folder.
        emit: sends a message to the service.
        halts: whether no more of a lane is to be computed.
    """

    def __init__(self, folder: Path, emit: Callable[[Message], None], halts: Callable[[Key], bool]) -> None:
        self._folder, self._emit, self._halts = folder, emit, halts
        self._seats: dict[Key, Seat] = {}

    def __len__(self) -> int:
        return len(self._seats)

    def take(self, key: Key, kind: str, config: str) -> None:
        """Begin with a lane, or go on with it from its last checkpoint, when its turn comes."""
        self._seats[key] = Seat(self._folder, key, kind, config)

    def leave(self, key: Key) -> None:
        """Write a checkpoint of a lane and forget it."""
        if seat := self._seats.get(key):
            self._end(seat, "left")

    def advance(self) -> None:
        """Compute a chunk of the lane that is least far; one that fails is gone, the others go on."""
        open_seats = [seat for seat in self._seats.values() if not self._halts(seat.key)]
        if not open_seats:
            return
        seat = min(open_seats, key=lambda seat: seat.share)
        try:
            self._say(seat, "on")
            lane = seat.lane or seat.begin()
            if lane.steps < lane.total:
                values = lane.advance(lambda: self._halts(seat.key))
                if values is None:
                    return
                seat.keep(values)
            if lane.steps == lane.total:
                self._tell(seat, lane)
                self._end(seat, "done")
            elif time.monotonic() - seat.told >= TELL:
                self._tell(seat, lane)
        except Exception as error:  # said on the page; the worker goes on with the other lanes
            self._end(seat, "failed", _sentence(error))

    def close(self) -> None:
        """Write a checkpoint of every lane."""
        for seat in self._seats.values():
            with suppress(Exception):
                seat.leave()

    def _tell(self, seat: Seat, lane: Lane) -> None:
        seat.told = time.monotonic()
        self._say(
            seat,
            "at",
            steps=lane.steps,
            seconds=lane.seconds,
            compile_seconds=seat.compile_seconds,
            rate=lane.rate,
            diverged=sorted(lane.diverged.items()),
        )

    def _end(self, seat: Seat, how: str, reason: str = "") -> None:
        del self._seats[seat.key]
        try:
            if how != "failed":
                seat.leave()
        except Exception as error:
            how, reason = "failed", _sentence(error)
        self._say(seat, how, **({"reason": reason} if reason else {}))

    def _say(self, seat: Seat, what: str, **facts: object) -> None:
        self._emit({"is": what, "id": seat.key[0], "lane": seat.key[1], **facts})


def _sentence(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error)
    return of_memory(f"{type(error).__name__} {error}") or f"{type(error).__name__}: {error}"
