"""Memory that really runs out: the lane says so, and everything else goes on."""

import queue
import sys

import pytest

from tests.runs.fates import pids, row, until
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.runs.home import data_folder
from tpo_lab.runs.process import Worker
from tpo_lab.runs.service import RunService
from tpo_lab.runs.shortage import of_memory

# A worker that may take 1.5 GB beyond what it has once it has loaded everything.
LIMITED = """
import resource
from pathlib import Path
import jax, tpo_lab.runs.seats
from tpo_lab.runs.worker import main
jax.block_until_ready(jax.numpy.zeros(1))
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 1_500_000_000,) * 2)
main()
"""
ABORTS = "import os, sys; print('what():  std::bad_alloc', file=sys.stderr, flush=True); os.abort()"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its limit")
@pytest.mark.usefixtures("folder")
def test_a_lane_that_needs_more_than_there_is_fails_by_name_and_the_worker_goes_on() -> None:
    large = MultiBanditConfig(methods=("pg",), update="sampled", contexts=10_000, samples=10_000, actions=2, seeds=1)
    runs = RunService(data_folder(), workers=1, command=(sys.executable, "-c", LIMITED))
    try:
        failed, done = runs.start(large), runs.start(BanditConfig(methods=("pg",), steps=5, seeds=2))
        until(lambda: row(runs, failed).finished, 120)
        found = row(runs, failed)
        assert found.status == "failed"
        assert found.reason.startswith("pg: The worker process ran out of memory: it asked for ")
        worker = pids(runs)
        until(lambda: row(runs, done).finished, 60)
        assert (row(runs, done).status, pids(runs)) == ("done", worker)
        assert found.lanes[0].attempts == 1
    finally:
        runs.close()


def test_a_worker_that_is_ended_by_it_says_so() -> None:
    reasons: queue.Queue[str] = queue.Queue()
    Worker((sys.executable, "-c", ABORTS), lambda *_: None, lambda _, reason: reasons.put(reason))
    assert reasons.get(timeout=30).startswith("The worker process ran out of memory. ")


def test_only_what_speaks_of_memory_is_a_shortage() -> None:
    said = "JaxRuntimeError RESOURCE_EXHAUSTED: Out of memory allocating 7656041968 bytes."
    assert "it asked for 7.7 GB more." in of_memory(said)
    assert of_memory("MemoryError ") == of_memory("std::bad_alloc") != ""
    assert of_memory("JaxRuntimeError INVALID_ARGUMENT: shapes") == ""
