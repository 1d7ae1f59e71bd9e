"""The real worker process: what it computes, that it is polite, and that nothing is lost when it is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.runs.fates import SECOND, ended, gone, pids, row, until
from tests.runs.store import new_home
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.service import RunService

SIZES = {"length": 2, "prompts": 4, "candidates": 3, "width": 8, "layers": 1}
REVERSAL = ReversalConfig(methods=("grpo",), episodes=1_500, seeds=2, **SIZES)  # type: ignore[arg-type]
BANDIT = BanditConfig(methods=("pg",), steps=2_000, seeds=50)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        yield new_home(tmp_path_factory.mktemp("worker") / "lab", patch)


@pytest.fixture(scope="module")
def runs(home: Path) -> Iterator[RunService]:
    service = RunService(home, workers=1)
    yield service
    service.close()


def values(runs: RunService, run_id: str, method: str) -> dict[str, npt.NDArray[np.float32]]:
    return runs.readers.get(run_id).values(method)


def same(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return found.keys() == wanted.keys() and all(found[n].tobytes() == np.asarray(wanted[n]).tobytes() for n in found)


def directly(config: AnyConfig) -> dict[str, npt.NDArray[np.float32]]:
    """What the task computes of a configuration's first method, without any worker."""
    if isinstance(config, BanditConfig):
        from tpo_lab.tasks import bandit

        return bandit.chunk(config, config.methods[0], bandit.init(config), config.steps)[1]
    from tpo_lab.training import reversal

    assert isinstance(config, ReversalConfig)
    states = [reversal.init(config, config.methods[0], seed) for seed in range(config.seeds)]
    records = [reversal.chunk(config, config.methods[0], state, config.episodes)[1] for state in states]
    return {name: np.stack([record[name] for record in records], axis=1) for name in records[0]}


def kill_at(runs: RunService, run_id: str, step: int) -> None:
    """SIGKILL for the worker, once the lane has come so far."""
    until(lambda: runs.get(run_id).steps >= step, 120)
    (pid,) = pids(runs)
    os.kill(pid, signal.SIGKILL)
    until(lambda: pid not in pids(runs))


@pytest.mark.parametrize("config", [BANDIT, REVERSAL], ids=["bandit", "reversal"])
def test_a_lane_whose_worker_is_killed_ends_bit_for_bit_as_if_nothing_had_been(
    runs: RunService, config: AnyConfig
) -> None:
    run_id = runs.start(config)
    kill_at(runs, run_id, 10)
    kill_at(runs, run_id, 500)
    until(lambda: row(runs, run_id).finished, 120)
    found = row(runs, run_id)
    assert (found.status, found.lanes[0].attempts) == ("done", 3)
    assert same(values(runs, run_id, config.methods[0]), directly(config))


def test_lanes_advance_together_from_a_single_first_step(runs: RunService) -> None:
    config = BanditConfig(steps=5_000, seeds=500)
    run_id = runs.start(config)
    until(lambda: runs.get(run_id).steps >= 20, 60)
    counts = [lane.steps for lane in runs.get(run_id).lanes.values()]
    assert max(counts) <= 3 * min(counts) + 1
    assert len(counts) == 4
    worker = pids(runs)
    runs.stop(run_id)
    assert until(lambda: row(runs, run_id).status == "stopped") < SECOND
    assert pids(runs) == worker
    kept = runs.get(run_id).steps
    runs.resume(run_id)
    until(lambda: runs.get(run_id).steps > kept, 60)
    runs.stop(run_id)
    ended(runs, run_id)
    assert runs.get(run_id).steps > kept


def test_a_stop_in_a_compilation_frees_the_worker_within_a_second(runs: RunService) -> None:
    run_id = runs.start(ReversalConfig(methods=("tpo",), width=48, layers=3, length=9))  # not compiled before
    until(lambda: row(runs, run_id).status == "running", 30)
    worker = pids(runs)
    time.sleep(0.3)
    runs.stop(run_id)
    assert until(lambda: row(runs, run_id).status == "stopped") < SECOND
    assert until(lambda: all(map(gone, worker))) < SECOND
    assert (row(runs, run_id).steps, runs.get(run_id).lanes) == (0, {})


def test_an_error_is_told_and_the_worker_goes_on(runs: RunService, home: Path) -> None:
    from tpo_lab.experiments.digits import DigitsConfig

    run_id = runs.start(DigitsConfig(methods=("ce",), folder=str(home / "none"), seeds=1))
    until(lambda: row(runs, run_id).finished, 60)
    assert row(runs, run_id).status == "failed"
    assert "none" in row(runs, run_id).reason
    worker, following = pids(runs), runs.start(BanditConfig(steps=3, seeds=2))
    until(lambda: row(runs, following).finished, 60)
    assert (row(runs, following).status, pids(runs)) == ("done", worker)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_has_low_priority_and_one_thread_of_computation(runs: RunService) -> None:
    (pid,) = pids(runs)
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
    names = [(task / "comm").read_text().strip() for task in Path(f"/proc/{pid}/task").iterdir()]
    assert names.count("tf_XLAEigen") <= 1


OWNER = """
import sys, time; from pathlib import Path
from tpo_lab.experiments.config import BanditConfig; from tpo_lab.runs.service import RunService
runs = RunService(Path(sys.argv[1]), workers=1)
run_id = runs.start(BanditConfig(methods=("pg",), steps=2_000, seeds=50))
print(run_id, runs._crew.members[0].worker.pid, flush=True)
time.sleep(120)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_survives_the_process_that_started_it(runs: RunService, home: Path, how: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, str(home)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout
        run_id, pid = owner.stdout.readline().split()
        name = run_id.decode()
        until(lambda: runs.get(name).steps > 10, 60)
        owner.send_signal(how)
        owner.wait()
    assert row(runs, name).status == "interrupted"
    runs.resume(name)  # at once, while the old worker may still be writing
    until(lambda: gone(int(pid)), 20)
    until(lambda: row(runs, name).finished, 60)
    assert row(runs, name).status == "done"
    assert same(values(runs, name, "pg"), directly(BANDIT))
