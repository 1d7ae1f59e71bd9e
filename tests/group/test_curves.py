"""Rules against the spread: the literal arithmetic, the curves, what is found on them, and the traps of the stacks."""

import importlib
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tpo_lab import group
from tpo_lab.group.curves import SPREADS, curves, rescaled, sigma_of
from tpo_lab.group.findings import sentences
from tpo_lab.group.literal import PRECISIONS, literal
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.standardise import standardise
from tpo_lab.group.traps import TRAPS

ORDINARY = Scenario((1, 0.25, 0, 0.5, 0.75))


@pytest.mark.parametrize("rule", RULES)
def test_where_rounding_is_small_a_stack_computes_what_its_rule_means(rule: str) -> None:
    groups = np.random.default_rng(3).normal(1.5, 1.0, (40, 7))
    expected = standardise(groups, rule=rule)
    np.testing.assert_allclose(literal(groups, rule, "float64"), expected, rtol=1e-9, atol=1e-9)
    single = literal(groups, rule, "float32")
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=2e-4, atol=2e-4)


# What the table of stacks and the protocol say, measured elsewhere.
KNOWN = {
    "constant_7": 0.856,
    "constant_64": 1.4e-17 / 1e-8,
    "lone_winner": 1e6,
    "lone_loser": -2075,
    "cut_off": 1.4e-6,
    "low_variance": math.sqrt(2),
    "alone": 0.7,
    "variance_floor": 0.005,
}


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_is_one_and_names_what_is_right(name: str) -> None:
    trap = TRAPS[name]
    wrong, right = trap.wrong_value(), trap.right_value()
    assert abs(wrong - right) > (1e-10 if name == "constant_64" else 0.1)
    if name in KNOWN:
        assert wrong == pytest.approx(KNOWN[name], rel=0.02)


def test_the_right_values_of_the_traps() -> None:
    right = {name: trap.right_value() for name, trap in TRAPS.items()}
    dead = ("constant_2", "constant_7", "constant_1000", "constant_64", "shaped_constant", "alone", "missing_as_zero")
    assert {right[name] for name in dead} == {0.0}
    assert right["lone_winner"] == 1
    assert right["lone_loser"] == pytest.approx(-0.95)
    assert right["variance_floor"] == pytest.approx(1)
    assert right["low_variance"] == pytest.approx(0.001 * 2 / 3 / 0.05)
    tens = [TRAPS[name].wrong_value() for name in ("constant_2", "constant_1000")]
    assert all(10 < abs(u) < 100 for u in tens)  # "as large as tens"


def test_the_curve_of_the_papers_rule_is_flat_and_others_fall() -> None:
    found = curves(ORDINARY)
    assert found.followed == 0
    np.testing.assert_allclose(found.u["tpo_paper"], standardise(ORDINARY.score_array())[0], rtol=1e-6)
    assert np.ptp(found.q["tpo_paper"]) < 1e-6
    np.testing.assert_allclose(found.u["trl_none"][-1], found.u["tpo_paper"][0] * SPREADS[-1], rtol=1e-6)
    np.testing.assert_allclose(found.q["trl_none"][0], 1 / 5, atol=1e-9)
    assert np.all(np.diff(found.u["trl_group"]) >= -1e-12)


@pytest.mark.parametrize("sigma", [1e-9, 0.3, 1e3])
def test_a_rescaled_group_has_its_spread_and_its_lowest_score(sigma: float) -> None:
    group = rescaled(Scenario((1, None, -0.25, 0.5)), sigma)
    assert sigma_of(group) == pytest.approx(sigma, rel=1e-6)
    assert min(s for s in group.scores if s is not None) == -0.25
    assert group.scores[1] is None
    assert rescaled(Scenario((0.5, 0.5)), sigma).scores == (0.5, 0.5)


def test_the_cut_off_is_found_where_the_reference_has_it() -> None:
    (cliff,) = [f for f in curves(Scenario((1, 0, 0))).findings if f.kind == "cliff"]
    assert (cliff.rule, cliff.low) == ("tpo_reference", 1e-6)
    assert cliff.worst == pytest.approx(1.414e-6, rel=1e-3)
    assert cliff.other == pytest.approx(1.414, rel=1e-3)


def test_an_added_constant_silences_half_where_it_equals_the_deviation() -> None:
    halves = {f.rule: f.low for f in curves(ORDINARY).findings if f.kind == "half"}
    sample = math.sqrt(4 / 5)  # sample deviation = population deviation / this
    # A straight line between two spreads, ten to the decade, is off by less than a hundredth.
    assert halves["trl_group"] == pytest.approx(1e-4 * sample, rel=0.01)
    assert halves["verl_grpo"] == pytest.approx(1e-6 * sample, rel=0.01)
    assert halves["reference_grpo"] == pytest.approx(1e-8, rel=0.01)
    assert halves["robust_floor"] == pytest.approx(0.025, rel=0.01)
    assert halves["robust_shrinkage"] == pytest.approx(0.05 / math.sqrt(3), rel=0.01)
    assert "trl_none" not in halves


def kinds(scenario: Scenario, precision: str = "float32") -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for finding in curves(scenario, precision).findings:  # type: ignore[arg-type]
        found.setdefault(finding.kind, set()).add(finding.rule)
    return found


def test_equal_scores_leak_in_float32_and_never_under_the_papers_rule() -> None:
    leaks = kinds(Scenario((0.7,) * 7))["leak"]
    assert {"reference_grpo", "openrlhf_group_norm", "verl_grpo"} <= leaks
    assert not leaks & {"tpo_paper", "robust_floor"}
    assert "leak" not in kinds(Scenario((0.5,) * 8))  # sums of halves are exact


def test_an_offset_is_lost_to_rounding_below_its_last_digit() -> None:
    found = kinds(Scenario((1000.1, 1000.2, 1000.1)))
    assert {"leak", "rounding"} <= set(found)
    assert "rounding" not in kinds(ORDINARY, "float64")


def test_leaving_one_out_explodes_and_a_negative_mean_turns_round() -> None:
    assert kinds(Scenario((1, 0, 1e-5, 0)), "float64")["explosion"] == {"nemo_rl"}
    assert "explosion" not in kinds(ORDINARY, "float64")
    negative = kinds(Scenario((-1, -3, -2)), "float64")
    assert negative["flip"] == {"skyrl_max_rl"}
    assert {"prime_rl_max_rl", "tpo_reference"} <= negative["cliff"]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_sentences_name_the_rules(precision: str) -> None:
    found = curves(Scenario((1000.1, 1000.2, -3)), precision).findings  # type: ignore[arg-type]
    said = sentences(found, RULES, precision)  # type: ignore[arg-type]
    assert said
    assert all(text.endswith(".") and "nan" not in text and "inf" not in text for _, _, text in said)


def test_another_candidate_is_followed() -> None:
    trap = TRAPS["lone_loser"]
    found = curves(trap.scenario, trap.precision, follow=0)
    assert found.u["nemo_rl"].min() < -1000
    assert curves(trap.scenario, trap.precision).followed == 1


def test_a_single_and_a_missing_candidate_are_no_trouble() -> None:
    assert curves(Scenario((1,))).findings == ()
    found = curves(Scenario((None, 0, 1, None)))
    assert found.followed == 2
    assert all(np.all(np.isfinite(q)) for q in found.q.values())


def test_no_module_takes_the_name_of_what_the_package_exports() -> None:
    """A module that is first imported later would replace the function of its name in the package."""
    for path in Path(group.__file__).parent.glob("*.py"):
        importlib.import_module(f"tpo_lab.group.{path.stem}" if path.stem != "__init__" else "tpo_lab.group")
    assert [name for name in group.__all__ if isinstance(getattr(group, name), ModuleType)] == []
