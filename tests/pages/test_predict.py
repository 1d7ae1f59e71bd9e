"""Predict, then reveal, on a page of runs: nothing is given away before the run, and it is scored after."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.page import texts
from tests.pages.runs_page import chart, click, enabled, opened, quiet, url
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.service import RunService

CONFIG = BanditConfig(steps=8, seeds=3, methods=("tpo", "dg", "grpo"))
LINK = {"steps": "8", "seeds": "3", "methods": "tpo,dg,grpo"}
ORDER = "Who ends with the smallest error, who next? Press the methods in this order."
ENDS = {"tpo": (0.1, 0.1, 0.1), "dg": (0.2, 0.3, 0.4), "grpo": (0.3, 0.3, 0.36)}  # DG and GRPO: .02 apart, s.e. .06


def ended(runs: RunService) -> str:
    """A run that has ended so."""
    run_id = runs.catalogue.add(CONFIG)
    with RunFile.create(runs.folder, run_id, ("error", "misalignment"), 3) as file:
        for method in CONFIG.methods:
            file.take(method)
            file.append(method, 0, np.tile(np.asarray(ENDS[method], np.float32), (8, 2, 1)))
            runs.catalogue.set_lane(run_id, method, status="done", steps=8)
    runs.catalogue.set_run(run_id, "done")
    return run_id


def pressed(page: AppTest, *names: str) -> AppTest:
    chips: Any = next(group for group in page.get("button_group") if group.proto.label == ORDER)
    return quiet(chips.set_value(list(names)).run())


def said(page: AppTest) -> str:
    return " ".join(m.value for m in page.markdown)


def test_an_order_of_all_methods_comes_first_and_what_is_there_is_not_shown(runs: RunService) -> None:
    ended(runs)
    page = opened("bandits", **LINK)
    assert len(chart(page)) == 8
    (toggle,) = [t for t in page.toggle if t.label == "Predict first"]
    page = quiet(toggle.set_value(True).run())
    assert len(chart(page)) == 0
    assert {"Run", "Another seed"}.isdisjoint(enabled(page))
    page = pressed(page, "grpo", "tpo")
    assert "1 GRPO · 2 TPO" in said(page)
    assert "Run" not in enabled(page)
    page = pressed(page, "grpo", "tpo", "dg")
    assert url(page) == {**LINK, "predict": "on", "order": "grpo,tpo,dg"}
    page = click(page, "Run")
    assert runs.list()[0].config == CONFIG
    assert url(page)["run"] == runs.list()[0].id
    assert not [group for group in page.get("button_group") if group.proto.label == ORDER]  # it cannot be changed now


def test_the_order_is_scored_once_the_run_has_ended(runs: RunService) -> None:
    page = opened("bandits", **LINK, predict="on", order="dg,tpo,grpo", run=ended(runs))
    assert "**1 of 3 pairs in the right order.** Wrong: DG before TPO." in said(page)
    assert "Too close to call, within one standard error of the difference: DG before GRPO." in said(page)
    assert "you expected" in texts(page)
    page = click(page, "Predict again")
    assert url(page) == {**LINK, "predict": "on"}
    assert "you expected" not in texts(page)


def test_a_run_that_has_not_come_to_its_end_has_no_score(runs: RunService) -> None:
    run_id = ended(runs)
    runs.catalogue.set_run(run_id, "stopped")
    page = opened("bandits", **LINK, predict="on", order="tpo,dg,grpo", run=run_id)
    assert "No score" in " ".join(c.value for c in page.caption)


@pytest.mark.usefixtures("runs")
def test_the_recording_gives_nothing_away_and_a_link_that_is_wrong_is_said() -> None:
    page = opened("bandits", predict="on")
    assert len(chart(page)) == 0
    assert not page.info
    assert "known: on" in opened("bandits", predict="yes").error[0].value
    assert "known: tpo, dg, grpo, pg" in opened("bandits", order="tpo,ppo").error[0].value
    assert not [t for t in opened("bandits", methods="tpo").toggle if t.label == "Predict first"]
