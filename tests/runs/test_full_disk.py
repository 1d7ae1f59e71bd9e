"""A disk that is really full, under everything that the store writes; skipped where no small disk can be mounted."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, new_home, values_of
from tpo_lab.runs import log
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.reader import Reader


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB."""
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(tmp_path)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no disk can be mounted here")
    yield tmp_path
    log.stop()
    subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


def fill(path: Path) -> None:
    """Leave no byte on the disk of the file."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass


def test_whatever_is_written_says_that_the_disk_is_full_and_goes_on_when_there_is_room(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_home(small_disk / "lab", monkeypatch)
    catalogue = Catalogue(folder)
    log.start(folder)
    run_id = catalogue.add(CONFIG)
    reader = Reader(catalogue, run_id)
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 10), b"ten")
        fill(small_disk / "other")
        writes = (
            lambda: file.append("tpo", 10, values_of(10, 100), b"x" * 100_000),
            lambda: catalogue.note(run_id, "x" * 9_000),
            lambda: catalogue.add(CONFIG, name="new"),
            lambda: RunFile.create(folder, "new", DIAGNOSTICS, 3),
        )
        for write in writes:
            with pytest.raises(StoreError, match=r"The disk is full: nothing more can be written to .*\.db\."):
                write()
        log.event("nobody reads this")
        assert [(row.id, row.note) for row in catalogue.list()] == [(run_id, "")]
        look = reader.read()
        assert (look.broken, look.lanes["tpo"].steps) == ("", 10)
        (small_disk / "other").unlink()
        for write in writes[:3]:
            write()
        np.testing.assert_array_equal(file.values("tpo"), values_of(0, 110))
        assert file.take("tpo").steps == 110
    assert [row.name for row in catalogue.list()] == ["new", ""]
    log.event("there is room again")
    assert "there is room again" in (folder / log.NAME).read_text()
    reader.close()
    catalogue.close()
