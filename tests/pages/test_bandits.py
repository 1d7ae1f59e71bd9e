"""The page Bandits without a browser and without JAX: what it asks of the service and what it shows of a run."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import runs_page
from tests.pages.runs_page import click, enabled, quiet, url
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot

PAGE = Path(__file__).parents[2] / "pages" / "bandits.py"
SMALL = {"steps": "8", "seeds": "3"}
CONFIG = BanditConfig(steps=8, seeds=3)


opened = partial(runs_page.opened, "bandits")


def ended(runs: RunService, run_id: str) -> Snapshot:
    while not runs.get(run_id).finished:
        time.sleep(0.01)
    return runs.get(run_id)


def typed(page: AppTest, label: str, value: float) -> AppTest:
    (field,) = [n for n in page.number_input if n.label.startswith(label)]
    return quiet(field.set_value(value).run())


def chart(page: AppTest, index: int = 0) -> pd.DataFrame:
    proto: Any = page.get("vega_lite_chart")[index].proto
    data = proto.datasets[0].data.data if proto.datasets else proto.data.data
    return pd.DataFrame(pa.ipc.open_stream(data).read_pandas())


def texts(page: AppTest) -> str:
    html = " ".join(element.proto.body for element in page.get("html"))
    return " ".join([html, *(p.proto.text for p in page.get("progress")), *(c.value for c in page.caption)])


def test_it_shows_the_run_that_was_computed_before_anybody_came(runs: RunService) -> None:
    run_id = runs.start(BanditConfig())
    ended(runs, run_id)
    page = opened()
    assert url(page) == {}  # as it was come to: a URL that were completed here would catch the way back
    assert len(chart(page)) == 150
    assert set(chart(page)["tpo"]) == {0.5}
    assert "Done: step 150 of 150" in texts(page)
    assert "50 ± 0&nbsp;% (n 100)" in texts(page)
    assert enabled(page) == {"Run", "Another seed"}
    assert "About" in texts(page)


def test_without_a_run_there_are_axes_and_a_sentence(runs: RunService) -> None:
    page = opened(**SMALL)
    assert len(chart(page)) == 0
    assert list(chart(page)) == list(chart(opened()))
    assert "No run to show yet." in texts(page)
    assert runs.list() == ()


def test_run_starts_what_the_fields_say_and_the_url_holds_it(runs: RunService) -> None:
    page = click(typed(typed(opened(**SMALL), "Temperature", 0.5), "Steps", 6), "Run")
    (run,) = runs.list()
    assert run.config == BanditConfig(eta=0.5, steps=6, seeds=3)
    assert url(page) == {"eta": "0.5", "steps": "6", "seeds": "3", "run": run.id}
    ended(runs, run.id)
    second_tab = opened(**url(page))
    assert len(chart(second_tab)) == 6
    assert [n.value for n in second_tab.number_input if n.label.startswith("Temperature")] == [0.5]
    assert "(preset: 1)" in " ".join(n.label for n in second_tab.number_input)


def test_another_seed_is_the_next_one(runs: RunService) -> None:
    page = click(opened(**SMALL, seed=str(2**31 - 1)), "Another seed")
    assert runs.list()[0].config.seed == 0
    ended(runs, runs.list()[0].id)
    page = click(quiet(page.run()), "Another seed")
    assert runs.list()[0].config.seed == 1
    assert url(page)["seed"] == "1"


def test_stop_keeps_the_curves_and_lets_run_again(runs: RunService) -> None:
    page = click(opened(**SMALL, seed="3"), "Run")
    run_id = runs.list()[0].id
    while runs.get(run_id).steps < 3 or runs.get(run_id).status != "running":
        time.sleep(0.01)
    page = quiet(page.run())
    assert enabled(page) == {"Pause", "Stop", "Back to the preset"}
    click(page, "Stop")
    ended(runs, run_id)
    page = quiet(page.run())
    assert len(chart(page)) == 3
    assert "Stopped: step 3 of 8" in texts(page)
    assert {"Run", "Another seed", "Resume"} <= enabled(page)


def test_a_failed_run_says_why(runs: RunService) -> None:
    page = click(opened(**SMALL, seed="4"), "Run")
    ended(runs, runs.list()[0].id)
    (reason,) = [e.value for e in quiet(page.run()).error]
    assert "FloatingPointError: too hot" in reason


def test_bad_input_is_said_and_changes_nothing_else(runs: RunService) -> None:
    run_id = runs.start(CONFIG)
    ended(runs, run_id)
    page = opened(**SMALL)
    before = url(page)
    page = typed(typed(page, "Temperature", 0.0), "Actions", 1)
    assert [e.value for e in page.error] == [
        "Actions K must be a whole number from 2 to 1,000, not 1.",
        "Temperature η must be a number from 0.01 to 100, not 0.",
    ]
    assert enabled(page) == {"Back to the preset"}
    assert (url(page), len(chart(page))) == (before, 8)
    page = click(page, "Back to the preset")
    assert not page.error
    assert "Run" in enabled(page)
    assert url(page) == {}


@pytest.mark.usefixtures("runs")
def test_no_method_is_no_run() -> None:
    page = opened(**SMALL)
    chips: Any = next(group for group in page.get("button_group") if group.proto.label == "Methods")
    page = quiet(chips.set_value([]).run())
    assert [e.value for e in page.error] == ["Choose at least one method of tpo, dg, grpo, pg."]
    assert "Run" not in enabled(page)


@pytest.mark.usefixtures("runs")
def test_a_bad_url_is_said_and_the_papers_settings_stay() -> None:
    page = opened(eta="hot", steps="8")
    (sentence,) = [e.value for e in page.error]
    assert "Temperature η must be a number, not 'hot'." in sentence
    assert [n.value for n in page.number_input if n.label == "Steps"] == [150]
    assert url(page) == {"eta": "hot", "steps": "8"}
    page = typed(page, "Seeds", 7)
    assert not page.error
    assert url(page) == {"seeds": "7"}


def test_a_preset_of_many_contexts_has_its_own_settings(runs: RunService) -> None:
    chips: Any = next(group for group in opened().get("button_group") if group.proto.label == "Presets")
    page = quiet(chips.set_value("fig3").run())
    assert url(page) == {"preset": "fig3"}
    assert [n.value for n in page.number_input if n.label.startswith("Contexts")] == [100]
    beta = chart(page, 2)
    assert set(beta.kind) == {"CE (oracle)", "TPO", "DG", "GRPO", "PG"}
    assert float(beta.value[(beta.kind == "TPO") & np.isclose(beta.p, 0.1)].iloc[0]) == pytest.approx(0.73, abs=0.005)
    page = click(typed(page, "Contexts", 7), "Run")
    assert (runs.list()[0].config, runs.list()[0].preset) == (MultiBanditConfig(contexts=7), "fig3")
    ended(runs, runs.list()[0].id)
    page = opened(**url(page))
    assert "fig3, contexts 7" in texts(page)
    assert set(chart(page)["ce"].dropna()) == {0.5}
    assert "Unknown setting 'steps'" in opened(preset="fig3", steps="8").error[0].value


def test_a_run_that_is_gone_leaves_its_settings(runs: RunService) -> None:
    page = opened(**SMALL, run="longgone")
    assert "This run is not here any more" in page.info[0].value
    assert len(chart(page)) == 0
    page = click(page, "Run")
    assert not page.info
    assert runs.list()[0].config == CONFIG


def test_a_run_that_waits_for_another_tabs_leads_to_it(runs: RunService) -> None:
    other = runs.start(BanditConfig(steps=9, seed=3))
    while runs.get(other).steps < 3 or runs.get(other).status != "running":
        time.sleep(0.01)
    page = click(opened(**SMALL), "Run")
    assert "Waiting: step 0" in texts(page)
    page = click(page, "Another run is computed first: show it")
    assert url(page) == {"steps": "9", "seed": "3", "run": other}
    page = click(page, "Stop")
    assert ended(runs, runs.list()[0].id).config == CONFIG


@pytest.mark.usefixtures("runs")
def test_a_fraction_is_no_whole_number() -> None:
    page = typed(opened(**SMALL), "Actions", 3.7)
    assert [e.value for e in page.error] == ["Actions K must be a whole number from 2 to 1,000, not 3.7."]
