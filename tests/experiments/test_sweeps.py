"""What configurations are called beside each other, and what one of their steps costs."""

from dataclasses import replace

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments import costs
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.sweeps import SWEEPS, differing, names, values_of


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


def test_a_sweep_is_one_run_per_value_or_one_of_several_methods() -> None:
    base = ReversalConfig(methods=("tpo", "grpo"), seeds=3)
    runs = SWEEPS["epochs"].configs(base)
    assert list(runs) == [f"epochs = {n}" for n in (1, 2, 4, 8, 16)]
    assert [run.epochs for run in runs.values()] == [1, 2, 4, 8, 16]
    assert runs["epochs = 8"] == replace(base, epochs=8)
    assert SWEEPS["candidates"].configs(base, (5.0,)) == {"K = 5": replace(base, candidates=5)}
    assert SWEEPS["eta"].configs(base, (0.5,)) == {"η = 0.5": replace(base, methods=("tpo",), eta=0.5)}
    assert SWEEPS["masking"].configs(base) == {"Masking": replace(base, methods=("tpo", "grpo", "grpo_masked"))}
    assert {len(SWEEPS[name].configs(base)) for name in ("masking", "anchor")} == {1}


def test_a_sweep_says_what_it_cannot_vary() -> None:
    with pytest.raises(InputError, match="None of the methods chosen has η to vary; those that have: TPO, DG"):
        SWEEPS["eta"].configs(ReversalConfig(methods=("grpo", "pg")))
    with pytest.raises(InputError, match="Epochs must be a whole number from 1 to 64"):
        SWEEPS["epochs"].configs(ReversalConfig(), (1.5,))
    with pytest.raises(InputError, match="A KL budget solves for eta"):
        SWEEPS["eta"].configs(ReversalConfig(methods=("tpo",), kl_budget=0.1))


@pytest.mark.parametrize(
    ("text", "values"), [("", ()), (" ", ()), ("4, 8", (4, 8)), ("1 .5,2", (1, 0.5, 2)), ("4,4.0,8", (4, 8))]
)
def test_values_as_people_type_them(text: str, values: tuple[float, ...]) -> None:
    assert values_of(text, 8) == values


@pytest.mark.parametrize(
    ("text", "words"),
    [("4, x", "not 'x'"), ("4; 8", "not '4;'"), ("4", "from 2 to 3 values, not 1"), ("1 2 3 4", "not 4")],
)
def test_values_that_are_none_or_too_many_are_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        values_of(text, 3)
    assert caught.value.field == "values"
