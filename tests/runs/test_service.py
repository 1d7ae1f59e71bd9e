"""The service with a worker that computes nothing, so that every fate of a run can be played; none of it needs JAX."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.export import curves_csv
from tpo_lab.runs.process import Worker
from tpo_lab.runs.service import KEPT, RunService

FAKE = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))
DONE, DIES, DEAF, WAITS, FAILS, DIES_LATE = (BanditConfig(seed=n, seeds=3, steps=8) for n in range(6))


@pytest.fixture
def runs() -> Iterator[RunService]:
    service = RunService(partial(Worker, command=FAKE))
    yield service
    service.close()


def until(true: Callable[[], bool], seconds: float = 10) -> float:
    """Wait until it is true; returns how long that took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, "nothing happened"
        time.sleep(0.005)
    return time.monotonic() - began


def ended(runs: RunService, run_id: str) -> Callable[[], bool]:
    return lambda: runs.get(run_id).finished


def test_a_run_goes_to_its_end_and_its_curves_are_kept(runs: RunService) -> None:
    run_id = runs.start(DONE)
    until(ended(runs, run_id))
    run = runs.get(run_id)
    assert (run.status, run.reason, run.steps, run.config) == ("done", "", 8, DONE)
    assert set(run.lanes) == {"tpo", "dg", "grpo", "pg"}
    np.testing.assert_array_equal(run.lanes["pg"].curves["error"].mean, np.full(8, 0.5))
    np.testing.assert_array_equal(run.lanes["pg"].curves["error"].n, np.full(8, 3))
    assert run.lanes["pg"].last["error"].shape == (3,)
    lines = curves_csv(run).splitlines()
    assert lines[0] == "method,diagnostic,step,mean,standard_error,low,high,n"
    assert len(lines) == 1 + 4 * 2 * 8
    assert lines[1] == "tpo,error,0,0.5,0,0.5,0.5,3"


def test_runs_wait_in_line_and_the_newest_is_listed_first(runs: RunService) -> None:
    first, second, third = runs.start(WAITS), runs.start(DONE), runs.start(DONE)
    until(lambda: runs.get(first).status == "running")
    assert [run.id for run in runs.list()] == [third, second, first]
    assert {runs.get(second).status, runs.get(third).status} == {"queued"}
    runs.stop(third)
    assert runs.get(third).status == "stopped"
    runs.stop(first)
    until(ended(runs, second))
    assert runs.get(second).status == "done"
    assert runs.get(third).steps == 0


def test_a_stopped_run_keeps_what_it_had_and_frees_the_worker(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(lambda: runs.get(run_id).steps == 3)
    runs.stop(run_id)
    assert runs.get(run_id).status == "stopped"
    following = runs.start(DONE)
    assert until(ended(runs, following)) < 1
    runs.stop(run_id)  # twice, as two tabs may do
    runs.stop(following)
    assert (runs.get(run_id).steps, runs.get(following).status) == (3, "done")


def test_a_worker_that_does_not_listen_is_replaced_within_a_second(runs: RunService) -> None:
    run_id = runs.start(DEAF)
    until(lambda: runs.get(run_id).status == "running")
    worker = runs._worker
    runs.stop(run_id)
    assert worker
    assert until(lambda: gone(worker.pid)) < 1
    following = runs.start(DONE)
    until(ended(runs, following))
    assert (runs.get(run_id).status, runs.get(following).status) == ("stopped", "done")


@pytest.mark.parametrize(("config", "steps"), [(DIES, 0), (DIES_LATE, 3)])
def test_the_death_of_a_worker_fails_its_run_alone(runs: RunService, config: BanditConfig, steps: int) -> None:
    first, second = runs.start(config), runs.start(DONE)
    until(ended(runs, second))
    run = runs.get(first)
    assert (run.status, run.steps) == ("failed", steps)
    assert run.reason == "The worker process ended with code 3. It printed: out of luck"
    assert runs.get(second).status == "done"


def test_a_killed_worker_is_reported_as_such(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(lambda: runs.get(run_id).steps == 3)
    assert runs._worker
    os.kill(runs._worker.pid, signal.SIGKILL)
    until(ended(runs, run_id))
    assert (runs.get(run_id).status, "was killed" in runs.get(run_id).reason) == ("failed", True)


def test_an_error_in_a_run_leaves_the_worker_alive(runs: RunService) -> None:
    worker = runs._worker
    first, second = runs.start(FAILS), runs.start(DONE)
    until(ended(runs, second))
    assert (runs.get(first).status, runs.get(first).reason) == ("failed", "FloatingPointError: too hot")
    assert runs._worker is worker


def test_a_worker_that_cannot_start_fails_the_runs_that_wait() -> None:
    broken = RunService(partial(Worker, command=(*FAKE, "broken")))
    for _ in range(2):  # the second start tries again
        first, second = broken.start(DONE), broken.start(DONE)
        until(ended(broken, first))
        until(ended(broken, second))
        assert "It printed: no such module" in broken.get(second).reason
    broken.close()


def test_snapshots_do_not_change(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(lambda: runs.get(run_id).steps == 3)
    before = runs.get(run_id)
    runs.stop(run_id)
    assert (before.status, before.steps) == ("running", 3)
    with pytest.raises(TypeError):
        before.lanes["tpo"] = before.lanes["dg"]  # type: ignore[index]


def test_an_unknown_run_is_one_sentence(runs: RunService) -> None:
    for call in (runs.get, runs.stop):
        with pytest.raises(InputError, match="This run is not here any more"):
            call("nonsense")


def test_old_runs_are_forgotten(runs: RunService) -> None:
    first = runs.start(DONE)
    until(ended(runs, first))
    ids = [runs.start(DONE) for _ in range(KEPT)]
    until(ended(runs, ids[-1]))
    runs.start(DONE)
    with pytest.raises(InputError):
        runs.get(first)
    assert runs.get(ids[-1]).status == "done"


def test_many_threads_start_and_stop_at_once(runs: RunService) -> None:
    def work(seed: int) -> None:
        for n in range(5):
            runs.stop(runs.start(BanditConfig(seed=(seed + n) % 2 * 3, seeds=3, steps=8)))
            runs.list()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = runs.start(DONE)
    until(ended(runs, last))
    assert runs.get(last).status == "done"
    assert all(run.finished for run in runs.list())


def gone(pid: int) -> bool:
    """Whether no such process is left (or only its entry, waiting to be collected)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z"
    except OSError:
        return True
