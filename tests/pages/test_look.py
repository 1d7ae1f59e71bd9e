"""Look inside a run without a browser: the episodes that were kept, the strip, one group, and where it opens."""

import json
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.runs_page import opened, quiet, url, wait
from tpo_lab import group
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.group.scenario import Scenario
from tpo_lab.runs import looks
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.database import writing
from tpo_lab.runs.service import RunService
from tpo_lab.training.look import Look
from tpo_lab.training.look_group import KINDS, group_of, kinds_of

LIVE = ReversalConfig(length=4, prompts=32, episodes=120, seeds=2)
RIGHT = [[False] * 8, [True, False] * 4, [True] * 8]  # by group and candidate: all fail, mixed, all pass


def made_up(method: str, episode: int = 0) -> Look:
    """A batch of three prompts whose outputs are right or wrong in their last token."""
    chance = np.random.default_rng(episode)
    prompts = chance.integers(0, 2, (3, 4))
    wanted = prompts[:, ::-1]
    candidates = np.zeros((3, 4, 0), int)
    right = np.array(RIGHT)[:, : 8 if method == "tpo" else 1]
    outputs = np.repeat(wanted[:, None], right.shape[1], axis=1)
    outputs[..., -1] ^= ~right
    log_p = np.log(chance.uniform(0.1, 0.9, outputs.shape))
    rewards = np.repeat(right[..., None], 4, axis=2)
    signal, compared = (rewards.sum(axis=-1), log_p.sum(axis=-1)) if method == "tpo" else (rewards[:, 0], log_p[:, 0])
    if method == "tpo_token":
        candidates = np.repeat(wanted[..., None], 8, axis=2)
        candidates[:, :, 4:] ^= 1
        signal, compared = candidates == wanted[..., None], np.log(chance.uniform(0.1, 0.9, candidates.shape))
    weights = group.target(compared, group.standardise(signal.astype(float)))
    return Look(prompts, wanted, outputs, candidates, rewards, log_p, signal, compared, compared, weights)


def kept(runs: RunService, config: ReversalConfig, *episodes: int) -> str:
    """A run that is done, and of each method these batches."""
    run_id = wait(runs, runs.start(config), "done")
    keep(runs, run_id, config, *episodes)
    return run_id


def keep(runs: RunService, run_id: str, config: ReversalConfig, *episodes: int) -> None:
    reading = RunFile.open(runs.folder, run_id)
    assert reading
    reading.close()
    file = RunFile.create(runs.folder, run_id, reading.diagnostics, reading.seeds)
    with file, writing(file._connection, file.path):
        for method, episode in product(config.methods, episodes):
            looks.put(file._connection, method, episode, looks.to_bytes(made_up(method, episode)))


def said(page: AppTest) -> str:
    bodies: list[Any] = [html.proto.body for html in page.get("html")]
    return " ".join([*bodies, *(c.value for c in page.caption), *(e.value for e in page.error)])


def strip(page: AppTest) -> dict[str, Any]:
    """What the strip was given."""
    found: list[Any] = [c.proto for c in page.get("bidi_component") if "look_strip" in c.proto.component_name]
    (proto,) = found
    data: dict[str, Any] = json.loads(proto.mixed.json if proto.WhichOneof("data") == "mixed" else proto.json)
    return data


def test_a_kept_batch_is_seen_group_by_group_and_opens_elsewhere(
    runs: RunService, opened_on: dict[str, dict[str, str]]
) -> None:
    run_id = kept(runs, LIVE, 0, 5)
    page = opened("tokens", run=run_id)
    assert "Group 1" not in said(page)
    chips: Any = next(g for g in page.get("button_group") if "Look inside" in g.proto.label)
    page = quiet(chips.set_value("tpo").run())
    assert url(page) == {"run": run_id, "inside": "tpo"}
    assert "Group 1: all fail, 0 of 8 right" in said(page)
    assert "Episode 5," in said(page)
    keep(runs, run_id, LIVE, 119)  # as a worker does
    page = quiet(page.run())
    assert "Episode 119," in said(page)  # the newest is followed
    assert page.select_slider[0].value == 119

    page = opened("tokens", run=run_id, inside="tpo", episode="6", group="2")
    assert "Group 2: mixed, 4 of 8 right" in said(page)
    assert "Episode 5, the first seed, the first 3 of 32 prompts" in said(page)
    drawn = strip(page)
    assert [drawn["kinds"][i]["label"] for i in drawn["rows"][0]] == ["all fail", "mixed", "all pass"]
    assert drawn["chosen"] == [1, 0]
    look = made_up("tpo", 5)
    scenario = Scenario.from_query(opened_on["target"])
    assert scenario.scores == (4.0, 0.0) * 4
    np.testing.assert_allclose(scenario.log_p_old(), look.log_p_old[1], rtol=1e-6)
    assert opened_on["one_update"] == opened_on["low_variance"] == opened_on["target"]
    q = group.target(scenario.log_p_old(), group.standardise(scenario.score_array()))
    assert f"</span>{q[0]:.3g}</td>" in said(page)

    (slider,) = page.select_slider
    assert slider.value == 5
    page = quiet(slider.set_value(0).run())
    assert url(page) == {"run": run_id, "inside": "tpo", "episode": "0", "group": "2"}
    page = quiet(page.select_slider[0].set_value(119).run())
    assert "episode" not in url(page)


def test_samples_without_a_group_are_shown_as_such(runs: RunService, opened_on: dict[str, dict[str, str]]) -> None:
    page = opened("tokens", run=kept(runs, LIVE, 0), inside="ppo", group="2")
    assert "Prompt 2: right" in said(page)
    assert "there is no group" in said(page)
    assert "target" not in opened_on


def test_next_tokens_are_groups_at_each_place(runs: RunService, opened_on: dict[str, dict[str, str]]) -> None:
    config = replace(LIVE, methods=("tpo_token",), reward="bag")
    page = opened("tokens", run=kept(runs, config, 0), inside="tpo_token", group="3.2")
    assert "Token 2 of prompt 3: mixed, 4 of 8 right" in said(page)
    assert (len(strip(page)["rows"]), strip(page)["chosen"]) == (4, [2, 1])
    assert Scenario.from_query(opened_on["target"]).scores == (1.0,) * 4 + (0.0,) * 4


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"inside": "sft"}, "Unknown method 'sft'; known: tpo,"),
        ({"inside": "rloo"}, "This run has no RLOO."),
        ({"inside": "tpo", "group": "first"}, "The group must be a whole number, not 'first'."),
        ({"inside": "tpo", "episode": "-1"}, "The episode must be a whole number, not '-1'."),
    ],
)
def test_a_bad_link_is_one_sentence(runs: RunService, query: dict[str, str], sentence: str) -> None:
    page = opened("tokens", run=wait(runs, runs.start(LIVE), "done"), **query)
    assert [sentence in e.value.replace("\\", "") for e in page.error] == [True]


def test_a_run_without_kept_batches_says_so(runs: RunService) -> None:
    page = opened("tokens", run=wait(runs, runs.start(LIVE), "done"), inside="tpo")
    assert "Nothing was kept of this run." in said(page)


@pytest.mark.parametrize(
    ("scores", "kinds"),
    [
        ([[0, 0], [4, 4], [2, 2], [2, 3], [0, 4]], ["all_fail", "all_pass", "equal", "mixed", "mixed"]),
        ([[2] * 11 + [3]], ["low_sigma"]),
    ],
)
def test_every_kind_is_told_from_the_scores_per_token(scores: list[list[int]], kinds: list[str]) -> None:
    look = made_up("tpo")._replace(signal=np.array(scores))
    assert [KINDS[i] for i in kinds_of(replace(LIVE, reward="bag"), "tpo", look)] == kinds


def test_a_target_that_other_pages_do_not_compute_is_marked() -> None:
    look = made_up("tpo")
    assert group_of(LIVE, "tpo", look, 1).plain
    moved = look._replace(weights=np.roll(look.weights, 1, axis=-1))
    assert not group_of(LIVE, "tpo", moved, 1).plain
    assert not group_of(replace(LIVE, candidates=8, eta=0.5), "tpo", look, 1).plain
