"""What pages of runs show before anything has been run: what was recorded, marked as such, until a run is there."""

import shutil
from pathlib import Path

import pytest

from tests.pages.runs_page import chart, click, enabled, opened, progress, quiet, url, wait
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import recording
from tpo_lab.runs.service import RunService


def test_a_recording_is_there_at_once_and_the_live_run_is_drawn_over_it(runs: RunService) -> None:
    page = opened("bandits")
    assert progress(page).startswith("Recorded: step 150 of 150")
    (mark,) = [info.value for info in page.info]
    assert mark.startswith("**Recorded**: ")
    assert "tpo-lab 0." in mark
    assert "cores" in mark
    recorded = chart(page)
    assert len(recorded) == 150
    assert recorded["tpo"].iloc[-1] < 0.01 < recorded["tpo"].iloc[0]
    assert set(recorded["tpo_n"]) == {100}
    assert len(chart(page, 1)["grpo"].dropna()) == 150
    assert enabled(page) == {"Run", "Another seed"}
    assert (url(page), runs.list()) == ({}, ())
    assert {b.proto.label for b in page.get("download_button")} >= {"Curves (CSV)", "Every seed (Parquet)"}
    page = click(page, "Run")
    assert not page.info
    wait(runs, runs.list()[0].id, "done")
    page = quiet(page.run())
    assert progress(page).startswith("Done: step 150 of 150")
    assert set(chart(page)["tpo"]) == {0.5}
    again = opened("bandits")  # the run of the store goes before the recording
    assert set(chart(again)["tpo"]) == {0.5}


def test_a_run_that_was_ended_early_is_seen_by_its_link_and_where_nothing_was_recorded(runs: RunService) -> None:
    short, other = (runs.catalogue.add(config) for config in (BanditConfig(), BanditConfig(eta=0.5)))
    for run_id in (short, other):
        runs.catalogue.set_run(run_id, "stopped")
    assert progress(opened("bandits")).startswith("Recorded")
    assert progress(opened("bandits", run=short)).startswith("Stopped")
    assert progress(opened("bandits", eta="0.5")).startswith("Stopped")


@pytest.mark.usefixtures("runs")
def test_other_settings_and_other_looks_at_it() -> None:
    assert progress(opened("bandits", eta="0.5")) == "No run to show yet."
    page = opened("bandits", lines="seeds", band="quartiles", see="error,kl")
    assert len(chart(page)) == 150
    assert len(chart(page, 1)["tpo"].dropna()) == 0  # it was not recorded, and is not made up
    assert "step 150" in progress(opened("bandits", run="recorded-fig2", eta="0.5"))


@pytest.mark.parametrize("damaged", [True, False])
def test_without_a_readable_one_there_are_axes_and_a_sentence(
    runs: RunService, damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "FOLDER", tmp_path / "recordings")
    if damaged:
        shutil.copytree(Path(__file__).parents[2] / "assets" / "recordings", tmp_path / "recordings")
        file = tmp_path / "recordings" / "fig2.parquet"
        file.write_bytes(file.read_bytes()[:-1000])
    page = opened("bandits")
    assert [info.value for info in page.info] == damaged * [
        "The recorded run of fig2 is damaged; Run computes it here."
    ]
    assert len(chart(page)) == 0
    assert progress(page) == "No run to show yet."
    assert "This recorded run is not here." in opened("bandits", run="recorded-nothing").info[0].value
    click(page, "Run")
    assert runs.list()[0].config == BanditConfig()
