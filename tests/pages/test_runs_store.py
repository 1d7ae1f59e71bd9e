"""The pages of runs over stores that are damaged, full, missing, or were left by a process that is gone."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.runs_page import HOLDS, ROOT, SMALL, chart, click, enabled, field, opened, progress, quiet, shelf, wait
from tests.runs.store import new_home
from tests.runs.test_full_disk import small_disk
from tests.runs.test_service import FAKE
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import home
from tpo_lab.runs import service as module
from tpo_lab.runs.curves import path_of
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.service import RunService

__all__ = ["small_disk"]


@contextmanager
def after(runs: RunService, monkeypatch: pytest.MonkeyPatch, damage: Path | None = None) -> Iterator[RunService]:
    """The service of the next process, after the first has ended, and something has happened to a file."""
    runs.close()
    if damage:
        for suffix in ("-wal", "-shm"):
            Path(f"{damage}{suffix}").unlink(missing_ok=True)
        damage.write_bytes(b"not a database at all" * 500)
    service = RunService(runs.folder, workers=1, command=FAKE)
    monkeypatch.setattr(module, "_service", service)
    yield service
    service.close()


def test_a_run_whose_owner_is_gone_can_be_resumed_here(runs: RunService, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = wait(runs, runs.start(HOLDS), "running")
    with after(runs, monkeypatch) as again:
        page = opened(run=run_id)
        assert progress(page).startswith("Interrupted: step 3 of 8")
        click(page, "Resume")
        assert again.get(run_id).status in ("queued", "running")


def test_a_store_that_cannot_be_written_is_said_and_can_be_read(
    runs: RunService, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = wait(runs, runs.start(SMALL), "done")
    bandits, page = opened("bandits", steps="8", seeds="3"), opened(run=run_id)

    def full() -> None:
        raise StoreError("store", "There is no room left for catalogue.db.")

    with monkeypatch.context() as disk:
        disk.setattr(runs.catalogue, "_open_writer", full)
        bandits = click(bandits, "Run")
        assert [e.value for e in bandits.error] == ["There is no room left for catalogue.db."]
        assert len(chart(bandits)) == 8
        page = quiet(field(page, "Name").set_value("Monday").run())
        assert [e.value for e in page.error] == ["There is no room left for catalogue.db."]
        assert len(shelf(page)) == 1
    assert not quiet(page.run()).error


def test_a_disk_that_is_read_only_when_the_lab_starts_is_said_and_can_be_read(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = RunService(new_home(small_disk / "lab", monkeypatch), workers=1, command=FAKE)
    run_id = wait(before, before.start(SMALL), "done")
    before.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    monkeypatch.setattr(module, "_service", None)
    for name, query in (("runs", {"run": run_id}), ("bandits", {"steps": "8", "seeds": "3"})):
        page = opened(name, **query)
        (sentence,) = [e.value for e in page.error]
        assert "none can be started or changed" in sentence
        assert "lab cannot be written: Read-only file system. Set TPO\\_LAB\\_HOME to" in sentence
        assert len(chart(page)) == 8
    page = click(page, "Run")
    assert all("cannot be written" in e.value for e in page.error)
    assert len(chart(page)) == 8
    module.service().close()


def test_a_broken_run_is_named_and_the_others_work(runs: RunService, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = (wait(runs, runs.start(config), "done") for config in (SMALL, BanditConfig(steps=9, seeds=3)))
    with after(runs, monkeypatch, damage=path_of(runs.folder, bad)):
        page = opened(run=bad)
        assert f"{bad}.db" in page.error[0].value
        assert next(iter(shelf(page)["error"])) == "cannot be read"
        page = opened(run=good)
        assert not page.error
        assert len(chart(page)) == 8


def test_settings_of_a_newer_lab_are_said_and_the_others_work(runs: RunService) -> None:
    good, strange = (wait(runs, runs.start(config), "done") for config in (SMALL, BanditConfig(steps=9, seeds=3)))
    with runs.catalogue._writing:
        write = runs.catalogue._open_writer()
        write.execute("UPDATE runs SET config = ? WHERE id = ?", ('{"flux": 1}', strange))
    page = opened(run=strange)
    assert "Unknown setting" in page.error[0].value
    assert "cannot be read" in shelf(page)["differs"][0]
    assert {"Delete"} <= enabled(page)
    assert not opened(run=good).error
    assert not opened("bandits", steps="8", seeds="3").error


@pytest.mark.parametrize("name", ["runs", "bandits"])
def test_without_a_store_the_pages_say_why(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(home.VARIABLE, str(tmp_path / "file"))
    monkeypatch.setattr(module, "_service", None)
    (sentence,) = [e.value for e in opened(name).error]
    assert "is a file" in sentence


def test_without_a_store_the_lab_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(home.VARIABLE, str(tmp_path / "file"))
    monkeypatch.setattr(module, "_service", None)
    app = AppTest.from_file(str(ROOT / "tpo_lab/ui/lab.py"), default_timeout=30)
    assert not quiet(app.run()).error


def test_a_list_that_cannot_be_read_is_said_and_no_page_goes_down(
    runs: RunService, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait(runs, runs.start(SMALL), "done")
    with after(runs, monkeypatch, damage=runs.catalogue.path):
        for name in ("runs", "bandits", "tokens"):
            sentences = [e.value for e in opened(name).error]
            assert sentences, name
            assert "catalogue" in sentences[0]
        page = click(opened("bandits"), "Run")
        assert any("catalogue" in e.value for e in page.error)
