"""What becomes of a service's runs and workers, asked and waited for."""

import time
from collections.abc import Callable
from pathlib import Path

from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService

SECOND = 1.5  # and what a busy machine adds to it


def until(true: Callable[[], object], seconds: float = 10) -> float:
    """Wait until it is true; returns how long that took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, "nothing happened"
        time.sleep(0.005)
    return time.monotonic() - began


def row(runs: RunService, run_id: str) -> RunRow:
    return runs.catalogue.get(run_id)


def ended(runs: RunService, run_id: str) -> RunRow:
    until(lambda: row(runs, run_id).finished)
    return row(runs, run_id)


def is_(runs: RunService, run_id: str, status: str) -> Callable[[], bool]:
    return lambda: row(runs, run_id).status == status


def steps(runs: RunService, run_id: str, count: int) -> Callable[[], bool]:
    return lambda: runs.get(run_id).steps == count


def pids(runs: RunService) -> list[int]:
    return [member.worker.pid for member in runs._crew.members]


def computing(runs: RunService) -> list[int]:
    return [member.worker.pid for member in runs._crew.members if member.computing]


def gone_from(runs: RunService, pid: int) -> bool:
    return pid not in pids(runs)


def gone(pid: int) -> bool:
    """Whether no such process is left (or only its entry, waiting to be collected)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z"
    except OSError:
        return True
