"""The list of runs: what is put in comes out, in order, for every process."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of
from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile, path_of
from tpo_lab.runs.owner import Owner

WRITES = """
import sys
from pathlib import Path
from tests.runs.store import CONFIG
from tpo_lab.runs.catalogue import Catalogue
catalogue = Catalogue(Path(sys.argv[1]))
for n in range(40):
    run_id = catalogue.add(CONFIG, name=f"{sys.argv[2]}{n}")
    catalogue.set_run(run_id, "running")
    catalogue.set_lane(run_id, "pg", steps=n)
    catalogue.set_run(run_id, "done", seconds=n)
    assert catalogue.get(run_id).lanes[1].steps == n
catalogue.close()
"""


@pytest.mark.parametrize(
    ("config", "kind", "total"),
    [
        (CONFIG, "bandit", 40),
        (ReversalConfig(eta=0.5), "reversal", 2_000),
        (MultiBanditConfig(contexts=7), "multi_bandit", MultiBanditConfig().episodes),
        (DigitsConfig(folder="x"), "digits", 10_000),
    ],
)
def test_a_run_comes_back_as_it_was_put_in(folder: Path, config: AnyConfig, kind: str, total: int) -> None:
    catalogue, me = Catalogue(folder), Owner(folder)
    run_id = catalogue.add(config, preset="fig", name=" mine ", owner_id=me.id)
    row = catalogue.get(run_id)
    assert (row.config, row.kind, row.preset, row.name, row.owner) == (config, kind, "fig", "mine", me.id)
    assert (row.status, row.wanted, row.finished, row.began, row.ended) == ("queued", "run", False, None, None)
    assert [lane.method for lane in row.lanes] == list(config.methods)
    assert {(lane.status, lane.steps, lane.total) for lane in row.lanes} == {("queued", 0, total)}
    assert set(row.versions) == {"tpo-lab", "jax", "jaxlib", "numpy", "optax"}
    assert set(row.host) == {"cores", "memory", "platform", "python"}
    assert catalogue.list() == (row,)
    catalogue.close()
    me.release()


def test_what_happens_to_a_run_is_noted(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id, other = catalogue.add(CONFIG), catalogue.add(CONFIG)
    untouched = catalogue.get(other)
    catalogue.set_run(run_id, "done", seconds=2.5)
    catalogue.set_lane(run_id, "pg", status="failed", steps=7, diverged={2: 5}, reason="too hot", attempts=2, rate=3.5)
    catalogue.rename(run_id, "long")
    catalogue.note(run_id, "first line\nsecond")
    catalogue.pin(run_id, True)
    row = catalogue.get(run_id)
    assert (row.status, row.seconds, row.name, row.note, row.pinned) == (
        "done",
        2.5,
        "long",
        "first line\nsecond",
        True,
    )
    assert (row.ended is not None, row.finished, row.steps) == (True, True, 0)
    tpo, pg = row.lanes
    assert (tpo.status, tpo.steps, tpo.diverged) == ("queued", 0, {})
    assert (pg.status, pg.steps, pg.diverged, pg.reason, pg.attempts) == ("failed", 7, {2: 5}, "too hot", 2)
    assert (pg.rate, pg.total) == (3.5, 40)
    assert catalogue.get(other) == untouched
    catalogue.close()


def test_the_first_start_and_the_last_end_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue(folder)
    monkeypatch.setattr(time, "time", iter([100.0, 200.0, 300.0, 400.0, 500.0]).__next__)
    run_id = catalogue.add(CONFIG)
    times = []
    for status in ("running", "stopped", "running", "failed"):
        catalogue.set_run(run_id, status)
        row = catalogue.get(run_id)
        times.append((row.created, row.began, row.ended))
    assert times == [(100, 200, None), (100, 200, 300), (100, 200, None), (100, 200, 500)]
    catalogue.close()


def test_the_newest_is_listed_first_whatever_the_clock_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue(folder)
    ids = []
    for now in (2e9, 1e9, 3e9, 1.0):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        ids.append(catalogue.add(CONFIG))
    assert [row.id for row in catalogue.list()] == ids[::-1]
    assert catalogue.list(most=2) == catalogue.list()[:2]
    assert [len(row.lanes) for row in catalogue.list(most=2)] == [2, 2]
    catalogue.close()


def test_deleting_can_be_undone_until_the_run_is_purged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue(folder)
    kept, gone, going = (catalogue.add(CONFIG) for _ in range(3))
    for run_id in (kept, gone):
        catalogue.set_run(run_id, "done")
        with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
            file.take("tpo")
            file.append("tpo", 0, values_of(0, 2))
    me = Owner(folder)
    catalogue.claim(going, me.id)
    for run_id in (kept, gone, going):
        catalogue.delete(run_id)
    assert catalogue.wanted(me.id) == {going: "stop"}
    assert (catalogue.list(), {row.id for row in catalogue.list(deleted=True)}) == ((), {kept, gone, going})
    catalogue.undelete(kept)
    assert [row.id for row in catalogue.list()] == [kept]
    assert catalogue.purge(older=60) == ()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 1e6)  # back: who knows how long ago that was
    assert catalogue.purge(older=60) == ()
    assert catalogue.purge() == (gone,)  # not the one that is still computed
    assert (path_of(folder, kept).exists(), path_of(folder, gone).exists()) == (True, False)
    assert list((folder / "runs").glob(f"{gone}*")) == []
    with pytest.raises(InputError, match="This run is not here any more"):
        catalogue.get(gone)
    catalogue.set_run(going, "stopped")
    assert catalogue.purge() == (going,)
    catalogue.close()
    me.release()


@pytest.mark.parametrize("call", ["get", "delete", "undelete", "rename", "note", "pin", "want", "claim"])
def test_a_run_that_is_not_there_is_one_sentence(folder: Path, call: str) -> None:
    catalogue = Catalogue(folder)
    more = {"rename": ("x",), "note": ("x",), "pin": (True,), "want": ("stop",), "claim": ("x",)}.get(call, ())
    with pytest.raises(InputError, match="This run is not here any more, or never was: 'nonsense'"):
        getattr(catalogue, call)("nonsense", *more)
    catalogue.close()


def test_a_name_that_is_too_long_is_refused(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG, name="n" * 100)
    for call in (lambda: catalogue.rename(run_id, "n" * 101), lambda: catalogue.add(CONFIG, name="n" * 101)):
        with pytest.raises(InputError, match="A name has at most 100 characters; this one has 101"):
            call()
    with pytest.raises(InputError, match="Unknown lane columns: colour"):
        catalogue.set_lane(run_id, "pg", colour="red")
    catalogue.close()


def test_a_change_by_anybody_changes_the_version_and_nothing_else_does(folder: Path) -> None:
    catalogue, other = Catalogue(folder), Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    seen = catalogue.version()
    catalogue.list(), other.list(), catalogue.get(run_id)
    assert catalogue.version() == seen
    catalogue.note(run_id, "x")
    after_own = catalogue.version()
    other.note(run_id, "y")
    assert len({seen, after_own, catalogue.version()}) == 3
    assert catalogue.get(run_id).note == "y"
    catalogue.close()
    other.close()


def test_two_processes_write_at_once_while_threads_read(folder: Path) -> None:
    catalogue = Catalogue(folder)
    ended = threading.Event()
    failures: list[BaseException] = []

    def look() -> None:
        try:
            while not ended.wait(0.001):
                for row in catalogue.list():
                    assert len(row.lanes) == 2
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=look) for _ in range(2)]
    for thread in readers:
        thread.start()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITES, str(folder), name], stderr=subprocess.PIPE) for name in "ab"
    ]
    said = [writer.communicate(timeout=60)[1] for writer in writers]
    ended.set()
    for thread in readers:
        thread.join()
    assert (said, failures) == ([b"", b""], [])
    rows = catalogue.list()
    assert sorted(row.name for row in rows) == sorted(f"{name}{n}" for name in "ab" for n in range(40))
    assert {(row.status, row.seconds == row.lanes[1].steps) for row in rows} == {("done", True)}
    assert len({row.id for row in rows}) == 80
    catalogue.close()
