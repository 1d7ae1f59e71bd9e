"""The page Mechanism without a browser and without JAX: one race, and sweeps that start, reuse and stop runs."""

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.page import control, data, sentences, texts, typed
from tests.pages.runs_page import click, enabled, opened, progress, quiet, url, wait
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.service import RunService

LIVE = PRESETS["live-why"].config
LEFT = ["Error", "Mean |weight| of successes", "Groups without a success"]
RIGHT = ["Norm of the gradient", "Mean |weight| of failures", "Prompts with a success"]


def pressed(page: AppTest, label: str, value: str) -> AppTest:
    """The page after a choice in a row of buttons."""
    group: Any = next(g for g in page.get("button_group") if g.proto.label == label)
    return quiet(group.set_value(value).run())


def configs(runs: RunService) -> dict[str, Any]:
    return {row.name: row.config for row in reversed(runs.list())}


def small(**changes: Any) -> ReversalConfig:
    assert isinstance(LIVE, ReversalConfig)
    return replace(LIVE, **changes)


def test_one_race_has_the_diagnostics_of_the_mechanism_beside_each_other(runs: RunService) -> None:
    page = opened("mechanism")
    assert progress(page).startswith("Recorded: step 160 of 160")
    page = click(page, "Run")
    row = runs.list()[0]
    assert (row.config, row.preset, url(page)) == (LIVE, "live-why", {"run": row.id})
    wait(runs, row.id, "done")
    page = quiet(page.run())
    assert progress(page).startswith("Done: step 160 of 160")
    titles = [json.loads(c.proto.spec)["title"]["text"].partition(":")[0] for c in page.get("vega_lite_chart")]
    assert titles == LEFT + RIGHT
    assert {*data(page, 0, "curves")["grpo"]} <= {0.5, None}
    page = pressed(page, "Presets", "fig10")
    assert url(page) == {"preset": "fig10"}
    click(page, "Run")
    assert runs.list()[0].config == PRESETS["fig10"].config


def test_a_sweep_is_one_run_per_value_and_its_summary_fills_as_they_end(runs: RunService) -> None:
    there = wait(runs, runs.start(LIVE), "done")  # K = 8 is the preset
    page = pressed(opened("mechanism"), "View", "sweep")
    assert url(page) == {"view": "sweep"}
    assert data(page, 0, "ends")["label"] == ["8", "8"]
    assert "1 of 4 runs are there" in " ".join(c.value for c in page.caption)
    page = click(page, "Run the sweep")
    assert configs(runs) == {"": LIVE} | {f"K = {k} · sweep": small(candidates=k) for k in (4, 16, 32)}
    ids = url(page)["run"].split(",")
    assert ids[1] == there
    for run_id in ids:
        wait(runs, run_id, "done")
    page = quiet(page.run())
    table = data(page, 0, "ends")
    assert table["label"] == ["4", "4", "8", "8", "16", "16", "32", "32"]
    assert table["kind"] == ["TPO", "GRPO"] * 4
    assert (set(table["mean"]), set(table["error"]), set(table["n"])) == ({0.5}, {0.0}, {3.0})
    assert {"tpo_0", "grpo_3"} <= {*data(page, 1, "curves")}
    assert "K = 32" in texts(page)
    assert {"Run the sweep", "Stop all"}.isdisjoint(enabled(page))
    assert {b.proto.label for b in page.get("download_button")} >= {"Results (CSV)", "Curves (CSV)"}
    assert data(opened("mechanism", **url(page)), 0, "ends") == table


def test_masking_and_anchor_are_one_run_of_several_methods(runs: RunService) -> None:
    page = click(opened("mechanism", view="sweep", vary="anchor"), "Run the sweep")
    methods = ("tpo", "tpo_no_anchor", "group_pg", "grpo", "grpo_no_kl")
    assert configs(runs) == {"Anchor · sweep": small(methods=methods)}
    wait(runs, runs.list()[0].id, "done")
    page = quiet(page.run())
    assert data(page, 0, "ends")["label"] == ["TPO", "TPO, no anchor", "Group PG", "GRPO", "GRPO, no KL"]
    page = click(pressed(page, "Vary", "masking"), "Run the sweep")
    assert runs.list()[0].config == small(methods=("tpo", "grpo", "grpo_masked"))
    assert url(page)["vary"] == "masking"


def test_a_temperature_is_varied_for_the_methods_that_have_one(runs: RunService) -> None:
    page = pressed(opened("mechanism", view="sweep"), "Vary", "eta")
    page = typed(page, "Values", "0.5, 2")
    assert url(page) == {"view": "sweep", "vary": "eta", "values": "0.5, 2"}
    click(page, "Run the sweep")
    assert configs(runs) == {f"η = {eta:g} · sweep": small(methods=("tpo",), eta=eta) for eta in (0.5, 2.0)}
    (sentence,) = sentences(opened("mechanism", view="sweep", vary="eta", methods="grpo"))
    assert "None of the methods chosen has η to vary; those that have: TPO, DG" in sentence


def test_stop_all_ends_the_runs_and_go_on_resumes_them(runs: RunService) -> None:
    page = opened("mechanism", view="sweep", vary="epochs", values="1, 2", seed="3")  # a run that waits
    page = click(page, "Run the sweep")
    ids = url(page)["run"].split(",")
    wait(runs, ids[0], "running")
    page = click(quiet(page.run()), "Stop all")
    for run_id in ids:
        wait(runs, run_id, "stopped")
    page = quiet(page.run())
    assert "Stop all" not in enabled(page)
    assert data(page, 0, "ends")["label"] == []  # none has come to its end
    page = click(page, "Go on")
    wait(runs, ids[0], "running")
    assert len(runs.list()) == 2
    assert "Stop all" in enabled(quiet(page.run()))


@pytest.mark.parametrize(
    ("text", "words"),
    [("4, many", "not 'many'"), ("4", "from 2 to 8 values, not 1"), ("1, 2", "Candidates K must be a whole number")],
)
def test_bad_values_are_said_and_nothing_is_run(runs: RunService, text: str, words: str) -> None:
    page = typed(opened("mechanism", view="sweep"), "Values", text)
    assert [words in sentence for sentence in sentences(page)] == [True]
    assert "Run the sweep" not in enabled(page)
    assert control(page, "text_input", "Values").value == text
    assert not runs.list()


@pytest.mark.parametrize("bad", [{"view": "x"}, {"vary": "x"}, {"preset": "fig2"}, {"view": "sweep", "values": "x"}])
@pytest.mark.usefixtures("runs")
def test_a_bad_link_is_said_and_the_page_stays(bad: dict[str, str]) -> None:
    page = opened("mechanism", **bad)
    assert ["The link could not be read." in sentence for sentence in sentences(page)] == [True]
    assert len(page.get("vega_lite_chart")) == 6


def test_a_preset_leaves_the_view_and_a_run_of_another_page_is_not_drawn(runs: RunService) -> None:
    page = pressed(opened("mechanism", view="sweep", vary="epochs", length="6"), "Presets", "fig11")
    assert url(page) == {"preset": "fig11", "view": "sweep", "vary": "epochs"}
    page = opened("mechanism", run=wait(runs, runs.start(BanditConfig(steps=8, seeds=3)), "done"))
    assert "another page" in page.info[0].value
