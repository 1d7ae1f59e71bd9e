"""A list of runs that is read-only, full, damaged, held by others or of another version: one sentence, nothing lost."""

import random
import sqlite3
import threading
from pathlib import Path

import pytest

from tests.runs.store import CONFIG, without_writing
from tpo_lab.runs import catalogue as catalogue_module
from tpo_lab.runs.catalogue import MIGRATIONS, Catalogue
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.owner import Owner


def test_a_store_that_cannot_be_written_is_read_and_says_so(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    catalogue.set_run(run_id, "done")
    catalogue.close()
    assert not (folder / "catalogue.db-wal").exists()
    with without_writing(folder):
        assert [row.id for row in catalogue.list()] == [run_id]
        for call in (lambda: catalogue.add(CONFIG), lambda: catalogue.note(run_id, "x"), lambda: Owner(folder)):
            with pytest.raises(StoreError, match=r"cannot be (written|used)"):
                call()
        assert catalogue.get(run_id).status == "done"
        catalogue.close()


def fill(catalogue: Catalogue, run_id: str) -> None:
    for _ in range(100):
        catalogue.note(run_id, "x" * 10_000)
        catalogue.add(CONFIG)


def test_a_full_disk_is_one_sentence_and_the_list_stays(folder: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    writer = catalogue._open_writer()
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"^The disk is full: nothing more can be written to .*catalogue\.db\.$"):
        fill(catalogue, run_id)
    count = len(catalogue.list())
    writer.execute("PRAGMA max_page_count = 100000")
    catalogue.add(CONFIG)  # there is room again
    assert len(catalogue.list()) == count + 1
    catalogue.close()


def made_of(folder: Path, runs: int = 30) -> bytes:
    """The bytes of a catalogue with some runs."""
    catalogue = Catalogue(folder)
    for n in range(runs):
        catalogue.note(catalogue.add(CONFIG, name=f"run {n}"), "words " * 20)
    catalogue.close()
    return catalogue.path.read_bytes()


@pytest.mark.parametrize("bad", [b"not a database " * 100, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_file_that_is_no_catalogue_is_named(folder: Path, bad: bytes) -> None:
    (folder / "catalogue.db").write_bytes(bad)
    catalogue = Catalogue(folder)
    for call in (catalogue.list, lambda: catalogue.add(CONFIG), lambda: catalogue.wanted("x"), catalogue.version):
        with pytest.raises(StoreError, match=r"catalogue\.db is damaged"):
            call()
    catalogue.close()
    assert (folder / "catalogue.db").read_bytes() == bad  # nothing is thrown away


def test_random_damage_is_one_sentence_or_none(folder: Path) -> None:
    good = made_of(folder)
    chance = random.Random(0)
    told = []
    for _ in range(150):
        bad = bytearray(good)
        if chance.random() < 0.3:
            del bad[chance.randrange(1, len(bad)) :]
        at = chance.randrange(len(bad))
        length = min(chance.choice([1, 16, 4096]), len(bad) - at)
        bad[at : at + length] = chance.randbytes(length)
        (folder / "catalogue.db").write_bytes(bad)
        for suffix in ("-wal", "-shm"):
            (folder / f"catalogue.db{suffix}").unlink(missing_ok=True)
        catalogue = Catalogue(folder)
        try:
            assert all(row.steps == 0 for row in catalogue.list())
        except StoreError as error:
            told.append(str(error))
        catalogue.close()
    assert len(told) > 30
    assert {"catalogue.db" in sentence and "\n" not in sentence for sentence in told} == {True}


MORE = (*MIGRATIONS, ("ALTER TABLE runs ADD COLUMN stars INTEGER NOT NULL DEFAULT 5", "CREATE TABLE tags (name TEXT)"))


def test_an_older_catalogue_is_brought_up_to_date_by_whoever_comes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_of(folder)
    before = Catalogue(folder).list()
    monkeypatch.setattr(catalogue_module, "MIGRATIONS", MORE)
    found: list[object] = []
    start = threading.Barrier(4)

    def look() -> None:
        catalogue = Catalogue(folder)
        start.wait()
        found.append(catalogue.list())
        found.append(catalogue._open_writer().execute("SELECT DISTINCT stars FROM runs").fetchall())
        catalogue.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count(before) == found.count([(5,)]) == 4
    monkeypatch.setattr(catalogue_module, "MIGRATIONS", MIGRATIONS)
    old = Catalogue(folder)
    for call in (old.list, lambda: old.add(CONFIG)):
        with pytest.raises(StoreError, match=r"was made by a newer TPO Lab \(version 2 of the file, not 1\)"):
            call()
    old.close()


def test_a_migration_that_fails_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = made_of(folder)
    monkeypatch.setattr(catalogue_module, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE half (x TEXT)", "DROP TABLE no")))
    failing = Catalogue(folder)
    with pytest.raises(StoreError):
        failing.add(CONFIG)
    with pytest.raises(StoreError, match="is of an older TPO Lab"):
        failing.list()
    failing.close()
    monkeypatch.setattr(catalogue_module, "MIGRATIONS", MIGRATIONS)
    assert len(Catalogue(folder).list()) == 30
    assert len(good) == (folder / "catalogue.db").stat().st_size


def test_a_catalogue_that_another_process_holds_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tpo_lab.runs.database.PATIENCE_MS", 100)
    catalogue = Catalogue(folder)
    catalogue.add(CONFIG)
    other = sqlite3.connect(catalogue.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="is in use: another process has been writing to it"):
        catalogue.add(CONFIG)
    assert len(catalogue.list()) == 1  # a reader does not wait
    other.execute("ROLLBACK")
    other.close()
    assert catalogue.add(CONFIG)
    catalogue.close()
