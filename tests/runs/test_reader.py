"""Looking at runs: only what is new is read, what was seen never changes, and a bad run troubles no other."""

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of, without_writing
from tests.test_imports import loaded_after
from tpo_lab.errors import InputError
from tpo_lab.experiments.summaries import summarise
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile, path_of
from tpo_lab.runs.reader import Reader, Readers
from tpo_lab.runs.snapshot import Snapshot

WRITES = """
import sys, time
from pathlib import Path
from tests.runs.store import DIAGNOSTICS, values_of
from tpo_lab.runs.curves import RunFile
with RunFile.create(Path(sys.argv[1]), sys.argv[2], DIAGNOSTICS, 3) as file:
    for lane in ("tpo", "pg"):
        file.take(lane)
    for n in range(40):
        for lane in ("tpo", "pg"):
            file.append(lane, n, values_of(n, 1))
        time.sleep(.002)
"""


def done(catalogue: Catalogue, steps: int = 40) -> str:
    """A run that is done, in two chunks a lane."""
    run_id = catalogue.add(CONFIG)
    with RunFile.create(catalogue.folder, run_id, DIAGNOSTICS, 3) as file:
        for lane in CONFIG.methods:
            file.take(lane)
            file.append(lane, 0, values_of(0, 15))
            file.append(lane, 15, values_of(15, steps - 15))
            catalogue.set_lane(run_id, lane, status="done", steps=steps)
    catalogue.set_run(run_id, "done")
    return run_id


def check(snapshot: Snapshot, lane: str, steps: int) -> None:
    """That a lane has so many steps and the statistics of what was written."""
    seen = snapshot.lanes[lane]
    assert seen.steps == steps
    for d, name in enumerate(DIAGNOSTICS):
        values = values_of(0, steps)[:, d]
        np.testing.assert_array_equal(np.stack(seen.curves[name]), np.stack(summarise(values)))
        np.testing.assert_array_equal(seen.last[name], values[-1])


def test_a_run_is_read_on_as_it_grows_and_older_looks_stay_as_they_were(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    reader = Reader(catalogue, run_id)
    looks = [reader.read()]
    assert (looks[0].lanes, looks[0].steps, looks[0].broken, looks[0].config) == ({}, 0, "", CONFIG)
    assert reader.values("tpo") == {}
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("pg")
        file.take("tpo")
        for n in range(6):
            file.append("tpo", n, values_of(n, 1))
            looks.append(reader.read())
            assert reader.read() is looks[-1]
        file.append("pg", 0, values_of(0, 5))
        file.append("pg", 5, values_of(5, 45))  # more than was planned
        looks.append(reader.read())
    for steps, look in enumerate(looks[1:7], 1):
        assert list(look.lanes) == ["tpo"]
        check(look, "tpo", steps)
        assert look.steps == 0
    assert (list(looks[-1].lanes), looks[-1].steps) == (["tpo", "pg"], 6)
    check(looks[-1], "pg", 50)
    np.testing.assert_array_equal(reader.values("pg")["misalignment"], values_of(0, 50)[:, 1])
    with pytest.raises(ValueError, match="read-only"):
        looks[-1].lanes["pg"].curves["error"].mean[0] = 1
    with pytest.raises(TypeError):
        looks[-1].lanes["pg"] = looks[-1].lanes["tpo"]  # type: ignore[index]
    reader.close()
    assert reader.read() == looks[-1]
    reader.close()
    catalogue.close()


def test_a_lane_that_goes_on_from_a_checkpoint_is_followed(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    early, late = Reader(catalogue, run_id), Reader(catalogue, run_id)
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 10), b"ten")
        file.append("tpo", 10, values_of(10, 7) + 1)  # a worker that computes something else, so that it shows
        before = early.read()
        curve = before.lanes["tpo"].curves["error"].mean.copy()
        assert file.take("tpo").steps == 10
        file.append("tpo", 10, values_of(10, 2))
        file.append("tpo", 12, values_of(12, 3))
    for reader in (early, late):
        check(reader.read(), "tpo", 15)
        reader.close()
    assert before.lanes["tpo"].steps == 17
    np.testing.assert_array_equal(before.lanes["tpo"].curves["error"].mean, curve)
    np.testing.assert_array_equal(before.lanes["tpo"].last["error"], values_of(16, 1)[0, 0] + 1)
    catalogue.close()


def test_only_what_is_asked_for_is_summed_up_and_what_was_left_out_catches_up_when_asked(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    reader = Reader(catalogue, run_id)
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 10), b"ten")
        assert list(reader.read(()).lanes["tpo"].curves) == ["error"]  # the first one counts the steps
        check(reader.read(DIAGNOSTICS), "tpo", 10)
        file.append("tpo", 10, values_of(10, 7) + 1)
        first = reader.read(("error", "of another kind of run"))
        assert (list(first.lanes["tpo"].curves), first.lanes["tpo"].steps) == (["error"], 17)
        assert file.take("tpo").steps == 10
        file.append("tpo", 10, values_of(10, 2))
        for _ in range(2):
            assert reader.read(("error",)).lanes["tpo"].steps == 12
        both = reader.read()  # nothing new in the file, but the other one has all that happened before it
        check(both, "tpo", 12)
        file.append("tpo", 12, values_of(12, 1))
        assert reader.read(("misalignment",)).lanes["tpo"].steps == 13
        check(reader.read(), "tpo", 13)
        check(both, "tpo", 12)
        assert first.lanes["tpo"].curves["error"].mean[-1] == pytest.approx(values_of(16, 1)[0, 0].mean() + 1)
    reader.close()
    catalogue.close()


def test_what_the_catalogue_says_is_seen_without_new_steps(folder: Path) -> None:
    catalogue, other = Catalogue(folder), Catalogue(folder)
    run_id = done(catalogue)
    reader = Reader(catalogue, run_id)
    first = reader.read()
    assert (first.status, first.finished, first.steps, first.id) == ("done", True, 40, run_id)
    other.rename(run_id, "new")
    second = reader.read()
    assert (first.row.name, second.row.name) == ("", "new")
    reader.close()
    catalogue.close()
    other.close()


def test_another_process_is_followed_step_by_step(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    reader = Reader(catalogue, run_id)
    writer = subprocess.Popen([sys.executable, "-c", WRITES, str(folder), run_id])
    seen = set()
    limit = time.monotonic() + 60
    while (look := reader.read()).steps < 40 and time.monotonic() < limit:
        seen.add(look.steps)
        for method, lane in look.lanes.items():
            check(look, method, lane.steps)
    assert writer.wait(timeout=60) == 0
    check(look, "pg", 40)
    assert len(seen) > 10
    reader.close()
    catalogue.close()


def test_a_run_that_is_deleted_and_purged_while_it_is_drawn_ends_in_one_sentence(folder: Path) -> None:
    catalogue, other = Catalogue(folder), Catalogue(folder)
    run_id = done(catalogue)
    said: list[BaseException] = []
    looked = threading.Event()

    def draw() -> None:
        reader = Reader(catalogue, run_id)
        try:
            while True:
                look = reader.read()
                assert look.broken == ""
                if look.lanes or not look.row.deleted:
                    check(look, "pg", 40)
                    looked.set()
        except BaseException as error:
            said.append(error)

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert looked.wait(10)
    other.delete(run_id)
    assert Reader(catalogue, run_id).read().row.deleted
    other.undelete(run_id)
    assert not Reader(catalogue, run_id).read().row.deleted
    other.delete(run_id)
    assert other.purge() == (run_id,)
    for thread in threads:
        thread.join(10)
    assert [type(error) for error in said] == [InputError] * 3
    assert {"This run is not here any more" in str(error) for error in said} == {True}
    catalogue.close()
    other.close()


@pytest.mark.parametrize("how", ["truncated", "random", "empty", "missing", "tail", "gap"])
def test_a_bad_file_is_named_and_the_other_runs_are_as_before(folder: Path, how: str) -> None:
    catalogue = Catalogue(folder)
    good, bad, after = done(catalogue), done(catalogue), done(catalogue)
    path = path_of(folder, bad)
    data = path.read_bytes()
    if how in ("tail", "gap"):
        with RunFile.create(folder, bad, DIAGNOSTICS, 3) as file:
            file._connection.execute(
                f"DELETE FROM chunks WHERE lane = 'pg' AND first {'>' if how == 'tail' else '='} 0"
            )
    elif how == "missing":
        path.unlink()
    else:
        worse = {"truncated": data[: len(data) // 3], "random": random.Random(0).randbytes(len(data)), "empty": b""}
        path.write_bytes(worse[how])
    with Readers(catalogue) as readers:
        look = readers.get(bad).read()
        assert look.broken.startswith("The curves of this run cannot be read. ")
        assert str(path) in look.broken
        assert (look.status, look.config) == ("done", CONFIG)
        assert readers.get(bad).read() is look
        for run_id in (good, after):
            assert readers.get(run_id).read().broken == ""
            check(readers.get(run_id).read(), "pg", 40)
        assert [row.id for row in catalogue.list()] == [after, bad, good]
    catalogue.delete(bad)
    assert catalogue.purge() == (bad,)
    catalogue.close()


def test_a_store_that_cannot_be_written_is_drawn(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = done(catalogue)
    catalogue.close()
    with without_writing(folder):
        reader = Reader(catalogue, run_id)
        check(reader.read(), "tpo", 40)
        reader.close()
        catalogue.close()


def test_the_latest_runs_are_kept_and_shared(folder: Path) -> None:
    catalogue = Catalogue(folder)
    ids = [done(catalogue) for _ in range(3)]
    with Readers(catalogue, kept=2) as readers:
        first = readers.get(ids[0])
        assert readers.get(ids[0]) is first
        readers.get(ids[1])
        readers.get(ids[0])
        readers.get(ids[2])
        assert readers.get(ids[0]) is first
        assert first.read() is first.read()
        readers.get(ids[1]), readers.get(ids[2])
        assert readers.get(ids[0]) is not first
        check(first.read(), "pg", 40)  # somebody may hold it still
        first.close()
    catalogue.close()


def test_reading_loads_nothing_heavy() -> None:
    heavy = ("jax", "scipy", "pandas", "pyarrow", "streamlit", "optax", "sklearn")
    rooms = "catalogue, curves, export, home, log, owner, reader, snapshot"
    assert loaded_after(f"from tpo_lab.runs import {rooms}", heavy) == set()
