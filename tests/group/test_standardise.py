"""Every standardisation rule: against exact fractions, on equal scores, on missing scores and at the ends of floats."""

import itertools
from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given

from tests.group import slow
from tests.group.cases import EXTREMES, fixed, scores
from tpo_lab.errors import InputError
from tpo_lab.group import RULES, Rule, spread, standardise
from tpo_lab.group.scenario import Floats

CONSTANTS = (0.1, 0.2, 0.7, 1000.1, -3.3, 0.0, -1.0)


def known_groups() -> list[list[float | None]]:
    """The traps that stacks have met, and a few ordinary groups."""
    rng = np.random.default_rng(0)
    return [
        [0.001, 0, 0],
        [1, 0, -1],
        [1, 0, 0, 0],
        [0, *[0.95] * 7],
        [1, 1.00001],
        [2.1e-6, 0, 0],
        [2.2e-6, 0, 0],
        [-1, -1, -0.5, None],
        [None, 0.3, 0.9, None, 0.4],
        [0.25, 0.5, 0.125, 1.0, -2.0],
        [1000.1, 1000.2, 1000.1],
        [-0.2, -0.4, -0.1],
        *(list(rng.normal(size=k)) for k in (2, 3, 8, 64)),
    ]


@pytest.mark.parametrize("rule", list(RULES))
def test_every_rule_is_what_its_stack_does(rule: str) -> None:
    assert set(slow.RULES) == set(RULES)
    for group in known_groups():
        found = standardise(np.array(group, dtype=np.float64), rule=rule)
        expected = np.array(slow.standardised(rule, group))
        # Scores of 1e3 that differ by .1 lose 1e4 roundings in their mean; the others stay within a few.
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max(), err_msg=str(group))


@fixed
@given(scores)
def test_the_papers_rule_on_any_group(values: Floats) -> None:
    expected = np.array(slow.standardised("tpo_paper", list(values)))
    np.testing.assert_allclose(standardise(values), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_scores_are_exactly_neutral(rule: str, dtype: type[np.floating[Any]]) -> None:
    ends = (1e300, 1e-300, 5e-324) if dtype is np.float64 else (1e38, 1e-38, 1e-45)
    constants: Floats = np.array([*CONSTANTS, *ends], dtype=dtype)[:, None]
    for k in range(2, 65):
        u = standardise(np.broadcast_to(constants, (len(constants), k)), rule=rule)
        assert u.dtype == dtype
        assert not np.any(u)


# Ends of float32 and scores far apart; sums of two that cancel to less than a normal float are left out.
FLOAT32_ENDS = (
    [1e-40, 0, 0],
    [1e-30, 0, -1e-30],
    [1, 1 + 2e-7, 1],
    [3.4e38, 3.3e38, 0],
    [1e37, 0, -5e36],
    [1e20, 0, 1],
)


@pytest.fixture(scope="module")
def in_jax() -> dict[str, Floats]:
    """Every rule on equal scores of all K and on the ends of float32, in one compilation: rows are filled with NaN."""
    counts = np.arange(2, 65)
    equal = np.where(np.arange(64) < counts[:, None], 1.0, np.nan)
    ends = np.pad(FLOAT32_ENDS, ((0, 0), (0, 61)), constant_values=np.nan)
    groups = np.concatenate([ends, *(c * equal for c in (*CONSTANTS, 1e38, 1e-38))]).astype(np.float32)
    everything = jax.jit(lambda groups: {rule: standardise(groups, rule=rule) for rule in RULES})
    return {rule: np.asarray(u) for rule, u in everything(jnp.asarray(groups)).items()}


@pytest.mark.parametrize("rule", list(RULES))
def test_equal_scores_are_exactly_neutral_in_jax(rule: str, in_jax: dict[str, Floats]) -> None:
    assert in_jax[rule].dtype == np.float32
    assert not np.any(in_jax[rule][len(FLOAT32_ENDS) :])


@pytest.mark.parametrize("rule", list(RULES))
def test_the_ends_of_float32_in_jax(rule: str, in_jax: dict[str, Floats]) -> None:
    """As in float64, where nothing is near an end; a JAX CPU reads 1e-40 as 0."""
    for group, found in zip(FLOAT32_ENDS, in_jax[rule], strict=False):
        scores = np.where(np.abs(group) < 1.2e-38, 0, np.array(group, np.float32)).astype(np.float64)
        expected = standardise(scores, rule=rule)
        np.testing.assert_allclose(found[:3], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_the_inline_z_score_leaks_on_the_same_groups() -> None:
    """The trap is real on this machine: without it, the tests above would show nothing."""
    group = np.full(7, 0.7, dtype=np.float32)
    assert np.any((group - group.mean()) / (group.std() + 1e-8))


@pytest.mark.parametrize("rule", list(RULES))
def test_missing_candidates_are_as_if_absent(rule: str) -> None:
    group = np.array([0.3, np.nan, 1.0, 0.25, np.nan, -0.5])
    scored = ~np.isnan(group)
    u = standardise(group, rule=rule)
    assert not np.any(u[~scored])
    np.testing.assert_array_equal(u[scored], standardise(group[scored], rule=rule))
    as_mask = standardise(np.where(scored, group, 1e9), counted=scored, rule=rule)
    np.testing.assert_array_equal(as_mask, u)


@pytest.mark.parametrize("rule", list(RULES.values()), ids=list(RULES))
def test_one_scored_candidate(rule: Rule) -> None:
    expected = 0.7 if rule.single == "raw" else 0.0
    np.testing.assert_array_equal(standardise(np.array([0.7]), rule=rule), [expected])
    np.testing.assert_array_equal(standardise(np.array([np.nan, 0.7, np.nan]), rule=rule), [0, expected, 0])
    np.testing.assert_array_equal(standardise(np.array([np.nan, np.nan]), rule=rule), [0, 0])


@pytest.mark.parametrize("rule", list(RULES))
def test_no_finite_score_overflows(rule: str) -> None:
    signed = sorted({sign * x for x in EXTREMES for sign in (1, -1)})
    groups = np.array(list(itertools.combinations(signed, 3)))
    u = standardise(groups, rule=rule)
    assert np.all(np.isfinite(u))
    stats = spread(groups)
    assert np.all(np.isfinite([stats.mean, stats.sigma_population, stats.sigma_sample]))
    single = groups[np.all(np.abs(groups) < 3e38, axis=1)].astype(np.float32)
    assert np.all(np.isfinite(standardise(single, rule=rule)))


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-5, 1e300])
def test_the_papers_rule_has_no_unit(size: float) -> None:
    group = np.array([3.0, 0.0, -2.0, 1.0])
    np.testing.assert_allclose(standardise(group * size), standardise(group), rtol=1e-13)


@fixed
@given(scores, st.floats(-1e3, 1e3), st.floats(0.01, 1e3))
@example(np.array([0.1, 0.1, 0.3]), 0.7, 3.0)
def test_shift_and_scale_invariance(values: Floats, shift: float, scale: float) -> None:
    moved = values * scale + shift
    span = np.ptp(values)
    if span == 0:
        assert not np.any(standardise(values))
        return
    # The moved scores themselves are rounded, by up to an ulp of their size; in units of the span that reaches u.
    rounding = 16 * np.finfo(np.float64).eps * (np.abs(moved).max() / (span * scale) + 1)
    if rounding > 1e-3:
        return  # a span that the shift swallows: another group
    np.testing.assert_allclose(standardise(moved), standardise(values), atol=len(values) * rounding, rtol=0)


@fixed
@given(scores)
def test_standardised_scores_have_mean_0_and_deviation_1(values: Floats) -> None:
    u = standardise(values)
    assert abs(u.mean()) < 1e-13
    assert np.ptp(values) == 0 or abs(u.std() - 1) < 1e-13


@pytest.mark.parametrize("k", [2, 4, 8, 16, 32, 64])
def test_one_success(k: int) -> None:
    group = np.zeros(k)
    group[k // 2] = 1
    expected = np.full(k, -1 / np.sqrt(k - 1))
    expected[k // 2] = np.sqrt(k - 1)
    np.testing.assert_allclose(standardise(group), expected, rtol=1e-14)


def test_the_reference_stops_dividing_at_1e_6() -> None:
    below, above = np.array([2.1e-6, 0, 0]), np.array([2.2e-6, 0, 0])
    np.testing.assert_allclose(standardise(below, rule="tpo_reference"), below - below.mean(), rtol=1e-12)
    np.testing.assert_allclose(standardise(above, rule="tpo_reference"), standardise(above), rtol=1e-12)


def test_the_traps_of_the_stacks() -> None:
    lone_winner = standardise(np.array([1.0, 0, 0, 0]), rule="nemo_rl")
    assert lone_winner[0] == 1  # the deviation of the others is 0: not divided, rather than 1e6
    negative = np.array([-1.0, -3.0])
    assert standardise(negative, rule="skyrl_max_rl")[0] < 0 < standardise(negative)[0]
    assert not np.any(standardise(negative, rule="prime_rl_max_rl"))


def test_trls_normalised_leave_one_out() -> None:
    """By hand: A = (4, 0, -4) / 2 for (2, 2/3, -2/3) has the sample deviation 2; TRL adds 1e-4 to it."""
    u = standardise(np.array([2, 2 / 3, -2 / 3]), rule="trl_rloo_batch")
    np.testing.assert_allclose(u, np.array([2, 0, -2]) / 2.0001, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.tunable])
def test_the_strength_replaces_the_constant(name: str) -> None:
    rule = RULES[name]
    group = np.eye(16)[0] if rule.tunable == "bound" else np.array([1.0, 0.99, 0.98, 0.99])
    constant = rule.bound if rule.tunable == "bound" else rule.amount
    np.testing.assert_array_equal(standardise(group, rule=name, strength=constant), standardise(group, rule=name))
    assert np.any(standardise(group, rule=name, strength=constant * 3) != standardise(group, rule=name))
    if rule.tunable == "amount":  # and towards 0 the rule becomes the paper's
        np.testing.assert_allclose(standardise(group, rule=name, strength=1e-300), standardise(group), atol=1e-12)
    else:
        np.testing.assert_allclose(standardise(group, rule=name, strength=1e9), standardise(group), atol=1e-12)


def test_robust_rules_calm_the_low_variance_trap() -> None:
    trap = np.array([0.001, 0, 0])
    for name in ("robust_floor", "robust_shrinkage"):
        assert np.abs(standardise(trap, rule=name)).max() < 0.02
    assert np.abs(standardise(np.array([1, 1.001]), rule="robust_relative_floor")).max() < 0.02
    assert np.abs(standardise(np.eye(64)[0], rule="robust_clip")).max() == 2
    assert np.abs(standardise(np.eye(64)[0], rule="robust_tanh")).max() < 2


@pytest.mark.parametrize(
    ("rule", "strength", "word"),
    [
        ("nonsense", None, "tpo_paper"),
        ("tpo_paper", 1.0, "no strength"),
        ("robust_floor", -1.0, "positive"),
        ("robust_floor", float("nan"), "positive"),
    ],
)
def test_bad_rules_and_strengths(rule: str, strength: float | None, word: str) -> None:
    with pytest.raises(InputError, match=word):
        standardise(np.array([1.0, 0.0]), rule=rule, strength=strength)


def test_lists_and_integers_are_taken() -> None:
    np.testing.assert_array_equal(standardise([1, 0, -1]), standardise(np.array([1.0, 0.0, -1.0])))
    np.testing.assert_array_equal(standardise(np.array([1, 0, -1])), standardise([1, 0, -1]))


@pytest.mark.parametrize("rule", list(RULES))
def test_leading_axes_are_independent_groups(rule: str) -> None:
    groups = np.random.default_rng(1).normal(size=(2, 3, 5))
    u = standardise(groups, rule=rule)
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(u[index], standardise(groups[index], rule=rule))
