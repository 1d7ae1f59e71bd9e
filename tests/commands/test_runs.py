"""`tpo-lab runs`: what it lists, shows and writes, what it asks of whoever computes a run, and what it refuses."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.runs.fates import is_, steps, until
from tests.runs.store import CONFIG, without_writing
from tests.runs.test_reader import done
from tests.runs.test_service import FAKE, WAITS
from tpo_lab.cli import main
from tpo_lab.commands import runs_actions
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import log
from tpo_lab.runs.catalogue import ALPHABET, Catalogue
from tpo_lab.runs.curves import path_of
from tpo_lab.runs.service import RunService

ROOT = Path(__file__).parents[2]


@pytest.fixture
def catalogue(folder: Path) -> Iterator[Catalogue]:
    catalogue = Catalogue(folder)
    yield catalogue
    catalogue.close()


@pytest.fixture
def lab(folder: Path) -> Iterator[RunService]:
    """A service as the lab has one."""
    service = RunService(folder, workers=2, command=FAKE)
    yield service
    service.close()


class Command:
    """`tpo-lab runs`, and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        assert main(["runs", *words]) == code
        printed = self._capsys.readouterr()
        return printed.err if code == 2 else printed.out

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def runs(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def test_the_list_is_of_the_latest_runs(runs: Command, catalogue: Catalogue) -> None:
    assert runs("list") == "No runs yet; `tpo-lab run PRESET` starts one.\n"
    assert runs.json("list") == []
    ids = [catalogue.add(CONFIG, preset="fig2") for _ in range(21)] + [done(catalogue)]
    catalogue.rename(ids[1], "a name")
    runs("pin", ids[1])
    assert [line.split()[0] for line in runs("list").splitlines()[1:]] == ids[:1:-1]
    assert [found["id"] for found in runs.json("list", "--all")] == ids[::-1]
    header, first, *_, named, last = runs("list", "--all").splitlines()
    assert header.split() == ["id", "started", "status", "run", "methods", "seeds", "x", "steps", "time"]
    assert first.split()[0::3] == [ids[-1], "done", "PG", "40"]
    assert named.split()[-9:] == ["a", "name", "*", "TPO,", "PG", "3", "x", "40", "0:00"]
    assert "  interrupted 0 %  fig2 " in last
    (found,) = runs.json("list", "--limit", "1")
    assert (found["status"], found["config"]["steps"], found["lanes"][1]["method"]) == ("done", 40, "pg")
    runs("pin", "--off", ids[1])
    assert not catalogue.get(ids[1]).pinned
    assert "--limit must be at least 1, not 0." in runs("list", "--limit", "0", code=2)


def test_a_run_is_shown_with_what_came_of_it(runs: Command, catalogue: Catalogue) -> None:
    run_id = done(catalogue)
    runs("note", run_id, "looks odd")
    runs("name", run_id[:4], "the odd one")
    shown = runs("show", run_id[:4])
    for line in ("run       " + run_id + "  the odd one", "status    done", "note      looks odd"):
        assert line in shown.splitlines()
    assert "steps 40, seeds 3" in shown
    assert "methods tpo,pg" in shown
    assert shown.splitlines()[-3].split()[:6] == ["TPO", "10002", "%", "+-", "5774", "3"]
    found = runs.json("show", run_id)
    assert (found["note"], found["methods"]["pg"]["seeds_ended"]) == ("looks odd", 3)
    assert found["methods"]["pg"]["final_errors"] == [pytest.approx(100 * seed + 1 / 40) for seed in range(3)]
    assert {"jax", "tpo-lab"} <= found["versions"].keys()


def test_a_run_without_a_step_is_shown_too(runs: Command, catalogue: Catalogue) -> None:
    run_id = catalogue.add(CONFIG)
    assert runs("show", run_id).splitlines()[-3].split() == ["TPO", "-", "-", "0", "-", "0.0", "0.0"]


def test_a_failed_run_is_shown_with_the_last_lines_of_the_log(
    runs: Command, catalogue: Catalogue, folder: Path
) -> None:
    run_id = catalogue.add(CONFIG)
    catalogue.set_run(run_id, "failed", "tpo: too hot")
    log.start(folder)
    for n in range(9):
        log.event("failed", run_id, "tpo", attempt=n)
    log.stop()
    shown = runs("show", run_id)
    assert "status    failed 0 %: tpo: too hot" in shown
    assert [line[-9:] for line in shown.splitlines()[-5:]] == [f"attempt={n}" for n in range(4, 9)]


def test_a_damaged_run_is_named_and_the_others_are_as_before(
    runs: Command, catalogue: Catalogue, folder: Path, tmp_path: Path
) -> None:
    bad, good = done(catalogue), done(catalogue)
    path_of(folder, bad).write_bytes(b"x" * 4096)
    assert "curves    The curves of this run cannot be read." in runs("show", bad)
    assert "is damaged" in runs("export", bad, str(tmp_path / "run.csv"), code=2)
    assert "curves" not in runs("show", good)
    assert len(runs("list").splitlines()) == 3


def test_exports_hold_what_the_run_holds(runs: Command, catalogue: Catalogue, tmp_path: Path) -> None:
    run_id = done(catalogue)
    for name in ("run.parquet", "run.csv", "run.JSON"):
        assert runs("export", run_id[:5], str(tmp_path / name)) == ""
    assert len(pd.read_parquet(tmp_path / "run.parquet")) == 2 * 3 * 40
    with open(tmp_path / "run.csv", newline="") as file:
        assert sum(row["n"] == "3" for row in csv.DictReader(file)) == 2 * 2 * 40
    assert BanditConfig.from_mapping(json.loads((tmp_path / "run.JSON").read_text())["config"]) == CONFIG
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.JSON", "run.csv", "run.parquet"]
    assert "must end in .parquet, .csv or .json, not 'run.txt'." in runs("export", run_id, "run.txt", code=2)
    assert "The folder /nowhere does not exist." in runs("export", run_id, "/nowhere/run.csv", code=2)
    (tmp_path / "taken.csv").mkdir()
    assert "Cannot write" in runs("export", run_id, str(tmp_path / "taken.csv"), code=2)
    empty = catalogue.add(CONFIG)
    for kind in ("csv", "parquet"):
        assert "has no step to export yet" in runs("export", empty, str(tmp_path / f"no.{kind}"), code=2)


def test_a_run_is_removed_brought_back_and_purged(runs: Command, catalogue: Catalogue, folder: Path) -> None:
    first, second, third = done(catalogue), done(catalogue), done(catalogue)
    assert runs("rm", first, second).startswith(f"{first} is removed; `tpo-lab runs undo {first}` brings it back")
    assert [row.id for row in catalogue.list()] == [third]
    assert [found["id"] for found in runs.json("list", "--deleted")] == [second, first]
    assert f"{first}  bandit (removed)" in runs("show", first)
    assert "No run begins with" in runs("rm", first, code=2)
    assert runs("undo", first, third) == f"{first} is back.\n{third} was not removed.\n"
    assert runs("rm", "--purge", first) == f"{first} is gone.\n"
    assert not path_of(folder, first).exists()
    assert path_of(folder, second).exists()
    assert "No run begins with" in runs("undo", first, code=2)
    runs("undo", second)
    assert [row.id for row in catalogue.list()] == [third, second]


def test_ids_that_are_unknown_or_of_several_runs_are_answered_with_those_that_may_be_meant(
    runs: Command, catalogue: Catalogue
) -> None:
    assert runs("show", "abc", code=2) == "tpo-lab runs: No run begins with 'abc'; there are no runs yet.\n"
    ids = [catalogue.add(CONFIG, name=f"run {n}") for n in range(32)]
    assert len(ids) > len(ALPHABET)  # two must begin with the same letter
    one = ids[0]
    assert f"close to it: {one} (run 0)" in runs("stop", one[:6] + "00", code=2)
    assert f"the latest: {ids[-1]} (run 31), {ids[-2]} (run 30), " in runs("show", "0", code=2)
    assert "and 27 more" in runs("show", "0", code=2)
    letter = next(a for a in ALPHABET if sum(each.startswith(a) for each in ids) > 1)
    assert f"Several runs begin with {letter!r}: " in runs("show", letter, code=2)
    assert "No run begins with ''" in runs("show", "", code=2)


def test_whoever_computes_a_run_does_what_is_asked(runs: Command, catalogue: Catalogue, lab: RunService) -> None:
    run_id, other = lab.start(WAITS), lab.start(WAITS)
    until(steps(lab, run_id, 3))
    assert runs("pause", run_id) == f"{run_id} is paused, at step 3 of 8.\n"
    assert runs("resume", run_id) == ""
    until(is_(lab, run_id, "running"))
    assert runs("stop", run_id[:5], other[:5]).splitlines() == [
        f"{run_id} is stopped, at step 3 of 8.",
        f"{other} is stopped, at step {catalogue.get(other).steps} of 8.",
    ]
    assert runs("stop", run_id) == f"{run_id} is stopped, at step 3 of 8.\n"
    finished = done(catalogue)
    assert runs("pause", finished) == f"{finished} is done, at step 40 of 40.\n"
    assert f"{finished} is done; `tpo-lab runs show {finished}` shows it." in runs("resume", finished, code=2)
    assert lab.get(run_id).status == "stopped"


def test_a_run_that_is_computed_is_purged_once_it_has_ended(
    runs: Command, catalogue: Catalogue, lab: RunService, folder: Path
) -> None:
    run_id = lab.start(WAITS)
    until(steps(lab, run_id, 3))
    assert runs("rm", "--purge", run_id) == f"{run_id} is gone.\n"
    assert catalogue.list() == catalogue.list(deleted=True) == ()
    assert not path_of(folder, run_id).exists()


def test_what_somebody_paused_who_is_gone_can_be_stopped_and_purged(runs: Command, folder: Path) -> None:
    for words, answer in ((("stop",), " is stopped, at step "), (("rm", "--purge"), " is gone.")):
        service = RunService(folder, workers=1, command=FAKE)
        run_id = service.start(WAITS)
        service.pause(run_id)
        until(is_(service, run_id, "paused"))
        service.close()
        assert answer in runs(*words, run_id)


def test_a_store_that_cannot_be_written_is_listed(
    runs: Command, catalogue: Catalogue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = done(catalogue)
    catalogue.close()
    monkeypatch.setattr(runs_actions, "data_folder", lambda: folder)  # it would refuse what root's stand-in can read
    with without_writing(folder):
        assert run_id in runs("list")
        assert run_id in runs("show", run_id)
        assert "read-only" in runs("pin", run_id, code=2)


def test_a_list_loads_nothing_slow(catalogue: Catalogue) -> None:
    done(catalogue)
    code = (
        "import sys; from tpo_lab.cli import main; main(['runs', 'list']); "
        "print(*({'jax', 'pandas', 'scipy', 'pyarrow', 'streamlit'} & sys.modules.keys()), file=sys.stderr)"
    )
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert listed.stderr == "\n"
