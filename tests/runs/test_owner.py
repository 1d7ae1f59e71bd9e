"""A run belongs to a process for as long as that lives, and to nobody afterwards."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.runs.store import CONFIG
from tpo_lab.runs import owner
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.owner import Owner, alive

OWNS = """
import sys, time
from pathlib import Path
from tests.runs.store import CONFIG
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.owner import Owner
folder = Path(sys.argv[1])
catalogue, me = Catalogue(folder), Owner(folder)
ids = [catalogue.add(CONFIG, owner_id=me.id) for _ in range(4)]
for run_id, status in zip(ids, ("queued", "running", "paused", "done")):
    catalogue.set_run(run_id, status)
print(me.id, *ids, flush=True)
time.sleep(60)
"""


def test_it_lives_until_it_lets_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "_mine", set())  # as another process sees it
    me = Owner(folder)
    assert [alive(folder, me.id) for _ in range(3)] == [True] * 3
    me.release()
    assert not alive(folder, me.id)


@pytest.mark.parametrize("name", ["", "0" * 16, "../catalogue", "a\0b"])
def test_a_name_that_nobody_has_is_dead_and_nothing_is_touched(folder: Path, name: str) -> None:
    (folder / "catalogue.lock").write_text("")
    assert not alive(folder, name)
    assert (folder / "catalogue.lock").exists()


def test_the_runs_of_a_killed_process_are_interrupted_and_one_other_can_claim_them(folder: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", OWNS, str(folder)], stdout=subprocess.PIPE, text=True)
    catalogue, me = Catalogue(folder), Owner(folder)
    try:
        assert process.stdout
        other, *ids = process.stdout.readline().split()
        assert [catalogue.get(run_id).status for run_id in ids] == ["queued", "running", "paused", "done"]
        assert not any(catalogue.claim(run_id, me.id) for run_id in ids)
        assert catalogue.want(ids[1], "pause")
        assert catalogue.wanted(other) == {ids[0]: "run", ids[1]: "pause", ids[2]: "run"}
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    before = catalogue.version()
    assert [catalogue.get(run_id).status for run_id in ids] == ["interrupted", "interrupted", "paused", "done"]
    assert catalogue.version() == before  # seen, not written
    assert not catalogue.want(ids[1], "stop")
    assert [catalogue.claim(run_id, me.id) for run_id in ids] == [True, True, True, False]
    assert catalogue.wanted(me.id) == dict.fromkeys(ids[:3], "run")
    assert [catalogue.get(run_id).status for run_id in ids] == ["queued", "queued", "queued", "done"]
    catalogue.close()
    me.release()


def test_of_many_who_claim_a_run_at_once_one_gets_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "_dead", set())
    for _ in range(5):
        me, claimants = Owner(folder), [Owner(folder) for _ in range(6)]
        first = Catalogue(folder)
        run_id = first.add(CONFIG, owner_id=me.id)
        me.release()
        (folder / "owners" / f"{me.id}.lock").write_text("")  # as a kill leaves it
        won: list[str] = []
        start = threading.Barrier(len(claimants))

        def claim(name: str, run_id: str = run_id, won: list[str] = won, start: threading.Barrier = start) -> None:
            mine = Catalogue(folder)
            start.wait()
            if mine.claim(run_id, name):
                won.append(name)
            mine.close()

        threads = [threading.Thread(target=claim, args=(each.id,)) for each in claimants]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == [first.get(run_id).owner]
        first.close()
        for each in claimants:
            each.release()


def test_two_may_ask_for_the_same(folder: Path) -> None:
    first, second, me = Catalogue(folder), Catalogue(folder), Owner(folder)
    run_id = first.add(CONFIG, owner_id=me.id)
    first.set_run(run_id, "running")
    assert (first.want(run_id, "stop"), second.want(run_id, "stop")) == (True, True)
    assert first.wanted(me.id) == second.wanted(me.id) == {run_id: "stop"}
    first.set_run(run_id, "stopped")
    assert (second.want(run_id, "stop"), second.wanted(me.id)) == (False, {})
    first.close()
    second.close()
    me.release()


def test_a_clock_that_jumps_ends_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "_mine", set())
    me = Owner(folder)
    for jump in (-1e6, 1e6):
        monkeypatch.setattr(time, "time", lambda jump=jump: 1.8e9 + jump)
        assert alive(folder, me.id)
    me.release()
