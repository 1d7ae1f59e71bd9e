"""Copy as code: the copied program, run on its own, gives the lab's numbers."""

import contextlib
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.rewards import combine
from tpo_lab.group.rewards_snippet import rewards_snippet
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.snippets import LANGUAGES, snippet

GROUPS = [
    *(preset.scenario for preset in PRESETS.values()),
    Scenario((0.5, 1, 0.25, None), policy=(0.5, 0, 0.25, 0.25), eta=0.3),
    Scenario((1, 0), policy=(-0.5, -0.25), kind="mean_log_probs", lengths=(12, 30)),
    Scenario((None, 0.7, None)),
    Scenario((-1, -3, -2)),
]


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "<snippet>", "exec"), names)
    return names


@pytest.mark.parametrize("rule", list(RULES))
def test_numpy(rule: str) -> None:
    for group in GROUPS:
        scenario = replace(group, rule=rule)
        found, expected = run(snippet(scenario, "numpy")), report(scenario)
        np.testing.assert_allclose(found["u"], expected.u, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found["q"], expected.q, rtol=1e-11, atol=1e-13)
        np.testing.assert_array_equal(found["q"][~expected.counted], 0)


@pytest.mark.parametrize(
    ("preset", "rule"),
    [("missing_score", "tpo_paper"), ("constant", "reference_grpo"), ("tie", "nemo_rl"), ("tie", "robust_tanh")],
)
def test_jax(preset: str, rule: str) -> None:
    """float32 by default: the same tolerance as in the golden cases."""
    scenario = replace(PRESETS[preset].scenario, rule=rule)
    found = run(snippet(scenario, "jax"))
    np.testing.assert_allclose(found["q"], report(scenario).q, rtol=2e-5, atol=2e-6)
    assert preset != "constant" or not np.any(found["u"])


REWARDS = np.array([[1, 0, 0, 0.5], [0, 1, 1, 0.25]])


@pytest.mark.parametrize("rule", [*RULES, "robust_floor:0.5"])
@pytest.mark.parametrize("weights", [(1, 1), (2, 0.5), (1, -1)])
def test_several_rewards_in_every_order(rule: str, weights: tuple[float, ...]) -> None:
    name, _, strength = rule.partition(":")
    how: dict[str, Any] = {"eta": 0.7, "rule": name, "strength": float(strength) if strength else None}
    found = run(rewards_snippet(REWARDS, np.array(weights, float), **how))
    expected = combine(REWARDS, np.array(weights, float), np.zeros(4), **how)
    for c in expected:
        np.testing.assert_allclose(found[f"q_{c.order}"], c.q, rtol=1e-11, atol=1e-13)
        if c.order != "mix_targets":
            np.testing.assert_allclose(found[f"u_{c.order}"], c.u, rtol=1e-11, atol=1e-12)
    assert ("q_mix_targets" in found) == (min(weights) >= 0)


def test_several_rewards_in_every_library() -> None:
    how: dict[str, Any] = {"eta": 0.7, "rule": "tpo_paper"}
    found = run(rewards_snippet(REWARDS, np.ones(2), language="jax", **how))
    for c in combine(REWARDS, np.ones(2), np.zeros(4), **how):
        np.testing.assert_allclose(found[f"q_{c.order}"], c.q, rtol=2e-5)
    text = rewards_snippet(REWARDS, np.ones(2), language="pytorch", **how)
    compile(text, "<snippet>", "exec")
    assert "torch.stack" in text
    assert "xp." not in text


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.tunable])
def test_the_strength_travels(name: str) -> None:
    scenario = Scenario((1, 0.99, 0.98, *(0.99,) * 20), rule=name, strength=0.5)
    np.testing.assert_allclose(run(snippet(scenario))["q"], report(scenario).q, rtol=1e-11)


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("language", list(LANGUAGES))
def test_every_program_is_whole_and_names_its_rule(rule: str, language: str) -> None:
    for group in GROUPS:
        text = snippet(replace(group, rule=rule), language)
        compile(text, "<snippet>", "exec")
        assert "xp." not in text
        assert RULES[rule].label in text
        assert "tpo_lab" not in text
        assert max(map(len, text.splitlines())) <= 120


def test_unknown_language() -> None:
    with pytest.raises(InputError, match="known: numpy, jax, pytorch"):
        snippet(Scenario((1, 0)), "r")
