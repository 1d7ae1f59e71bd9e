"""Figures of the paper, over few seeds: does the engine train as the paper says it does?

Seeds are 0, 1, 2, ... of the presets; the bounds are wider than what these seeds showed by a quarter or more. On one
core each of these takes minutes.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import first_below
from tpo_lab.training.reversal import chunk, init

pytestmark = pytest.mark.slow


def errors(preset: str, method: str, seeds: int, episodes: int, epochs: int | None = None) -> npt.NDArray[np.float64]:
    """The error of every episode, (episodes, seeds)."""
    config = PRESETS[preset].config
    assert isinstance(config, ReversalConfig)
    config = replace(config, methods=(method,), epochs=epochs)
    curves = [chunk(config, method, init(config, method, seed), episodes)[1]["error"] for seed in range(seeds)]
    return np.stack(curves, axis=1).astype(np.float64)


def steps_to_one_percent(preset: str, method: str, seeds: int, episodes: int) -> int:
    """First episode at which the mean error over the seeds is below 1 %; `episodes` if there is none."""
    at = first_below(errors(preset, method, seeds, episodes).mean(axis=1), 0.01)
    return episodes if at is None else at


def test_table_1_at_two_tokens() -> None:
    """The paper has 58 for TPO per token and 199 for DG over 20 seeds; three seeds showed 50 and 220."""
    tpo = steps_to_one_percent("table1-V2", "tpo_token", 3, 90)
    dg = steps_to_one_percent("table1-V2", "dg", 3, 300)
    assert 40 <= tpo <= 80
    assert 150 <= dg <= 280


def test_table_1_at_sixteen_tokens() -> None:
    """The paper has 102 and 393; three seeds showed 120 and 423."""
    tpo = steps_to_one_percent("table1-V16", "tpo_token", 3, 180)
    dg = steps_to_one_percent("table1-V16", "dg", 3, 600)
    assert 80 <= tpo <= 160
    assert 320 <= dg <= 550


def test_sequential_reverse_copy_of_table_2() -> None:
    """The paper has 159 for TPO per token and 515 for DG over 10 seeds; two seeds showed 149 and 354.

    GRPO per token, which never gets there in the paper, did so here after 173 (one seed), and is left out.
    """
    tpo = steps_to_one_percent("table2-sequential-reverse-copy", "tpo_token", 2, 220)
    dg = steps_to_one_percent("table2-sequential-reverse-copy", "dg", 2, 600)
    assert 100 <= tpo <= 200
    assert tpo * 1.5 < dg < 600


def test_the_temperatures_of_table_5() -> None:
    """The paper: within 141 episodes up to eta = 2, and 260 at 4. Two seeds showed 91, 69, 50, 71 and 109."""
    cool = {eta: steps_to_one_percent(f"table5-eta{eta}", "tpo_token", 2, 142) for eta in ("0.25", "0.5", "1", "2")}
    hot = steps_to_one_percent("table5-eta4", "tpo_token", 2, 250)
    assert max(cool.values()) <= 141
    assert cool["1"] < cool["2"] < hot < 250
    assert hot > 1.5 * cool["1"]


def test_terminal_reward_is_learnt_by_tpo_before_dg_and_dg_is_broken_by_four_epochs() -> None:
    """H = 7, prompt-matched, two seeds: the mean error over 600 episodes, and the last 20 of them for the epochs.

    The seeds of every method are bimodal, and TPO too has relapses; what is asserted is what all pairs of seeds showed.
    """
    tpo, dg, four = (
        errors("table3-H7-prompt", method, 2, 600, epochs)
        for method, epochs in (("tpo", None), ("dg", None), ("dg", 4))
    )
    assert tpo.mean(axis=0).max() < dg.mean(axis=0).min()
    assert dg[-20:].mean() + 0.5 < four[-20:].mean()
