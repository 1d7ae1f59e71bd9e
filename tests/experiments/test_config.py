"""A run's configuration: what is allowed, what is said otherwise, and the same value in JSON."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BANDIT_METHODS, SETTINGS, BanditConfig

CONFIGS = st.builds(
    BanditConfig,
    actions=st.integers(2, 1_000),
    samples=st.integers(1, 10_000),
    alpha=st.floats(1e-3, 10),
    eta=st.floats(0.01, 100),
    baseline=st.floats(0, 1),
    steps=st.integers(1, 10_000),
    seeds=st.integers(1, 1_000),
    seed=st.integers(0, 2**31 - 1),
    update=st.sampled_from(("sampled", "exact")),
    methods=st.sets(st.sampled_from(list(BANDIT_METHODS)), min_size=1).map(tuple),
)


def test_the_defaults_are_the_papers() -> None:
    assert BanditConfig() == BanditConfig(100, 100, 0.1, 1.0, 0.5, 150, 100, 0, ("tpo", "dg", "grpo", "pg"), "sampled")


@settings(deadline=None)  # the first call of a busy machine may take a second
@given(CONFIGS)
def test_json_gives_the_same_configuration_back(config: BanditConfig) -> None:
    assert BanditConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"eta": 0}, "eta", "Temperature η must be a number from 0.01 to 100, not 0."),
        ({"eta": "hot"}, "eta", "Temperature η must be a number, not 'hot'."),
        ({"alpha": math.nan}, "alpha", "Step length α must be a number, not nan."),
        ({"actions": 2.5}, "actions", "Actions K must be a whole number from 2 to 1,000, not 2.5."),
        ({"steps": int("1" * 30)}, "steps", "from 1 to 10,000"),
        ({"steps": "1" * 5000}, "steps", "must be a number, not"),
        ({"seed": True}, "seed", "First seed must be a number, not True."),
        ({"seeds": [1]}, "seeds", "Seeds must be a number, not [1]."),
        ({"methods": ("tpo", "ppo")}, "bandit method", "Unknown bandit method 'ppo'; known: tpo, dg, grpo, pg."),
        ({"methods": []}, "methods", "Choose at least one method of tpo, dg, grpo, pg."),
        ({"update": "rough"}, "update", "Unknown update 'rough'; known: sampled, exact."),
        ({"speed": "3"}, "config", "Unknown setting 'speed'; known: actions, samples"),
    ],
)
def test_what_is_wrong_is_one_sentence(values: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        BanditConfig.from_mapping(values)
    assert caught.value.field == field
    assert message in str(caught.value)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "null", "[" * 100_000])
def test_a_file_that_is_no_configuration(text: str) -> None:
    with pytest.raises(InputError, match="must be one JSON object"):
        BanditConfig.from_json(text)


@pytest.mark.parametrize("value", [None, "tpo", 3, [["tpo"]], [None], []])
def test_methods_that_are_no_list_of_names(value: Any) -> None:
    with pytest.raises(InputError):
        BanditConfig.from_json(json.dumps({"methods": value}))


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=list(SETTINGS))
def test_the_ends_of_every_range_are_allowed_and_nothing_beyond(setting: Any) -> None:
    assert setting.check(setting.low) == setting.low
    assert setting.check(setting.high) == setting.high
    for beyond in (setting.low - 1, setting.high + 1, 10**400, 10**5000, math.inf, None, "1"):
        with pytest.raises(InputError):
            setting.check(beyond)


def test_no_run_can_be_below_the_least_error() -> None:
    """Straight ahead from the uniform policy, simulated: z_y* gains alpha on a unit vector of K - 1 equal others."""
    config = BanditConfig(actions=4, alpha=0.3, steps=20)
    z = [0.0] * 4
    for _ in range(20):
        z = [z[0] + 0.3 * 3 / math.sqrt(12), *(x - 0.3 / math.sqrt(12) for x in z[1:])]
    exact = 1 - math.exp(z[0]) / sum(map(math.exp, z))
    assert config.least_error() == pytest.approx(exact, rel=1e-9)
