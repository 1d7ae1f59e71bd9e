"""Follow a run of this process in a terminal until it ends: progress, Ctrl-C, and what is printed and written then."""

import argparse
import json
import math
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tpo_lab.commands.results import duration, error_of, label_of, results_table
from tpo_lab.errors import InputError
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.export import parquet, summary
from tpo_lab.runs.home import VARIABLE, data_folder
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot

LOOK = 0.1  # seconds between two looks
PATIENCE = 2.0  # seconds without a step, after which it is said why
INTERRUPTED = 128 + signal.SIGINT  # what a shell shows for a process ended by Ctrl-C


@contextmanager
def serving() -> Iterator[RunService]:
    """A service of this process, ended with its workers in the end.

    Raises:
        InputError: if the store cannot be written.
    """
    with advising():
        service = RunService(data_folder())
    try:
        yield service
    finally:
        service.close()


@contextmanager
def advising() -> Iterator[None]:
    """Within, a store that cannot be used is named with what can be done about it.

    Raises:
        InputError: instead of a StoreError.
    """
    try:
        yield
    except StoreError as error:
        raise InputError("home", f"{error} Set {VARIABLE} to a folder that you can write.") from error


def follow(service: RunService, run_id: str, args: argparse.Namespace) -> int:
    """Show how a run gets on until it ends, then what came of it; returns the exit code.

    Raises:
        InputError: if the run has been removed, the store cannot be used any more, or the file cannot be written.
    """
    try:
        with _ctrl_c() as pressed:
            snapshot = _watched(service, run_id, pressed)
    except KeyboardInterrupt:
        say(f"\nLeft at once; `tpo-lab runs resume {run_id}` goes on from what was kept last.")
        raise
    except StoreError as error:
        again = f"Once it can be written, `tpo-lab runs resume {run_id}` goes on with the run."
        raise StoreError(error.field, f"{error} {again}") from error
    _say_how_it_ended(snapshot, by_hand=bool(pressed))
    try:
        if args.out is not None and snapshot.lanes:
            parquet(service.readers.get(run_id), args.out)
    except InputError as error:
        again = f"The run is kept: `tpo-lab runs export {run_id} FILE` writes it."
        raise InputError(error.field, f"{error} {again}") from error
    finally:
        print(json.dumps(summary(snapshot)) if args.json else results_table(snapshot), flush=True)
    if snapshot.status == "stopped" and pressed:
        return INTERRUPTED
    return 0 if snapshot.status == "done" else 1


def _watched(service: RunService, run_id: str, pressed: list[int]) -> Snapshot:
    progress, stopping = _Progress(), False
    while True:
        snapshot = service.get(run_id, ("error",))
        progress.show(snapshot, service.seconds_left(run_id))
        if snapshot.finished:
            progress.end()
            return snapshot
        if trouble := service.trouble(run_id):
            progress.end()
            raise StoreError("store", trouble)
        if pressed and not stopping:
            service.stop(run_id)
            stopping = True
        time.sleep(LOOK)


def _say_how_it_ended(snapshot: Snapshot, by_hand: bool) -> None:
    row = snapshot.row
    total = max(lane.total for lane in row.lanes)
    if row.status == "stopped":
        who = "Stopped" if by_hand else "Stopped from elsewhere"
        kept = f"what is done is kept, and `tpo-lab runs resume {row.id}` goes on with it."
        say(f"{who} after {snapshot.steps:,} of {total:,} steps; {kept}")
    if row.status == "failed":
        say(f"{row.reason} The rest is kept; `tpo-lab runs resume {row.id}` tries again.")
    if snapshot.broken:
        say(snapshot.broken)


@contextmanager
def _ctrl_c() -> Iterator[list[int]]:
    """Within, the first Ctrl-C is only noted in the list that is yielded; a second one ends the program."""
    pressed: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


class _Progress:
    """On standard error: a bar on a terminal, else a line for a long compilation and one for every method that ends."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._told: set[str] = set()
        self._patient_until = time.monotonic() + PATIENCE
        self._first: int | None = None  # steps at the first look

    def show(self, snapshot: Snapshot, left: float | None) -> None:
        """Draw the bar anew, or write the lines that are due."""
        if self._terminal:
            text = _bar(snapshot, left)
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{text[:width]:<{width}}", end="", file=sys.stderr, flush=True)
            return
        self._explain(snapshot)
        for lane in snapshot.row.lanes:
            if lane.method not in self._told and lane.status in ("done", "failed"):
                self._told.add(lane.method)
                took = f"{lane.seconds:.1f} s, and {lane.compile_seconds:.1f} s to compile"
                error = lane.reason.rstrip(".") or f"error {error_of(snapshot.lanes.get(lane.method))}"
                say(f"{label_of(lane.method)} {lane.status}: {error}; {took}")

    def end(self) -> None:
        """Leave the line of the bar."""
        if self._terminal:
            print(file=sys.stderr)

    def _explain(self, snapshot: Snapshot) -> None:
        """Say, once, why there is no step yet."""
        steps = sum(lane.steps for lane in snapshot.row.lanes)
        self._first = steps if self._first is None else self._first
        if snapshot.status == "running" and time.monotonic() > self._patient_until:
            self._patient_until = math.inf
            if steps == self._first:
                say("Compiling; the first time that takes some seconds to a minute.")


def _bar(snapshot: Snapshot, left: float | None) -> str:
    """Bar, share, time left, and the error of each method."""
    row = snapshot.row
    share = sum(lane.steps for lane in row.lanes) / sum(lane.total for lane in row.lanes)
    state = {"queued": "starting", "running": "compiling"}.get(row.status, str(row.status))
    if row.status == "running" and left is not None:
        state = f"{duration(left)} left"
    errors = ", ".join(f"{label_of(name)} {error_of(lane, spread=False)}" for name, lane in snapshot.lanes.items())
    return f"[{'#' * int(20 * share):<20}] {100 * share:3.0f} %, {state}{errors and f'; error: {errors}'}"


def say(text: str) -> None:
    """One line on standard error."""
    print(text, file=sys.stderr, flush=True)
