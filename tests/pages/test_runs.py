"""The page Runs without a browser and without JAX: the table, and what is done with a run."""

import json
import os
import signal
from dataclasses import replace

import pytest

from tests.pages.runs_page import HOLDS, SMALL, chart, click, enabled, field, opened, progress, quiet, shelf, url, wait
from tests.runs.fates import computing, until
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.runs.service import RunService


def test_the_table_has_every_run_with_what_differs_from_its_preset(runs: RunService) -> None:
    done = wait(runs, runs.start(SMALL), "done")
    pinned = wait(runs, runs.start(PRESETS["live-terminal"].config, "live-terminal", "For the talk"), "done")
    runs.catalogue.pin(done, True)
    table = shelf(opened())
    assert list(table["task"]) == ["bandit", "reversal"]  # the pinned one first, although it is older
    assert list(table["preset"]) == ["fig2", "live-terminal"]
    assert list(table["differs"]) == ["steps 8, seeds 3", ""]
    assert list(table["status"]) == ["Done", "Done"]
    assert list(table["seeds"]) == [3, 3]
    assert list(table["progress"]) == [100, 100]
    assert table["name"][1] == "For the talk"
    assert table["methods"][0] == "TPO, DG, GRPO, PG"
    assert table["to1"][0] == "TPO - · DG - · GRPO - · PG -"
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
    assert "seconds of computing" in only.proto.spec
    assert '"log"' not in only.proto.spec
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


def test_several_runs_are_paused_resumed_and_stopped_together(runs: RunService) -> None:
    going = wait(runs, runs.start(HOLDS), "running")
    waits = runs.start(replace(HOLDS, samples=7))
    page = click(opened(run=f"{going},{waits}"), "Pause all")
    for run_id in (going, waits):
        wait(runs, run_id, "paused")
    assert {lane.attempts for lane in runs.get(waits).row.lanes} == {0}  # its turn has not come meanwhile
    page = click(quiet(page.run()), "Resume all")
    wait(runs, going, "running")
    page = click(quiet(page.run()), "Stop all")
    for run_id in (going, waits):
        wait(runs, run_id, "stopped")
    assert {"Resume all"} == {label for label in enabled(quiet(page.run())) if label.endswith("all")}


def test_a_worker_that_was_killed_is_said_and_its_run_goes_on(runs: RunService) -> None:
    run_id = wait(runs, runs.start(replace(HOLDS, methods=("tpo",))), "running")
    assert "worker" not in progress(opened(run=run_id))
    os.kill(computing(runs)[0], signal.SIGKILL)
    until(lambda: runs.get(run_id).row.lanes[0].attempts == 2)
    page = opened(run=run_id)
    assert "worker lost, another goes on: TPO" in progress(page)
    assert "TPO: The worker process was killed" in page.error[0].value
    assert [code for code in page.code if "The worker process was killed" in code.value]  # in the log
    click(page, "Stop")
    wait(runs, run_id, "stopped")
    assert not opened(run=run_id).error


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
        "Results (CSV)",
        "Every seed (Parquet)",
        "Settings (JSON)",
    ]


def test_several_runs_are_drawn_in_the_same_axes(runs: RunService) -> None:
    small = wait(runs, runs.start(SMALL), "done")
    goes_on = wait(runs, runs.start(replace(HOLDS, samples=7, methods=("tpo", "pg"))), "running")
    page = opened(run=f"{small},{goes_on}")
    table = chart(page)
    assert set(table["tpo_0"].dropna()) == {0.5}
    assert table["tpo_1"].count() == 3
    assert "dg_1" not in table
    assert len(page.get("vega_lite_chart")) == 2
    legend = json.loads(page.get("vega_lite_chart")[0].proto.spec)["layer"][0]["layer"][1]["encoding"]["strokeDash"]
    assert legend["scale"]["domain"] == ["B = 100, seed = 0", "B = 7, seed = 3"]
    html = " ".join(element.proto.body for element in page.get("html"))
    assert "<th>samples</th><th>seed</th><th>methods</th>" in html
    assert "3 of 8" in html
    assert [c.value.count("\n") for c in page.code] == [1]
    assert url(page) == {"run": f"{small},{goes_on}"}
    assert {b.proto.label for b in page.get("download_button")} >= {"Results (CSV)", "Curves (CSV)"}
    page = click(opened(run=small), "Another seed")
    assert runs.list()[0].config == replace(SMALL, seed=1)
    assert url(page) == {"run": runs.list()[0].id}
