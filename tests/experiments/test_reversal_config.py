"""The configuration of token reversal: round trip, refusals, budgets, presets."""

import math
from typing import Any

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import REVERSAL_METHODS, ReversalConfig


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"lenght": 3}, "config", "Unknown setting 'lenght'; known: methods, target"),
        ({"length": 0}, "length", "from 1 to 64"),
        ({"length": 2.5}, "length", "whole number"),
        ({"learning_rate": "fast"}, "learning_rate", "must be a number"),
        ({"target": "mirror"}, "target", "known: copy, flip"),
        ({"methods": ("tpp",)}, "reversal method", "known: tpo, dg"),
        ({"methods": ()}, "methods", "at least one"),
        ({"methods": "tpo"}, "methods", "list of names"),
        ({"methods": ("tpo_token",)}, "reward", "terminal rewards have none"),
        ({"eta": 0.0}, "eta", "from 0.001 to 1000"),
        ({"eta": math.nan}, "eta", "not nan"),
        ({"rule": "zscore"}, "rule", "Unknown rule 'zscore'; known: tpo_paper"),
        ({"log_probs": "max"}, "log_probs", "known: sum, mean"),
        ({"kl_budget": 0}, "kl_budget", "KL budget in nats, in place of eta must be a number from 1e-06 to 1000"),
        ({"kl_budget": 0.1, "eta": 2}, "kl_budget", "set one of them"),
        ({"kl_budget": 0.1, "anchor": 0.1}, "kl_budget", "set one of them"),
        ({"anchor": -1}, "anchor", "from 0 to 1000"),
        ({"epochs": 0}, "epochs", "from 1 to 64"),
        ({"heads": 3}, "heads", "multiple of the heads"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        ReversalConfig.from_mapping(values)
    assert caught.value.field == field


@pytest.mark.parametrize("text", ["[]", "{", "null"])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="one JSON object"):
        ReversalConfig.from_json(text)


def test_budgets_are_matched_by_prompts_or_by_interactions() -> None:
    prompt = ReversalConfig(methods=tuple(REVERSAL_METHODS), reward="bag")
    assert prompt.budget("tpo") == (100, 8, 1e-3)
    assert prompt.budget("ppo") == (100, 1, 1e-3)
    assert prompt.budget("tpo_token") == (100, 1, 1e-3)
    interaction = ReversalConfig(match="interaction")
    assert interaction.budget("tpo") == (100, 8, 1e-3)
    assert interaction.budget("dg") == (800, 1, 1e-3 * math.sqrt(8))


def test_a_methods_own_constants_stand_unless_set() -> None:
    assert ReversalConfig().epochs_of("dg") == 1
    assert ReversalConfig(epochs=4).epochs_of("dg") == 4
    assert ReversalConfig().knobs("grpo") == {"clip": 0.2, "kl_weight": 0.04}
    assert ReversalConfig(eta=2, clip=0.3).knobs("tpo") == {"eta": 2.0}


def test_tpos_options_are_for_the_methods_that_take_them() -> None:
    config = ReversalConfig(methods=("tpo", "group_pg", "grpo"), rule="dr_grpo", log_probs="mean", anchor=0.1)
    assert [config.rule_of(m) for m in config.methods] == ["dr_grpo", "dr_grpo", None]
    assert [config.averages_tokens(m) for m in config.methods] == [True, False, False]
    assert config.knobs("tpo") == {"eta": 1.0, "anchor": 0.1}
    assert config.knobs("grpo") == {"clip": 0.2, "kl_weight": 0.04}
    assert ReversalConfig(kl_budget=0.05).knobs("tpo") == {"eta": 1.0, "kl_budget": 0.05}
