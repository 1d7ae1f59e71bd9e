"""How far to trust a target: closed forms against each other and against simulation with its own error."""

import math

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group import standardise, target
from tpo_lab.group.noise import (
    Noise,
    best_is_not_best,
    estimate,
    half_noise_spread,
    pair_total_variation,
    small_noise_total_variation,
)
from tpo_lab.group.resample import threshold, tradeoffs, trust
from tpo_lab.group.scenario import Scenario

GROUPS = ([1.0, 0.9], [1.0, 0.7, 0.65, 0.0], [0.3, 0.3, 0.1, 0.0, 0.2])
ROBUST = ("tpo_paper", "robust_floor", "robust_shrinkage", "robust_clip", "robust_tanh")


def test_two_candidates_are_a_normal_tail() -> None:
    for gap, tau in ((0.1, 0.2), (0.5, 0.1), (1e-3, 1e-3), (1.0, 1e-3)):
        tail = 0.5 * math.erfc(gap / tau / 2)
        assert best_is_not_best(np.array([gap, 0.0]), Noise(tau)) == pytest.approx(tail, abs=1e-12)


def test_a_step_of_two_candidates_is_a_triangle() -> None:
    """The difference of two uniforms is below -g with probability (1 - g / step)^2 / 2."""
    for gap in (0.0001, 0.05, 0.2):
        expected = 0.5 * max(0.0, 1 - gap / 0.1) ** 2
        assert best_is_not_best(np.array([gap, 0.0]), Noise(0.1, "step")) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["normal", "step"])
@pytest.mark.parametrize("group", GROUPS)
def test_the_best_by_simulation(group: list[float], kind: str) -> None:
    scores, noise = np.array(group), Noise(0.25, kind)  # type: ignore[arg-type]
    drawn = scores + noise.draw(np.random.default_rng(0), (100_000, len(scores)))
    best = np.flatnonzero(scores == scores.max())
    wrong = np.mean(~np.isin(drawn.argmax(axis=1), best))
    expected = best_is_not_best(scores, noise)
    assert wrong == pytest.approx(expected, abs=5 * math.sqrt(0.25 / 100_000))


def test_ties_and_no_noise() -> None:
    assert best_is_not_best(np.full(5, 0.3), Noise(0.1)) == pytest.approx(0.0, abs=1e-12)
    assert best_is_not_best(np.array([1.0, 0.0]), Noise(0.0)) == 0
    assert best_is_not_best(np.array([1.0]), Noise(1.0)) == 0


def test_the_trust_of_a_pair_has_a_closed_form() -> None:
    for policy in (None, (0.9, 0.1)):
        group = Scenario((1, 0.8), policy=policy, eta=0.7)
        found = trust(group, Noise(0.15))
        expected = pair_total_variation(group.score_array(), group.log_p_old(), 0.7, Noise(0.15))
        assert found.tv == pytest.approx(expected, abs=4 * found.tv_error)
        assert found.best_wrong == pytest.approx(0.5 * math.erfc(0.2 / 0.15 / 2))


def test_small_noise_is_linear() -> None:
    """At tau = sigma / 1000 the second order is a thousandth; what is left is the error of the simulation."""
    group = Scenario((1, 0.7, 0.4, 0.0, 0.55), policy=(0.1, 0.3, 0.2, 0.2, 0.2), eta=0.8)
    noise = Noise(3e-4)
    found = trust(group, noise)
    expected = small_noise_total_variation(group.score_array(), group.log_p_old(), 0.8, noise)
    assert found.tv == pytest.approx(expected, abs=4 * found.tv_error + 0.005 * expected)
    assert found.argmax_wrong == found.best_wrong == 0
    assert small_noise_total_variation(np.zeros(3), np.zeros(3), 1.0, noise) == math.inf


def test_the_derivative_behind_it() -> None:
    scores, log_p, eta, h = np.array([1, 0.7, 0.4, 0.0]), np.log([0.1, 0.2, 0.3, 0.4]), 0.6, 1e-6
    rows = [target(log_p, standardise(scores + s * h * np.eye(4)[j]), eta=eta) for j in range(4) for s in (1, -1)]
    numeric = np.array(rows).reshape(4, 2, 4)
    jacobian = ((numeric[:, 0] - numeric[:, 1]) / (2 * h)).T
    expected = 0.01 / math.sqrt(2 * math.pi) * np.linalg.norm(jacobian, axis=1).sum()
    assert small_noise_total_variation(scores, log_p, eta, Noise(0.01)) == pytest.approx(expected, rel=1e-6)


def test_half_of_the_variance_is_noise_at_the_half_noise_spread() -> None:
    """By simulation: true scores of deviation sigma, seen with noise; the mean observed variance."""
    k, noise = 6, Noise(0.3)
    sigma = noise.sd * math.sqrt((k - 1) / k)  # the true deviation whose variance the noise equals
    true = standardise(np.arange(6.0)) * sigma
    seen = true + noise.draw(np.random.default_rng(1), (50_000, k))
    observed = math.sqrt(float(np.mean(seen.var(axis=1))))
    assert observed == pytest.approx(half_noise_spread(k, noise), rel=0.01)


@pytest.mark.parametrize("scores", [(1.0, 0, 0, 0), (1.0, 0.5, 0), (1.0, 0)])
def test_the_threshold_is_a_multiple_of_the_noise_and_the_target_says_so(scores: tuple[float, ...]) -> None:
    one, ten = (threshold(Scenario(scores), Noise(size)) for size in (0.1, 1.0))
    assert one.spread is not None
    assert ten.spread == pytest.approx(10 * one.spread, rel=1e-6)
    assert 0.2 < one.spread / 0.1 < 3
    sigma = float(np.std(scores))
    for factor, noisy in ((0.7, True), (1.4, False)):
        group = Scenario(tuple(s * one.spread * factor / sigma for s in scores))
        assert trust(group, Noise(0.1)).mostly_noise is noisy


def test_the_threshold_of_a_pair_is_where_a_quarter_turns_round() -> None:
    """Uniform p_old: q turned round moves twice what q moves from p_old, so tv = moved / 2 at P = 1/4."""
    found = threshold(Scenario((1, 0)), Noise(1.0), points=65)
    gap = 0.9538725524  # 2 erfc^-1(1/2)
    assert found.spread is not None
    assert 2 * found.spread == pytest.approx(gap, rel=0.06)


def test_equal_scores_are_all_noise() -> None:
    group = Scenario((0.5,) * 4)
    assert trust(group, Noise(0.01)).mostly_noise
    assert threshold(group, Noise(0.01)).spread is None


def test_robust_rules_trade_bias_for_calm() -> None:
    found = {t.rule: t for t in tradeoffs(Scenario((0.01, 0, 0.002, 0)), Noise(0.01), ROBUST)}
    assert found["tpo_paper"].bias == 0
    assert found["tpo_paper"].noise == found["tpo_paper"].total > 0.2
    assert found["robust_floor"].bias > 0.2
    assert found["robust_floor"].noise < 0.1
    wide = {t.rule: t for t in tradeoffs(Scenario((1, 0, 0.2, 0)), Noise(0.01), ROBUST)}
    assert wide["robust_floor"].total == wide["tpo_paper"].total  # a floor far below the deviation is none


def test_quantiles_hold_the_shown_target_when_noise_is_small() -> None:
    group = Scenario((1, 0.6, 0.3, 0))
    found = trust(group, Noise(0.01))
    assert np.all(found.quantiles[0] <= found.q)
    assert np.all(found.q <= found.quantiles[-1])
    np.testing.assert_array_equal(trust(group, Noise(0.01)).quantiles, found.quantiles)  # seeded
    assert np.ptp(trust(group, Noise(0.0)).quantiles, axis=0).max() == 0


def test_the_estimate_by_hand_and_by_simulation() -> None:
    found = estimate([[1.0, 1.2], [0.0, 0.1, 0.2], [5.0]])
    assert found.sd == pytest.approx(math.sqrt((0.02 + 0.02) / 3))
    assert found.degrees == 3
    rng = np.random.default_rng(2)
    many = [estimate((rng.normal(size=(5, 1)) + 0.3 * rng.normal(size=(5, 4))).tolist()) for _ in range(400)]
    assert np.mean([e.sd**2 for e in many]) == pytest.approx(0.09, rel=0.05)
    assert np.std([e.sd for e in many]) == pytest.approx(np.mean([e.standard_error for e in many]), rel=0.12)


@pytest.mark.parametrize("size", [-1.0, math.nan, math.inf])
def test_bad_noise_is_said(size: float) -> None:
    with pytest.raises(InputError, match="noise must be"):
        Noise(size)


def test_repeats_that_say_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="two scores"):
        estimate([[1.0], [2.0], []])
