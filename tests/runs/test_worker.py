"""The real worker process: what it computes, that it is polite, and that it cannot outlive its owner."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.runs.test_service import gone, until
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.summaries import summarise
from tpo_lab.runs import service as module
from tpo_lab.runs.service import RunService


@pytest.fixture(scope="module")
def runs() -> Iterator[RunService]:
    service = RunService()
    yield service
    service.close()


def test_a_run_is_what_the_task_computes_whatever_the_chunks(runs: RunService) -> None:
    from tpo_lab.tasks import bandit

    config = BanditConfig(seeds=7, steps=83, seed=5, methods=("tpo", "pg"))
    run_id = runs.start(config)
    until(lambda: runs.get(run_id).finished, 60)
    run = runs.get(run_id)
    assert (run.status, run.reason) == ("done", "")
    for method in config.methods:
        _, whole = bandit.chunk(config, method, bandit.init(config), config.steps, capacity=150)
        for name, values in whole.items():
            np.testing.assert_array_equal(run.lanes[method].curves[name].mean, summarise(values).mean)
            np.testing.assert_array_equal(run.lanes[method].last[name], values[-1])


def test_it_stops_between_chunks_and_goes_on_with_the_next_run(runs: RunService) -> None:
    long = runs.start(BanditConfig(steps=10_000, seeds=1_000))
    until(lambda: runs.get(long).steps > 0, 60)
    worker = runs._worker
    runs.stop(long)
    assert until(lambda: runs._busy is None) < 1
    short = runs.start(BanditConfig(steps=3, seeds=2))
    until(lambda: runs.get(short).finished)
    assert runs._worker is worker


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_has_low_priority_and_one_thread_of_computation(runs: RunService) -> None:
    assert runs._worker
    pid = runs._worker.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) >= 10
    names = [(task / "comm").read_text().strip() for task in Path(f"/proc/{pid}/task").iterdir()]
    assert names.count("tf_XLAEigen") <= 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_the_process_that_started_it(how: signal.Signals) -> None:
    code = (
        "import time; from tpo_lab.runs.service import RunService; runs = RunService(); "
        "print(runs._worker.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as owner:
        assert owner.stdout
        pid = int(owner.stdout.readline())
        assert not gone(pid)
        time.sleep(0.5)  # somewhere in its imports
        owner.send_signal(how)
        owner.wait()
        until(lambda: gone(pid), 20)  # an import that holds the interpreter is finished first


def test_the_service_of_the_process_is_one_and_has_something_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    class Quiet(RunService):
        def __init__(self) -> None:
            super().__init__(lambda *_: None)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "RunService", Quiet)
    monkeypatch.setattr(module, "_service", None)
    assert module.service() is module.service()
    assert [run.config for run in module.service().list()] == [BanditConfig()]
