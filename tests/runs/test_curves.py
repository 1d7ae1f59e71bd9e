"""The file of one run: all of a write or nothing, one writer a lane, and damage that is named."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.runs.store import DIAGNOSTICS, values_of, without_writing
from tpo_lab.errors import InputError
from tpo_lab.runs import curves
from tpo_lab.runs.curves import MIGRATIONS, Checkpoint, RunFile, path_of
from tpo_lab.runs.database import StoreError, open_to_write

# One child after the other goes on with the lane where the last one was killed; the parent looks after each kill.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from tests.runs.store import DIAGNOSTICS, values_of
from tpo_lab.runs.curves import RunFile
folder, chance, most = Path(sys.argv[1]), random.Random(1), 0

def write():
    file = RunFile.create(folder, "run", DIAGNOSTICS, 3)
    steps, data = file.take("tpo")
    assert (data or b"0" * 100_000) == str(steps).encode() * 100_000
    while True:
        length = 1 + steps % 7
        there = steps + length
        state = str(there).encode() * 100_000 if chance.random() < .5 else None
        file.append("tpo", steps, values_of(steps, length), state)
        steps = there

for n in range(40):
    child = os.fork()
    if not child:
        try:
            write()
        finally:
            os._exit(3)
    time.sleep(.01 + .03 * chance.random())
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    file = RunFile.open(folder, "run")
    if file:
        values = file.values("tpo")
        np.testing.assert_array_equal(values, values_of(0, len(values)))
        steps, data = file._connection.execute("SELECT steps, checkpoint FROM lanes").fetchone() or (0, None)
        assert steps <= len(values) and (data or b"0" * 100_000) == str(steps).encode() * 100_000
        most = max(most, len(values))
        file.close()
print(most)
"""
# A kill at a certain statement, which is in the middle of a transaction.
KILLED_AT = """
import os, signal, sys
from pathlib import Path
from tests.runs.store import DIAGNOSTICS, values_of
from tpo_lab.runs.curves import RunFile
file = RunFile.create(Path(sys.argv[1]), "run", DIAGNOSTICS, 3)
file.take("tpo")
file.append("tpo", 0, values_of(0, 4), b"four")
file._connection.set_trace_callback(lambda sql: sql.startswith(sys.argv[2]) and os.kill(os.getpid(), signal.SIGKILL))
file.append("tpo", 4, values_of(4, 5), b"nine")
"""


def made(folder: Path, run_id: str = "run", chunks: int = 8) -> RunFile:
    """A file with chunks of 5 steps of two lanes, the last two without a checkpoint after them."""
    file = RunFile.create(folder, run_id, DIAGNOSTICS, 3)
    for lane in ("tpo", "pg"):
        file.take(lane)
        for n in range(chunks):
            file.append(lane, 5 * n, values_of(5 * n, 5), b"state" if n < chunks - 2 else None)
    return file


LIMITED = """
import resource, sys
from pathlib import Path
from tests.runs.store import DIAGNOSTICS, values_of
from tpo_lab.errors import InputError
from tpo_lab.runs.curves import RunFile
with RunFile.create(Path(sys.argv[1]), "run", DIAGNOSTICS, 3) as file:
    file.take("tpo")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        file.append("tpo", 0, values_of(0, 50_000))
    except InputError as error:
        print(error)
"""


def test_steps_come_back_as_they_were_put_in(folder: Path) -> None:
    assert RunFile.open(folder, "run") is None
    with made(folder) as file, RunFile.create(folder, "run", DIAGNOSTICS, 3) as same:
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 40))
        np.testing.assert_array_equal(same.values("pg"), values_of(0, 40))
        assert same.values("dg").shape == (0, 2, 3)
        assert (same.diagnostics, same.seeds) == (DIAGNOSTICS, 3)
        reading = RunFile.open(folder, "run")
        assert reading
        chunks = reading.read()
        assert [(chunk.lane, chunk.first) for chunk in chunks[:9]] == [*(("tpo", 5 * n) for n in range(8)), ("pg", 0)]
        assert reading.read(chunks[-1].id) == []
        seen = reading.version()
        file.append("pg", 40, values_of(40, 1))
        assert reading.version() != seen
        assert [(chunk.lane, chunk.first) for chunk in reading.read(chunks[-1].id)] == [("pg", 40)]
        reading.close()


def test_undefined_and_infinite_values_are_kept(folder: Path) -> None:
    values = np.array([[[np.nan, np.inf, -0.0], [1e-45, -np.inf, 3e38]]], np.float32)
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values.astype(np.float64))  # whatever it comes as
        np.testing.assert_array_equal(file.values("tpo").view(np.uint32), values.view(np.uint32))


def test_who_takes_a_lane_goes_on_from_its_checkpoint_and_the_one_before_is_refused(folder: Path) -> None:
    with made(folder) as first, RunFile.create(folder, "run", DIAGNOSTICS, 3) as second:
        assert second.take("tpo") == Checkpoint(30, b"state")
        assert len(second.values("tpo")) == 30
        with pytest.raises(StoreError, match="Another worker has taken over tpo of this run"):
            first.append("tpo", 40, values_of(40, 1), b"late")
        first.append("pg", 40, values_of(40, 1))  # the other lane is still its own
        second.append("tpo", 30, values_of(30, 2), b"next")
        assert second.take("tpo") == Checkpoint(32, b"next")
        assert second.take("new") == Checkpoint(0, None)


def test_a_checkpoint_alone_can_be_written(folder: Path) -> None:
    with made(folder) as file:
        file.append("tpo", 40, np.empty((0, 2, 3), np.float32), b"end")
        assert file.take("tpo") == Checkpoint(40, b"end")


@pytest.mark.parametrize(("first", "shape"), [(39, (1, 2, 3)), (41, (1, 2, 3)), (40, (1, 3, 2)), (40, (2, 3))])
def test_steps_that_do_not_follow_or_fit_are_refused(folder: Path, first: int, shape: tuple[int, ...]) -> None:
    with made(folder) as file:
        with pytest.raises(ValueError, match=r"steps from|values of shape"):
            file.append("tpo", first, np.zeros(shape, np.float32), b"state")
        assert (len(file.values("tpo")), file.take("tpo").steps) == (40, 30)


def test_another_shape_is_refused(folder: Path) -> None:
    made(folder).close()
    with pytest.raises(StoreError, match="holds 3 seeds of error, misalignment, not these"):
        RunFile.create(folder, "run", DIAGNOSTICS, 4)


@pytest.mark.parametrize("run_id", ["../catalogue", "", "a/b", "a.b", "x" * 65, "a\n"])
def test_only_an_id_becomes_a_path(folder: Path, run_id: str) -> None:
    with pytest.raises(InputError, match="No run has the id"):
        path_of(folder, run_id)


def test_a_run_that_is_done_gives_its_checkpoints_back(folder: Path) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 4), b"x" * 1_000_000)
        reading = RunFile.open(folder, "run")
        assert reading
        (seen,) = reading.read()
        file.compact()
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 4))
        assert (reading.read(seen.id), [chunk.id for chunk in reading.read()]) == ([], [seen.id])
        reading.close()
    assert path_of(folder, "run").stat().st_size < 100_000


def test_a_file_whose_maker_was_killed_before_it_said_what_it_holds_is_none_yet(folder: Path) -> None:
    open_to_write(path_of(folder, "run"), MIGRATIONS).close()
    assert RunFile.open(folder, "run") is None
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        assert (file.diagnostics, file.seeds) == (DIAGNOSTICS, 3)


def test_writers_that_are_killed_at_any_moment_leave_whole_chunks(folder: Path) -> None:
    answer = subprocess.run([sys.executable, "-c", KILLED, str(folder)], capture_output=True, text=True, timeout=60)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert int(answer.stdout) > 40


@pytest.mark.parametrize("statement", ["INSERT INTO chunks", "UPDATE lanes SET steps", "COMMIT"])
def test_a_writer_that_is_killed_within_a_write_leaves_nothing_of_it(folder: Path, statement: str) -> None:
    answer = subprocess.run([sys.executable, "-c", KILLED_AT, str(folder), statement], timeout=60)
    assert answer.returncode == -signal.SIGKILL
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 4))
        assert file.take("tpo") == Checkpoint(4, b"four")
        file.append("tpo", 4, values_of(4, 5), b"nine")
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 9))


def test_a_full_disk_is_one_sentence_and_what_was_written_stays(folder: Path) -> None:
    with made(folder) as file:
        (pages,) = file._connection.execute("PRAGMA page_count").fetchone()
        file._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match=r"^The disk is full: nothing more can be written to .*run\.db\.$"):
            file.append("tpo", 40, values_of(40, 1), b"x" * 100_000)
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 40))
        file._connection.execute("PRAGMA max_page_count = 100000")
        file.append("tpo", 40, values_of(40, 1), b"x" * 100_000)
        assert file.take("tpo").steps == 41


def test_a_limit_on_the_size_of_files_is_one_sentence_that_names_it(folder: Path) -> None:
    found = subprocess.run([sys.executable, "-c", LIMITED, str(folder)], capture_output=True, text=True)
    assert found.stdout.endswith(
        " cannot be read or written: the disk fails or is gone, or a limit on the size of files is reached.\n"
    )


def test_a_file_that_is_removed_while_it_is_written_is_one_sentence(folder: Path) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 5))
        assert curves.remove(folder, "run")
        with pytest.raises(StoreError, match="has been removed while the run went on"):
            file.append("tpo", 5, values_of(5, 5))


def test_a_file_that_cannot_be_written_is_read_and_says_so(folder: Path) -> None:
    made(folder).close()
    with without_writing(folder):
        with pytest.raises(StoreError, match="cannot be written: the file or its folder is read-only"):
            RunFile.create(folder, "run", DIAGNOSTICS, 3)
        with pytest.raises(StoreError, match="cannot be used: Permission denied"):
            RunFile.create(folder, "new", DIAGNOSTICS, 3)
        reading = RunFile.open(folder, "run")
        assert reading
        np.testing.assert_array_equal(reading.values("pg"), values_of(0, 40))
        reading.close()


def test_random_damage_is_named_or_harmless(folder: Path) -> None:
    made(folder, chunks=30).close()
    path = path_of(folder, "run")
    good = path.read_bytes()
    chance = random.Random(0)
    told, right = [], 0
    for n in range(300):
        bad = bytearray(good)
        if n % 3 == 0:
            del bad[chance.randrange(1, len(bad)) :]
        at = chance.randrange(len(bad))
        length = min(chance.choice([1, 16, 4096]), len(bad) - at)
        bad[at : at + length] = chance.randbytes(length)
        path.write_bytes(bad)
        try:
            file = RunFile.open(folder, "run")
            assert file
            with file:
                for lane in ("tpo", "pg"):
                    found = file.values(lane)
                    np.testing.assert_array_equal(found, values_of(0, len(found)))
            right += 1
        except StoreError as error:
            told.append(str(error))
    assert len(told) > 100
    assert right > 0
    assert {str(path) in sentence and "\n" not in sentence for sentence in told} == {True}


def test_a_gap_is_named(folder: Path) -> None:
    with made(folder) as file:
        file._connection.execute("DELETE FROM chunks WHERE lane = 'tpo' AND first IN (5, 10)")
        with pytest.raises(StoreError, match=r"run\.db is damaged: steps 5 to 14 of tpo are missing\."):
            file.values("tpo")


def test_a_damaged_checkpoint_is_not_gone_on_from(folder: Path) -> None:
    with made(folder) as file:
        file._connection.execute("UPDATE lanes SET checkpoint = 'stale' WHERE lane = 'tpo'")
        with pytest.raises(StoreError, match="the checkpoint of tpo is not what was written"):
            file.take("tpo")
        assert len(file.values("tpo")) == 40


def test_an_older_file_is_brought_up_to_date_by_who_writes_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder).close()
    monkeypatch.setattr(curves, "MIGRATIONS", (*MIGRATIONS, ("ALTER TABLE chunks ADD COLUMN host TEXT",)))
    with pytest.raises(StoreError, match="is of an older TPO Lab"):
        RunFile.open(folder, "run")
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 40))
    monkeypatch.setattr(curves, "MIGRATIONS", MIGRATIONS)
    with pytest.raises(StoreError, match="was made by a newer TPO Lab"):
        RunFile.open(folder, "run")
