"""The log: one line an event, whoever writes, rotated, and never in anybody's way."""

import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.runs.store import without_writing
from tpo_lab.runs import log

WRITES = """
import sys
from pathlib import Path
from tpo_lab.runs import log
log.BYTES, log.KEPT = 20_000, 9
log.start(Path(sys.argv[1]))
for n in range(500):
    log.event("step", run="a", lane=sys.argv[2], number=n)
"""


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    log.stop()


def test_an_event_is_one_line_with_its_facts(folder: Path) -> None:
    log.start(folder)
    log.event("lane failed", run="abc", lane="tpo", reason="first\nsecond \\ third")
    log.event("lab started")
    first, second = (folder / log.NAME).read_text().splitlines()
    stamp, process, words = first.split(" ", 2)
    assert (stamp[-1], len(stamp), process.isdigit()) == ("Z", 24, True)
    assert words == r"abc tpo lane failed reason=first\nsecond \\ third"
    assert second.endswith(" - - lab started")


def test_the_last_lines_of_a_run_are_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "BYTES", 400)
    log.start(folder)
    for n in range(8):
        log.event("step", run="abc", number=n)
        log.event("step", run="abcd", number=n)
    log.event("a word with abc in it", reason="abc")
    assert (folder / "lab.log.1").exists()
    lines = log.last_lines(folder, "abc", 3)
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["number=5", "number=6", "number=7"]
    assert log.last_lines(folder, "nobody") == []


def test_processes_share_it_and_no_line_is_lost_when_it_is_rotated(folder: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITES, str(folder), name]) for name in "abc"]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    files = [path for path in folder.glob("lab.log*") if path.suffix != ".lock"]
    assert len(files) > 3
    lines = [line.split(" ", 2)[2] for path in files for line in path.read_text().splitlines()]
    assert sorted(lines) == sorted(f"a {name} step number={n}" for name in "abc" for n in range(500))


def test_who_did_not_rotate_goes_on_in_the_new_file(folder: Path) -> None:
    one, other = log._Shared(folder), log._Shared(folder)
    record = logging.makeLogRecord({"msg": "x" * 100})
    one.emit(record)
    other.emit(record)
    one.doRollover()
    other.emit(record)
    assert [len((folder / name).read_text().splitlines()) for name in ("lab.log", "lab.log.1")] == [1, 2]
    one.close()
    other.close()


def test_who_writes_waits_for_who_rotates(folder: Path) -> None:
    log.start(folder)
    writer = threading.Thread(target=log.event, args=("lab started",))
    with FileLock(folder / "lab.log.lock"):
        writer.start()
        writer.join(0.1)
        assert not (folder / log.NAME).exists()
    writer.join()
    assert "lab started" in (folder / log.NAME).read_text()


def test_a_folder_that_was_deleted_stays_away(folder: Path) -> None:
    """One with nothing but a log in it would be refused as a data folder."""
    log.start(folder)
    log.event("lab started")
    shutil.rmtree(folder)
    log.event("lane failed")
    assert not folder.exists()


def test_where_nothing_can_be_written_nothing_happens(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with without_writing(folder):
        log.start(folder)
        log.event("lab started")
        assert log.last_lines(folder, "abc") == []
    assert capfd.readouterr() == ("", "")
    assert not (folder / log.NAME).exists()
