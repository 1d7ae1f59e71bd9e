"""The target: against 60 digits, as the maximiser, at the ends of floats, and its gradient by differences."""

import itertools
import math
from functools import partial
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given

from tests.group import slow
from tests.group.cases import fixed, log_probs, scores
from tpo_lab.group import (
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    kl,
    kl_of_logs,
    log_odds_factor,
    log_target,
    objective,
    objective_maximum,
    policy,
    standardise,
    target,
)
from tpo_lab.group.scenario import Floats

etas = st.floats(0.05, 10)
seeds = st.integers(0, 1000)


@fixed
@given(scores, seeds, etas)
def test_against_sixty_digits(values: Floats, seed: int, eta: float) -> None:
    log_p, u = log_probs(seed, len(values)), standardise(values)
    q = target(log_p, u, eta=eta)
    np.testing.assert_allclose(q, slow.target(list(log_p), list(u), eta), rtol=1e-12, atol=1e-300)
    assert abs(q.sum() - 1) < 1e-14
    np.testing.assert_allclose(np.exp(log_target(log_p, u, eta=eta)), q)


@fixed
@given(scores, seeds, etas, st.floats(-1e4, 1e4))
def test_constants_added_to_log_probs_or_scores_change_nothing(
    values: Floats, seed: int, eta: float, constant: float
) -> None:
    log_p, u = log_probs(seed, len(values)), standardise(values)
    q = target(log_p, u, eta=eta)
    # A shift of 1e4 rounds the shifted numbers by 1e4 eps; eta = .05 turns that into twenty times as much.
    np.testing.assert_allclose(target(log_p + constant, u, eta=eta), q, rtol=1e-10)
    np.testing.assert_allclose(target(log_p, u + constant, eta=eta), q, rtol=1e-9)


def test_constants_that_round_nothing_change_no_bit() -> None:
    log_p, u = np.array([-1.0, -2.5, -0.25]), np.array([1.0, 0.0, -1.0])
    np.testing.assert_array_equal(target(log_p - 4096, u + 1024), target(log_p, u))


@fixed
@given(scores, seeds, etas)
def test_q_is_the_maximiser_over_the_simplex(values: Floats, seed: int, eta: float) -> None:
    log_p, u = log_probs(seed, len(values)), standardise(values)
    q = target(log_p, u, eta=eta)
    top = float(objective_maximum(log_p, u, eta=eta))
    assert math.isclose(objective(q, log_p, u, eta=eta), top, rel_tol=1e-12, abs_tol=1e-12)
    rng = np.random.default_rng(seed)
    anywhere = rng.dirichlet(np.full(len(values), rng.choice([0.1, 1.0])), size=200)
    near = np.abs(q + 1e-3 * rng.normal(size=(200, len(values))))
    for points in (anywhere, near / near.sum(-1, keepdims=True), np.eye(len(values))):
        worse = objective(points, np.broadcast_to(log_p, points.shape), np.broadcast_to(u, points.shape), eta=eta)
        # J falls short of its maximum by exactly eta KL(r || q).
        short = eta * kl(points, np.broadcast_to(log_target(log_p, u, eta=eta), points.shape))
        np.testing.assert_allclose(worse, top - short, atol=1e-9)
        assert np.all(worse <= top + 1e-12)


@pytest.mark.parametrize(
    ("k", "q_success"), [(2, 0.881), (4, 0.770), (8, 0.746), (16, 0.806), (32, 0.910), (64, 0.981)]
)
def test_one_success_of_k(k: int, q_success: float) -> None:
    u, log_p = standardise(np.eye(k)[0]), np.zeros(k)
    log_q = log_target(log_p, u)
    assert abs(np.exp(log_q[0]) - q_success) < 5e-4
    factor = math.exp(log_odds_factor(log_target(log_p, 0 * u), log_q, 0))
    assert math.isclose(factor, math.exp(k / math.sqrt(k - 1)), rel_tol=1e-12)
    assert round(factor) == {2: 7, 4: 10, 8: 21, 16: 62, 32: 313, 64: 3176}[k]


def test_the_unit_of_the_scores_and_the_low_variance_trap() -> None:
    uniform = np.zeros(3)
    small, large = (target(uniform, standardise(np.array([x, 0, -x]))) for x in (1.0, 100.0))
    np.testing.assert_array_equal(small, large)
    trap = standardise(np.array([0.001, 0, 0]))
    np.testing.assert_allclose(trap, [1.414, -0.707, -0.707], atol=5e-4)
    np.testing.assert_allclose(target(uniform, trap), [0.807, 0.097, 0.097], atol=5e-4)


def test_the_reference_code_on_both_sides_of_its_cut_off() -> None:
    for score, q in ((2.2e-6, 0.807), (2.1e-6, 0.333)):
        u = standardise(np.array([score, 0, 0]), rule="tpo_reference")
        assert abs(target(np.zeros(3), u)[0] - q) < 5e-4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_scores_leave_exactly_p_old(dtype: type[np.floating[Any]]) -> None:
    for k in range(2, 65):
        log_p = log_probs(k, k).astype(dtype)
        u = standardise(np.full(k, 0.7, dtype=dtype))
        np.testing.assert_array_equal(target(log_p, u), policy(log_p))
        assert not np.any(cross_entropy_gradient(log_p, target(log_p, u)))
        assert kl_of_logs(log_target(log_p, u), log_target(log_p, 0 * u)) == 0


def test_missing_candidates_get_exactly_0() -> None:
    values = np.array([0.3, np.nan, 1.0, np.nan])
    counted, log_p = ~np.isnan(values), log_probs(3, 4)
    u = standardise(values)
    for found in (target(log_p, u, counted=counted), policy(log_p, counted=counted)):
        assert not np.any(found[~counted])
        assert abs(found.sum() - 1) < 1e-15
    np.testing.assert_array_equal(target(log_p, u, counted=counted)[counted], target(log_p[counted], u[counted]))
    gradient = cross_entropy_gradient(log_p, target(log_p, u, counted=counted), counted=counted)
    assert not np.any(gradient[~counted])
    assert np.all(np.isneginf(log_target(log_p, u, counted=counted)[~counted]))


def test_a_probability_of_0_stays_0() -> None:
    with np.errstate(divide="ignore"):
        log_p = np.log([0.5, 0.0, 0.5])
    q = target(log_p, standardise(np.array([0.0, 1.0, 0.5])))
    assert q[1] == 0
    np.testing.assert_allclose(q, slow.target(list(log_p), list(standardise(np.array([0.0, 1.0, 0.5]))), 1.0))


EXTREME_ETAS = (5e-324, 1e-300, 1e-12, 0.05, 1.0, 10.0, 1e12, 1e300)
EXTREME_LOG_PROBS = (0.0, -5e-324, -1e-300, -700.0, -1e5, -1e300, -1.7e308, 1.7e308)


def test_no_finite_input_overflows() -> None:
    """Warnings are errors here, so that an overflow shows even where a later step hides it."""
    values = np.array([1.0, 0.0, 0.25])
    unscaled = np.array([1e300, -1e300, 0.0])
    logits = np.array(list(itertools.permutations(EXTREME_LOG_PROBS, 3)))
    for eta, one in itertools.product(EXTREME_ETAS, (standardise(values), unscaled, np.array([1.7e308, -1.7e308, 0]))):
        u = np.broadcast_to(one, logits.shape)
        log_q = log_target(logits, u, eta=eta)
        q = np.exp(log_q)
        assert np.all(np.isfinite(log_q))
        np.testing.assert_allclose(q.sum(-1), 1, atol=1e-14)
        log_p_old = log_target(logits, 0 * u)
        numbers = [
            kl_of_logs(log_q, log_p_old),
            entropy(q),
            cross_entropy(logits, q),
            log_odds_factor(log_p_old, log_q, 0),
            objective_maximum(logits, u, eta=eta),
        ]
        assert np.all(np.isfinite(numbers))
        assert np.all((one.min() <= numbers[-1]) & (numbers[-1] <= one.max()))


def test_a_cold_target_is_the_best_and_a_hot_one_p_old() -> None:
    log_p, u = log_probs(5, 4), np.array([1.0, 1.0, 0.0, -2.0])
    best = np.exp(log_p) * [1, 1, 0, 0]
    np.testing.assert_allclose(target(log_p, u, eta=1e-300), best / best.sum(), rtol=1e-14)
    np.testing.assert_array_equal(target(log_p, u, eta=1e300), policy(log_p))


@fixed
@given(seeds, st.integers(1, 64))
def test_entropy_and_kl_against_scipy(seed: int, k: int) -> None:
    p, r = np.exp(log_probs(seed, k)), np.exp(log_probs(seed + 1, k))
    np.testing.assert_allclose(entropy(p), scipy.stats.entropy(p), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kl(r, np.log(p)), scipy.stats.entropy(r, p), rtol=1e-9, atol=1e-12)


def test_a_small_divergence_keeps_its_digits() -> None:
    """KL of a tilt t u is t^2 var(u) / 2 + O(t^3): far below what log r - log p can resolve."""
    log_p, u = np.log(np.full(4, 0.25)), np.array([1.0, -1.0, 1.0, -1.0])
    for t in (1e-3, 1e-6, 1e-7):
        np.testing.assert_allclose(kl_of_logs(log_target(log_p, t * u), log_p), t**2 / 2, rtol=1e-6)


def test_kl_at_the_edges() -> None:
    with np.errstate(divide="ignore"):
        log_p = np.log([0.5, 0.5, 0.0])
    assert kl(np.array([1.0, 0, 0]), log_p) == math.log(2)
    assert kl(np.array([0, 0.5, 0.5]), log_p) == math.inf
    assert kl(np.array([0.5, 0.5, 0]), log_p) == 0


def test_objective_maximum_with_a_best_that_p_old_hardly_reaches() -> None:
    """J* = 0 - 3 here: the best candidate has exp(-1e5) of the mass, and the sum of exponentials must not be lost."""
    found = objective_maximum(np.array([-1e5, 0.0]), np.array([0.0, -3.0]), eta=1e-3)
    np.testing.assert_allclose(found, -3.0)
    hot = objective_maximum(np.log([0.25, 0.75]), np.array([1.0, -1.0]), eta=1e12)
    np.testing.assert_allclose(hot, -0.5, rtol=1e-11)


@fixed
@given(scores, seeds, etas)
def test_the_gradient_is_p_minus_q_in_float64(values: Floats, seed: int, eta: float) -> None:
    """Central differences of the loss."""
    k = len(values)
    q = target(log_probs(seed, k), standardise(values), eta=eta)
    logits = log_probs(seed + 1, k)
    gradient = cross_entropy_gradient(logits, q)
    steps = 1e-5 * np.eye(k)
    rows = np.broadcast_to(q, (k, k))
    numeric = (cross_entropy(logits + steps, rows) - cross_entropy(logits - steps, rows)) / 2e-5
    np.testing.assert_allclose(gradient, numeric, atol=1e-8)
    np.testing.assert_allclose(cross_entropy(logits, q), -np.sum(q * scipy.special.log_softmax(logits)), rtol=1e-12)


def test_one_eta_per_group() -> None:
    log_p, u = np.stack([log_probs(i, 4) for i in range(3)]), np.random.default_rng(0).normal(size=(3, 4))
    eta = np.array([[0.5], [1.0], [2.0]])
    for i in range(3):
        one = partial(target, log_p[i], u[i], eta=float(eta[i, 0]))
        np.testing.assert_array_equal(target(log_p, u, eta=eta)[i], one())
        expected = objective_maximum(log_p[i], u[i], eta=float(eta[i, 0]))
        np.testing.assert_array_equal(objective_maximum(log_p, u, eta=eta)[i], expected)


def test_no_groups_have_no_target() -> None:
    none = np.zeros((0, 4))
    assert log_target(none, none).shape == (0, 4)
