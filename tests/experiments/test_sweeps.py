"""What configurations are called beside each other, and what one of their steps costs."""

from dataclasses import replace

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments import costs
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.sweeps import differing, names


def test_runs_are_named_by_what_differs() -> None:
    base = ReversalConfig()
    assert names([replace(base, candidates=k) for k in (4, 16)]) == ("K = 4", "K = 16")
    assert names([replace(base, eta=0.5), replace(base, reward="bag")]) == (
        "reward = terminal, η = 0.5",
        "reward = bag, η = not set",
    )
    assert names([base, replace(base, methods=("tpo",))]) == ("methods = tpo, grpo, ppo, dg", "methods = tpo")
    assert names([base]) == ("",)


def test_runs_that_cannot_be_named_apart_are_numbered() -> None:
    base = ReversalConfig()
    assert names([base, base]) == ("run 1", "run 2")
    third = replace(base, candidates=4, prompts=7, length=9)
    assert len({*names([base, replace(base, candidates=4, prompts=7), third])}) == 3


def test_what_differs_has_every_value() -> None:
    assert differing([ReversalConfig(candidates=k, methods=("tpo",)) for k in (4, 8)]) == {"candidates": (4, 8)}
    table = differing([BanditConfig(), ReversalConfig()])
    assert table["task"] == ("bandit", "reversal")
    assert table["candidates"] == (None, 8)


def test_rollouts_and_gradient_steps_of_a_step() -> None:
    prompt, interaction = ReversalConfig(), ReversalConfig(match="interaction")
    assert [costs.rollouts(prompt, m) for m in ("tpo", "dg")] == [800, 100]
    assert [costs.rollouts(interaction, m) for m in ("tpo", "dg")] == [800, 800]
    assert [costs.gradient_steps(prompt, m) for m in ("tpo", "dg")] == [4, 1]
    assert costs.gradient_steps(replace(prompt, epochs=16), "dg") == 16
    assert costs.rollouts(BanditConfig(samples=30), "tpo") == 30
    assert costs.rollouts(MultiBanditConfig(update="sampled"), "tpo") == 100 * 100
    assert (costs.rollouts(DigitsConfig(), "pg"), costs.gradient_steps(DigitsConfig(), "pg")) == (100, 1)
    with pytest.raises(InputError, match="Exact updates draw no rollouts"):
        costs.rollouts(MultiBanditConfig(), "tpo")
