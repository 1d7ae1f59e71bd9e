"""Figures of the paper, over few seeds: does the engine train as the paper says it does?"""

import numpy as np
import pytest

from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import first_below
from tpo_lab.training.reversal import chunk, init


def steps_to_one_percent(config: ReversalConfig, method: str, seeds: int, episodes: int) -> int | None:
    """First episode at which the mean error over the seeds is below 1 %."""
    curves = [chunk(config, method, init(config, method, seed), episodes)[1]["error"] for seed in range(seeds)]
    return first_below(np.mean(curves, axis=0, dtype=np.float64), 0.01)


@pytest.mark.slow
def test_table_1_at_two_tokens() -> None:
    """The paper has 58 for TPO per token and 199 for DG over 20 seeds; three seeds here."""
    config = PRESETS["table1-V2"].config
    assert isinstance(config, ReversalConfig)
    tpo = steps_to_one_percent(config, "tpo_token", 3, 90)
    dg = steps_to_one_percent(config, "dg", 3, 280)
    assert tpo is not None
    assert dg is not None
    assert 40 <= tpo <= 80
    assert 150 <= dg <= 260
