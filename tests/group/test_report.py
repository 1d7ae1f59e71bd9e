"""The report: every number of a group from one place."""

import numpy as np
import pytest
from hypothesis import given

from tests.group.cases import fixed, scenarios
from tpo_lab.group import entropy, kl, objective
from tpo_lab.group.report import advantages, report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario

GROUP = Scenario((0.2, 1, None, 0.4), policy=(0.4, 0.1, 0.2, 0.3), eta=0.5)


def test_numbers_by_hand() -> None:
    r = report(GROUP)
    p = np.array([0.5, 0.125, 0, 0.375])
    scores = np.array([0.2, 1, 0.4])
    z = (scores - scores.mean()) / scores.std()
    weights = p[r.counted] * np.exp(z / 0.5)
    q = np.insert(weights / weights.sum(), 2, 0)
    np.testing.assert_allclose(r.p_old, p, atol=1e-15)
    np.testing.assert_allclose(r.q, q, rtol=1e-13)
    np.testing.assert_allclose(r.u[r.counted], z, rtol=1e-14)
    assert r.n_counted == 3
    assert r.best == 1
    assert r.argmax_moved
    log = np.log(np.where(q > 0, q, 1))
    np.testing.assert_allclose(r.entropy_q, -np.sum(q * log))
    np.testing.assert_allclose(r.effective_q, np.exp(-np.sum(q * log)))
    np.testing.assert_allclose(r.odds_factor, (q[1] / (1 - q[1])) / (0.125 / 0.875))
    np.testing.assert_allclose(r.loss_at_p_old, -np.sum(q * np.log(np.where(p > 0, p, 1))))
    np.testing.assert_allclose(r.objective_p_old, np.sum(p * r.u))
    np.testing.assert_allclose(r.objective_q, np.sum(q * r.u) - 0.5 * r.kl_q_p)
    np.testing.assert_allclose(r.objective_q, objective(r.q, r.log_p_old, r.u, eta=0.5, counted=r.counted))
    np.testing.assert_allclose([r.kl_q_p, r.entropy_p_old], [kl(r.q, r.log_p_old), entropy(r.p_old)])


def test_the_loss_at_p_old_is_kl_plus_entropies() -> None:
    r = report(Scenario((1, 0, 0.5), policy=(0.2, 0.5, 0.3)))
    np.testing.assert_allclose(r.loss_at_p_old - r.entropy_q, r.kl_q_p)


def test_the_odds_of_a_near_certain_candidate() -> None:
    """1 - q is far below the rounding of 1 here; summed over the others it keeps its digits."""
    r = report(Scenario((1, 0), policy=(0, -60), kind="log_probs", eta=0.05))
    np.testing.assert_allclose(r.log_odds_factor, 2 / 0.05)
    assert report(Scenario((1, 0), eta=1e-4)).odds_factor == np.finfo(np.float64).max


@pytest.mark.parametrize("scores", [(1, 0, 0), (0.7, 0.7), (None, 0.3, None), (1e300, -1e300, 0)])
def test_advantages_under_every_rule(scores: tuple[float | None, ...]) -> None:
    found = advantages(Scenario(scores))
    assert list(found) == list(RULES)
    few = sum(s is not None for s in scores) < 2
    for name, values in found.items():
        assert (values is None) == (few and RULES[name].single == "refused")
        assert values is None or (values.shape == (len(scores),) and np.all(np.isfinite(values)))


def test_extremes_through_the_whole_report() -> None:
    for scenario in (
        Scenario((1e300, -1e300, 0), rule="trl_none", eta=1e-300),
        Scenario((1, 0, 0.5), policy=(5e-324, 1e300, 0)),
        Scenario((1, 0, 0.5), policy=(-1e5, -1e300, 1e300), kind="log_probs", eta=1e300),
        Scenario((1e-300, 0, 5e-324), eta=1e-300),
    ):
        r = report(scenario)
        numbers = [value for value in vars(r).values() if isinstance(value, float)]
        assert np.all(np.isfinite(numbers)), scenario
        assert np.all(np.isfinite(r.q))
        assert abs(r.q.sum() - 1) < 1e-14


@fixed
@given(scenarios())
def test_any_group_that_can_be_stated(scenario: Scenario) -> None:
    """Warnings are errors: nothing overflows on the way either."""
    r = report(scenario)
    assert np.all(np.isfinite([value for value in vars(r).values() if isinstance(value, float)]))
    assert np.all(np.isfinite(r.u))
    assert abs(r.q.sum() - 1) < 1e-13
    assert not np.any(r.q[~r.counted])
    assert r.kl_q_p >= 0
    assert r.objective_q >= r.objective_p_old - 1e-9 * max(1, np.abs(r.u).max())
    if r.zero_variance:
        assert not np.any(r.q_minus_p)
        assert r.kl_q_p == 0
