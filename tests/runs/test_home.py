"""Where runs are kept, and that only their owner can read them."""

import os
import stat
from pathlib import Path

import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of, without_writing
from tpo_lab.errors import InputError
from tpo_lab.runs import home, log
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.owner import Owner

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes of files are those of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_without_the_variable_it_is_where_the_platform_keeps_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(home.VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    found = home.data_folder()
    assert found.is_relative_to(tmp_path)
    assert found.name == "tpo-lab"


def test_nobody_else_can_read_anything_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(home.VARIABLE, str(tmp_path / "a" / "lab"))
    before = os.umask(0)
    try:
        folder = home.data_folder()
        catalogue, owner = Catalogue(folder), Owner(folder)
        run_id = catalogue.add(CONFIG)
        log.start(folder)
        log.event("started", run=run_id)
        with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
            file.take("tpo")
            file.append("tpo", 0, values_of(0, 2), b"state")
            files = {path.name: mode(path) for path in folder.rglob("*") if path.is_file()}
            folders = {path.name: mode(path) for path in (folder, *folder.rglob("*")) if path.is_dir()}
    finally:
        os.umask(before)
        log.stop()
    catalogue.close()
    owner.release()
    assert files.keys() >= {"catalogue.db", "catalogue.db-wal", f"{run_id}.db", f"{run_id}.db-wal", "lab.log"}
    assert set(files.values()) == {0o600}
    assert folders == dict.fromkeys(["lab", "runs", "owners"], 0o700)


def test_a_store_that_was_open_to_others_is_closed(folder: Path) -> None:
    folder.chmod(0o755)
    assert mode(home.data_folder()) == 0o700


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()  # others have runs too
    tmp_path.chmod(0o755)
    monkeypatch.setenv(home.VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match="holds other things than runs of TPO Lab; set TPO_LAB_HOME"):
        home.data_folder()
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    assert mode(tmp_path) == 0o755


def test_a_file_in_its_place_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab").write_text("")
    for name in ("lab", "lab/below"):
        monkeypatch.setenv(home.VARIABLE, str(tmp_path / name))
        with pytest.raises(InputError, match=r"The data folder .* set TPO_LAB_HOME to a folder that you can write\."):
            home.data_folder()


def test_a_place_that_cannot_be_written_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(home.VARIABLE, str(folder / "below"))
    with without_writing(folder), pytest.raises(InputError, match=r"cannot be used \(Permission denied\); set"):
        home.data_folder()
