"""The service with a worker that computes nothing, so that every fate of a run can be played; none of it needs JAX."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.runs.fates import SECOND, computing, ended, gone, gone_from, is_, pids, row, steps, until
from tests.runs.store import without_writing
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import ahead, crew
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.service import RunService

FAKE = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))
DONE, DIES, DEAF, WAITS, FAILS, DIES_LATE = (BanditConfig(seed=n, seeds=3, steps=8) for n in range(6))
ONE = ("pg",)


def only(config: BanditConfig, methods: tuple[str, ...] = ONE) -> BanditConfig:
    return BanditConfig.from_mapping({**vars(config), "methods": methods})


@pytest.fixture
def runs(folder: Path) -> Iterator[RunService]:
    service = RunService(folder, workers=2, command=FAKE)
    yield service
    service.close()


def test_a_run_goes_to_its_end_and_its_curves_are_kept(runs: RunService) -> None:
    run_id = runs.start(DONE, "some-preset", "a name")
    found = ended(runs, run_id)
    assert (found.status, found.reason, found.config, found.name) == ("done", "", DONE, "a name")
    assert found.seconds > 0
    assert [(lane.method, lane.status, lane.steps, lane.diverged) for lane in found.lanes] == [
        (method, "done", 8, {1: 2}) for method in ("tpo", "dg", "grpo", "pg")
    ]
    snapshot = runs.get(run_id)
    np.testing.assert_array_equal(snapshot.lanes["pg"].curves["error"].mean, np.full(8, 0.5))
    assert runs.list() == (found,)
    with pytest.raises(InputError, match="is done"):
        runs.resume(run_id)


def test_runs_wait_in_line_and_say_where_they_are(runs: RunService) -> None:
    first = runs.start(WAITS)
    second, third = runs.start(DONE), runs.start(only(DONE))
    until(is_(runs, first, "running"))
    assert [found.id for found in runs.list()] == [third, second, first]
    assert [runs.position(each) for each in (first, second, third)] == [None, 1, 2]
    assert runs.seconds_left(second) is None
    until(lambda: runs.seconds_left(first) == pytest.approx(4 * 5 / 10 / 2))
    runs.stop(third)
    assert (row(runs, third).status, row(runs, third).steps) == ("stopped", 0)
    runs.stop(first)
    assert ended(runs, second).status == "done"


def test_a_stopped_run_keeps_what_it_had_and_frees_its_workers(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(steps(runs, run_id, 3))
    workers, following = pids(runs), runs.start(DONE)
    runs.stop(run_id)
    assert until(is_(runs, run_id, "stopped")) < SECOND
    ended(runs, following)
    runs.stop(run_id)  # twice, as two tabs may do
    runs.stop(following)
    assert (row(runs, run_id).status, runs.get(run_id).steps) == ("stopped", 3)
    assert (row(runs, following).status, pids(runs)) == ("done", workers)


def test_a_worker_that_does_not_listen_is_replaced_within_a_second_and_its_other_lanes_go_on(runs: RunService) -> None:
    deaf = runs.start(DEAF)
    until(is_(runs, deaf, "running"))
    workers = pids(runs)
    following = runs.start(DONE)
    threads = [threading.Thread(target=runs.stop, args=(deaf,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert until(lambda: all(map(gone, workers))) < SECOND
    assert until(is_(runs, deaf, "stopped")) < SECOND
    assert ended(runs, following).status == "done"
    assert {lane.status for lane in row(runs, deaf).lanes} == {"stopped"}


def test_a_lane_whose_workers_die_fails_after_three_while_the_others_go_on(runs: RunService) -> None:
    bad, good = runs.start(only(DIES)), runs.start(DONE)
    assert ended(runs, good).status == "done"
    found = ended(runs, bad)
    assert found.status == "failed"
    assert found.reason == "pg: The worker process ended with code 3. It printed: out of luck"
    assert (found.lanes[0].attempts, found.lanes[0].status, found.lanes[0].reason) == (3, "failed", found.reason[4:])
    runs.resume(bad)
    assert ended(runs, bad).lanes[0].attempts == 6


def test_a_lane_goes_on_from_its_checkpoint_on_a_new_worker(runs: RunService) -> None:
    run_id = runs.start(only(DIES_LATE))
    assert (ended(runs, run_id).status, runs.get(run_id).steps) == ("failed", 3)


def test_a_killed_worker_is_replaced_and_then_reported_as_such(runs: RunService) -> None:
    run_id = runs.start(only(WAITS))
    for attempt in (1, 2, 3):
        until(lambda: computing(runs))
        assert runs._jobs[run_id].lanes[0].attempts == attempt
        (pid,) = computing(runs)
        os.kill(pid, signal.SIGKILL)
        until(partial(gone_from, runs, pid))
    assert "memory" in ended(runs, run_id).reason


def test_an_error_in_a_lane_leaves_the_worker_alive(runs: RunService) -> None:
    first = runs.start(FAILS)
    until(is_(runs, first, "failed"))
    workers, second = pids(runs), runs.start(DONE)
    assert ended(runs, second).status == "done"
    assert "tpo: FloatingPointError: too hot dg: Floating" in row(runs, first).reason
    assert pids(runs) == workers


def test_a_worker_that_cannot_start_fails_the_runs_that_wait(folder: Path) -> None:
    broken = RunService(folder, workers=1, command=(*FAKE, "broken"))
    for _ in range(2):  # the second start tries again
        first, second = broken.start(DONE), broken.start(DONE)
        ended(broken, first)
        assert "No worker could be started. The worker process ended" in ended(broken, second).reason
        assert "It printed: no such module" in row(broken, second).reason
    broken.close()


def test_a_paused_run_gives_way_and_goes_on_where_it_was(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(steps(runs, run_id, 3))
    runs.pause(run_id)
    assert until(is_(runs, run_id, "paused")) < SECOND
    assert ended(runs, runs.start(DONE)).status == "done"
    assert runs.position(run_id) is None
    before = row(runs, run_id).seconds
    runs.resume(run_id)
    until(lambda: [lane.attempts for lane in row(runs, run_id).lanes] == [2] * 4)
    runs.pause(run_id)
    runs.resume(run_id)  # before it has been left
    until(lambda: runs._jobs[run_id].lanes[0].attempts >= 3)
    runs.stop(run_id)
    assert ended(runs, run_id).status == "stopped"
    assert row(runs, run_id).seconds > before
    runs.resume(run_id)  # a stopped one can go on too
    until(is_(runs, run_id, "running"))


def test_what_another_process_wants_is_done(runs: RunService, folder: Path) -> None:
    run_id = runs.start(WAITS)
    until(steps(runs, run_id, 3))
    other = RunService(folder, workers=1, command=FAKE)
    other.pause(run_id)
    assert until(is_(runs, run_id, "paused")) < 0.5
    other.resume(run_id)
    assert until(is_(runs, run_id, "running")) < 0.5
    other.stop(run_id)
    assert until(is_(runs, run_id, "stopped")) < 0.5
    other.resume(run_id)  # nobody computes it: it is the other's now
    until(is_(other, run_id, "running"))
    assert (row(runs, run_id).owner, runs._jobs) == (other.own(), {})
    runs.delete(run_id)
    until(lambda: row(other, run_id).status == "stopped")
    other.close()


def test_the_run_of_an_owner_that_is_gone_is_interrupted_and_can_be_resumed(runs: RunService, folder: Path) -> None:
    gone_service = RunService(folder, workers=1, command=FAKE)
    run_id, waiting = gone_service.start(WAITS), gone_service.start(DONE)
    until(steps(gone_service, run_id, 3))
    gone_service.close()
    assert {row(runs, run_id).status, row(runs, waiting).status} == {"interrupted"}
    runs.resume(run_id)
    runs.resume(waiting)
    until(is_(runs, run_id, "running"))
    runs.stop(run_id)
    assert ended(runs, waiting).status == "done"
    assert runs.get(run_id).steps == 3


def test_a_run_paused_by_an_owner_that_is_gone_can_be_stopped_and_resumed(runs: RunService, folder: Path) -> None:
    gone_service = RunService(folder, workers=1, command=FAKE)
    run_id = gone_service.start(WAITS)
    until(steps(gone_service, run_id, 3))
    gone_service.pause(run_id)
    until(is_(gone_service, run_id, "paused"))
    gone_service.close()
    assert row(runs, run_id).status == "paused"
    runs.stop(run_id)
    assert row(runs, run_id).status == "stopped"
    runs.resume(run_id)
    until(is_(runs, run_id, "running"))


def test_a_run_is_deleted_while_it_is_computed_and_looked_at_and_comes_back(runs: RunService) -> None:
    run_id = runs.start(WAITS)
    until(steps(runs, run_id, 3))
    runs.delete(run_id)
    until(is_(runs, run_id, "stopped"))
    assert (runs.list(), runs.get(run_id).steps) == ((), 3)
    runs.undelete(run_id)
    assert [found.id for found in runs.list()] == [run_id]


def test_a_copy_may_have_other_settings(runs: RunService) -> None:
    first = runs.start(DONE)
    second = runs.duplicate(first, seeds=2)
    assert row(runs, second).config == BanditConfig(seed=0, seeds=2, steps=8)
    with pytest.raises(InputError, match="Seeds must be"):
        runs.duplicate(first, seeds=0)


def test_a_store_that_cannot_be_written_is_read_and_nothing_starts_until_it_can(folder: Path) -> None:
    before = RunService(folder, workers=1, command=FAKE)
    run_id = before.start(DONE)
    ended(before, run_id)
    before.close()
    with without_writing(folder):
        runs = RunService(folder, workers=1, warm=1, command=FAKE)
        assert [found.id for found in runs.list()] == [run_id]
        assert (runs.get(run_id).steps, runs.get(run_id).broken) == (8, "")
        for call in (runs.own, partial(runs.start, DONE), partial(runs.resume, run_id), partial(runs.delete, run_id)):
            with pytest.raises(StoreError, match=r"^/.* cannot be written: "):
                call()
        assert pids(runs) == []
    assert ended(runs, runs.start(DONE)).status == "done"
    assert len(runs.list()) == 2
    runs.close()


def test_an_unknown_run_is_one_sentence(runs: RunService) -> None:
    for call in (runs.get, runs.stop, runs.pause, runs.resume, runs.delete, runs.duplicate):
        with pytest.raises(InputError, match="This run is not here any more"):
            call("nonsense")


def test_fifty_runs_at_once_from_many_threads(runs: RunService) -> None:
    found: list[str] = []

    def work(seed: int) -> None:
        for n in range(10):
            found.append(runs.start(only(DONE)))
            if (seed + n) % 3 == 0:
                runs.stop(found[-1])
            runs.list()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: all(each.finished for each in runs.list()), 30)
    assert len(found) == len(runs.list()) == 50
    assert {each.status for each in runs.list()} <= {"done", "stopped"}
    assert len(runs._crew.members) == 2
    assert runs._jobs == {}


def test_a_worker_with_nothing_to_do_takes_a_lane_of_one_with_several(
    runs: RunService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "WORTH_MOVING", 0.1)
    alone, several = runs.start(only(WAITS)), runs.start(only(WAITS, ("tpo", "dg", "grpo")))
    until(lambda: runs.get(alone).steps == 3 and runs.get(several).steps == 3)
    assert sorted(len(member.lanes) for member in runs._crew.members) == [1, 3]
    runs.stop(alone)
    until(lambda: sorted(len(member.lanes) for member in runs._crew.members) == [1, 2])
    assert row(runs, several).status == "running"


def test_compiling_ahead_gives_way_to_a_run_and_goes_on_after_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "COMMAND", (*FAKE, "ahead"))
    assert ahead.live()[0][0] == BanditConfig()
    count = len(ahead.live())
    assert count == len(set(ahead.live())) > ahead.opening() == 4
    runs = RunService(folder, workers=2, warm=2, command=FAKE)
    until(lambda: len(runs._ahead.compiled) == 2)  # one each, and then they take their time
    before = [worker.pid for worker in runs._ahead._at]
    assert len(before) == 2
    run_id = runs.start(only(WAITS))
    assert runs._ahead._at == {}
    assert until(lambda: all(map(gone, before))) < SECOND
    until(is_(runs, run_id, "running"))
    runs.stop(run_id)
    until(lambda: len(runs._ahead.compiled) == 4)
    until(lambda: [len(member.fetched) for member in runs._crew.members] == [4, 4])
    runs.close()
    assert runs._ahead._at == {}


def test_what_cannot_be_written_now_is_written_later(runs: RunService, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = runs.start(only(WAITS))
    until(steps(runs, run_id, 3))
    until(is_(runs, run_id, "running"))  # the worker's steps may be in the file a little sooner
    with monkeypatch.context() as patch:
        for name in ("set_run", "set_lane"):
            patch.setattr(runs.catalogue, name, partial(fail, StoreError("store", "The disk is full.")))
        runs.stop(run_id)
        until(lambda: runs._jobs == {})
        assert (row(runs, run_id).status, runs._ledger.trouble) == ("running", "The disk is full.")
    until(is_(runs, run_id, "stopped"))
    assert (row(runs, run_id).lanes[0].status, runs._ledger.trouble) == ("stopped", "")


def fail(error: Exception, *_: object, **__: object) -> None:
    raise error
