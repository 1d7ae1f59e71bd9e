"""The page Token reversal without a browser and without JAX: presets, fields, and what is asked of the service."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.runs_page import chart, click, enabled, opened, progress, quiet, url, wait
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.service import RunService

LIVE = PRESETS["live-terminal"].config


def typed(page: AppTest, label: str, value: float) -> AppTest:
    (field,) = [n for n in page.number_input if n.label.startswith(label)]
    return quiet(field.set_value(value).run())


def chosen(page: AppTest, label: str, value: str) -> AppTest:
    (box,) = [s for s in page.selectbox if s.label.startswith(label)]
    return quiet(box.set_value(value).run())


def preset(page: AppTest, name: str) -> AppTest:
    chips: Any = next(group for group in page.get("button_group") if group.proto.label == "Presets")
    return quiet(chips.set_value(name).run())


def config(runs: RunService) -> ReversalConfig:
    found = runs.list()[0].config
    assert isinstance(found, ReversalConfig)
    return found


def test_one_click_starts_the_live_preset_and_shows_it(runs: RunService) -> None:
    page = opened("tokens")
    assert progress(page).startswith("Recorded: step 120 of 120")
    assert url(page) == {}
    page = click(page, "Run")
    row = runs.list()[0]
    assert (row.config, row.preset) == (LIVE, "live-terminal")
    assert url(page) == {"run": row.id}
    wait(runs, row.id, "done")
    page = quiet(page.run())
    assert progress(page).startswith("Done: step 120 of 120")
    assert set(chart(page)["tpo"]) == {0.5}
    assert "About" in " ".join(c.value for c in page.caption)
    assert progress(opened("tokens")).startswith("Done")  # the latest run of these settings


def test_what_differs_from_the_preset_is_in_the_link_and_in_the_run(runs: RunService) -> None:
    page = typed(opened("tokens"), "Length H", 6)
    page = chosen(page, "Target", "flip")
    assert "(preset: 3)" in " ".join(n.label for n in page.number_input)
    assert url(page) == {"length": "6", "target": "flip"}
    page = click(opened("tokens", **url(page)), "Run")
    assert (config(runs).length, config(runs).target, config(runs).prompts) == (6, "flip", 64)


def test_the_papers_own_settings_are_one_click_away_and_so_is_the_way_back(runs: RunService) -> None:
    page = typed(opened("tokens"), "Length H", 6)
    page = preset(page, "table3-H10-prompt")
    assert url(page) == {"preset": "table3-H10-prompt"}
    assert [n.value for n in page.number_input if n.label.startswith("Length H")] == [10]
    page = click(typed(page, "Length H", 9), "Back to the preset")
    assert url(page) == {"preset": "table3-H10-prompt"}
    assert url(preset(page, "live-terminal")) == {}
    page = click(preset(page, "live-dense"), "Run")
    assert config(runs) == PRESETS["live-dense"].config


def test_bad_input_is_said_and_cannot_be_run(runs: RunService) -> None:
    page = typed(opened("tokens"), "Heads", 3)
    assert ["must be a multiple of the heads" in e.value for e in page.error] == [True]
    assert "Run" not in enabled(page)
    assert url(page) == {}
    page = typed(page, "Heads", 4)
    assert not page.error
    assert "Run" in enabled(page)
    assert not runs.list()


def test_a_method_per_token_needs_a_reward_per_token(runs: RunService) -> None:
    page = opened("tokens", methods="tpo_token")
    assert "terminal rewards have none" in page.error[0].value
    page = opened("tokens", methods="tpo_token", reward="bag")
    assert not page.error
    click(page, "Run")
    assert config(runs).methods == ("tpo_token",)


@pytest.mark.usefixtures("runs")
def test_no_method_is_no_run() -> None:
    page = opened("tokens")
    chips: Any = next(group for group in page.get("button_group") if group.proto.label == "Methods")
    page = quiet(chips.set_value([]).run())
    assert "at least one" in page.error[0].value
    assert "Run" not in enabled(page)


@pytest.mark.parametrize(
    "bad", [{"preset": "fig2"}, {"preset": "live"}, {"length": "long"}, {"see": "x"}, {"hue": "1"}]
)
@pytest.mark.usefixtures("runs")
def test_a_bad_link_is_said_and_the_first_preset_stays(bad: dict[str, str]) -> None:
    page = opened("tokens", **bad)
    assert ["The link could not be read." in e.value for e in page.error] == [True]
    assert [n.value for n in page.number_input if n.label.startswith("Length H")] == [3]


def test_a_run_of_another_page_is_not_drawn_here(runs: RunService) -> None:
    page = opened("tokens", run=wait(runs, runs.start(BanditConfig(steps=8, seeds=3)), "done"))
    assert "another page" in page.info[0].value


def test_a_deleted_run_is_not_drawn_as_if_it_were_there(runs: RunService) -> None:
    run = wait(runs, runs.start(BanditConfig(steps=8, seeds=3)), "done")
    runs.delete(run)
    page = opened("bandits", run=run)
    assert page.info[0].value == "This run is deleted."
