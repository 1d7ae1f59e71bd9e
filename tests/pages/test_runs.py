"""The page Runs without a browser and without JAX: the table, what is done with a run, and stores that are broken."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from streamlit.testing.v1 import AppTest

from tests.runs.store import new_home
from tests.runs.test_service import FAKE
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.runs import home
from tpo_lab.runs import service as module
from tpo_lab.runs.curves import path_of
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.service import RunService

ROOT = Path(__file__).parents[2]
SMALL = BanditConfig(steps=8, seeds=3)
HOLDS = BanditConfig(steps=8, seeds=3, seed=3)  # waits, after three steps, until it is told to leave


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunService]:
    service = RunService(new_home(tmp_path / "lab", monkeypatch), workers=1, command=FAKE)
    monkeypatch.setattr(module, "_service", service)
    yield service
    service.close()


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


def opened(name: str = "runs", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=30)
    for key, value in query.items():
        page.query_params[key] = value
    return quiet(page.run())


def quiet(page: AppTest) -> AppTest:
    assert not page.exception
    return page


def wait(runs: RunService, run_id: str, *statuses: str) -> str:
    """Until the run has one of the statuses."""
    deadline = time.monotonic() + 20
    while runs.get(run_id).status not in statuses or (runs.get(run_id).status == "running" and not _held(runs, run_id)):
        assert time.monotonic() < deadline, runs.get(run_id)
        time.sleep(0.01)
    return run_id


def _held(runs: RunService, run_id: str) -> bool:
    return bool(runs.get(run_id).steps)


def click(page: AppTest, label: str) -> AppTest:
    (button,) = [b for b in page.button if b.label == label]
    assert not button.disabled, label
    return quiet(button.click().run())


def enabled(page: AppTest) -> set[str]:
    return {b.label for b in page.button if not b.disabled}


def url(page: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in page.query_params.items()}


def shelf(page: AppTest) -> pd.DataFrame:
    return page.dataframe[0].value


def chart(page: AppTest, index: int = 0) -> pd.DataFrame:
    proto: Any = page.get("vega_lite_chart")[index].proto
    return pd.DataFrame(pa.ipc.open_stream(proto.datasets[0].data.data).read_pandas())


def field(page: AppTest, label: str) -> Any:
    (found,) = [f for f in page.text_input if f.label == label]
    return found


def progress(page: AppTest) -> str:
    return str(page.get("progress")[0].proto.text)


def test_the_table_has_every_run_with_what_differs_from_its_preset(runs: RunService) -> None:
    done = wait(runs, runs.start(SMALL), "done")
    pinned = wait(runs, runs.start(PRESETS["live-terminal"].config, "live-terminal", "For the talk"), "done")
    runs.catalogue.pin(done, True)
    table = shelf(opened())
    assert list(table["task"]) == ["bandit", "reversal"]  # the pinned one first, although it is older
    assert list(table["preset"]) == ["fig2", "live-terminal"]
    assert list(table["differs"]) == ["steps 8, seeds 3", ""]
    assert list(table["status"]) == ["Done", "Done"]
    assert list(table["seeds"]) == [3, 2]
    assert list(table["progress"]) == [100, 100]
    assert table["name"][1] == "For the talk"
    assert table["methods"][0] == "TPO, DG, GRPO, PG"
    assert table["error"][0] == "TPO 50 % · DG 50 % · GRPO 50 % · PG 50 %"
    assert pinned


def test_finding_runs_by_words_in_any_column(runs: RunService) -> None:
    runs.start(SMALL)
    runs.start(PRESETS["live-dense"].config, "live-dense")
    assert list(shelf(opened(find="dense"))["task"]) == ["reversal"]
    assert list(shelf(opened(find="bandit steps"))["task"]) == ["bandit"]
    page = opened(find="nothing like it")
    assert "No run has these words." in page.info[0].value
    page = quiet(field(page, "Find").set_value("BANDIT").run())
    assert url(page) == {"find": "BANDIT"}
    assert len(shelf(page)) == 1


def test_a_chosen_run_has_its_curves_and_results_whatever_its_kind(runs: RunService) -> None:
    for config, seen in ((SMALL, 2), (PRESETS["live-terminal"].config, 2)):
        run_id = wait(runs, runs.start(config), "done")
        page = opened(run=run_id)
        assert len(page.get("vega_lite_chart")) == seen
        assert set(chart(page)["tpo"].dropna()) == {0.5}
        assert progress(page).startswith("Done: step ")
        assert url(page) == {"run": run_id}


def test_diagnostic_scale_and_axis_are_in_the_link(runs: RunService) -> None:
    run_id = wait(runs, runs.start(SMALL), "done")
    page = opened(run=run_id, see="misalignment", scale="linear", over="seconds")
    (only,) = page.get("vega_lite_chart")
    spec = json.loads(only.proto.spec)
    assert spec["title"]["text"].startswith("Misalignment")
    assert spec["layer"][0]["encoding"]["x"]["title"] == "seconds of computing"
    assert "type" not in spec["layer"][0]["encoding"]["y"]["scale"]
    assert chart(page)["tpo_x"].max() == pytest.approx(7 * 0.1 / 8)


@pytest.mark.parametrize("bad", [{"see": "nonsense"}, {"scale": "cubic"}, {"over": "miles"}, {"colour": "red"}])
@pytest.mark.usefixtures("runs")
def test_a_bad_link_is_said_and_the_page_stays(bad: dict[str, str]) -> None:
    (sentence,) = [e.value for e in opened(**bad).error]
    assert "The link could not be read." in sentence
    assert "known: " in sentence


def test_pause_resume_and_stop(runs: RunService) -> None:
    run_id = wait(runs, runs.start(HOLDS), "running")
    waits = runs.start(SMALL)
    page = opened(run=run_id)
    assert {"Pause", "Stop"} <= enabled(page)
    assert "next in line" not in progress(page)
    assert shelf(page)["in line"][0].startswith("second in line")
    page = click(page, "Pause")
    wait(runs, run_id, "paused")
    wait(runs, waits, "done")  # it has given way
    page = quiet(page.run())
    assert progress(page).startswith("Paused: step 3 of 8")
    assert {"Resume", "Stop"} <= enabled(page)
    page = click(page, "Resume")
    assert runs.get(run_id).status in ("queued", "running")
    page = click(quiet(page.run()), "Stop")
    wait(runs, run_id, "stopped")
    page = quiet(page.run())
    assert progress(page).startswith("Stopped: step 3 of 8")
    assert "Stop" not in enabled(page)
    assert "Resume" in enabled(page)


def test_two_tabs_stop_the_same_run(runs: RunService) -> None:
    run_id = wait(runs, runs.start(HOLDS), "running")
    one, two = opened(run=run_id), opened(run=run_id)
    click(one, "Stop")
    wait(runs, run_id, "stopped")
    two = click(two, "Stop")
    assert not two.error
    assert progress(two).startswith("Stopped")


def test_delete_and_undo_also_from_another_tab(runs: RunService) -> None:
    run_id = wait(runs, runs.start(HOLDS), "running")
    drawn = opened(run=run_id)
    page = click(opened(run=run_id), "Delete")
    assert url(page) == {}
    assert not page.dataframe
    drawn = quiet(drawn.run())
    assert "Undo" in enabled(drawn)
    page = click(page, "Undo")
    assert url(page) == {"run": run_id}
    assert len(shelf(page)) == 1
    assert progress(quiet(page.run())).startswith("Stop")
    runs.delete(run_id)
    wait(runs, run_id, "stopped")
    runs.catalogue.purge()
    assert "This run is not here any more" in quiet(page.run()).info[-1].value


def test_name_note_and_pin(runs: RunService) -> None:
    run_id = wait(runs, runs.start(SMALL), "done")
    page = opened(run=run_id)
    page = quiet(field(page, "Name").set_value("Monday").run())
    page = quiet(field(page, "Note").set_value("for the *talk*").run())
    page = quiet(page.toggle[0].set_value(True).run())
    row = runs.get(run_id).row
    assert (row.name, row.note, row.pinned) == ("Monday", "for the *talk*", True)
    assert list(shelf(page)["name"]) == ["Monday"]
    assert len(shelf(opened(find="talk"))) == 1


def test_a_copy_with_changes_and_what_is_wrong_with_them(runs: RunService) -> None:
    run_id = wait(runs, runs.start(SMALL), "done")
    page = opened(run=run_id)
    page.session_state["runs.copy"] = True
    page = quiet(page.run())
    field(page, "eta").set_value("hot")
    page = click(page, "Start the copy")
    assert ["Temperature η must be a number, not 'hot'." in e.value for e in page.error] == [True]
    field(page, "eta").set_value("0.5")
    field(page, "methods").set_value("tpo, pg")
    page = click(page, "Start the copy")
    copy = runs.list()[0]
    assert copy.config == BanditConfig(steps=8, seeds=3, eta=0.5, methods=("tpo", "pg"))
    assert url(page) == {"run": copy.id}


def test_a_failed_lane_has_its_reason_and_the_log(runs: RunService) -> None:
    run_id = wait(runs, runs.start(BanditConfig(steps=8, seeds=3, seed=4)), "failed")
    page = opened(run=run_id)
    assert "FloatingPointError: too hot" in page.error[0].value
    (log,) = [code.value for code in page.code if "failed" in code.value]
    assert "reason=FloatingPointError: too hot" in log
    assert "Resume" in enabled(page)


def test_the_command_and_the_files(runs: RunService) -> None:
    run_id = wait(runs, runs.start(SMALL), "done")
    page = opened(run=run_id)
    assert [c.value for c in page.code] == ["tpo-lab run fig2 --set steps=8 --set seeds=3"]
    assert [b.proto.label for b in page.get("download_button")] == [
        "Curves (CSV)",
        "Every seed (Parquet)",
        "Settings (JSON)",
    ]


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
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
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
