"""eta from a KL budget."""

import math
import re
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from tests.group.cases import fixed, log_probs, scores
from tpo_lab.errors import InputError
from tpo_lab.group import standardise
from tpo_lab.group.budget import eta_for_kl
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Floats, Scenario


@fixed
@given(scores, st.integers(0, 100), st.floats(1e-6, 0.99))
def test_the_budget_is_spent(values: Floats, seed: int, share: float) -> None:
    assume(np.ptp(values) > 0)
    scenario = Scenario(tuple(values), tuple(log_probs(seed, len(values))), "log_probs")
    start = report(scenario)
    best = values == values.max()
    budget = -share * math.log(start.p_old[best].sum())
    assume(budget > 1e-9)
    eta = eta_for_kl(start.log_p_old, start.u, budget)
    np.testing.assert_allclose(report(replace(scenario, eta=eta)).kl_q_p, budget, rtol=1e-6)


def test_the_round_trip() -> None:
    group = report(Scenario((1, 0.5, None, 0), policy=(0.1, 0.2, 0.3, 0.4), eta=0.37))
    assert math.isclose(eta_for_kl(group.log_p_old, group.u, group.kl_q_p, group.counted), 0.37, rel_tol=1e-10)


@pytest.mark.parametrize("budget", [1e-12, 1e-6, 0.6])
def test_small_budgets(budget: float) -> None:
    u = standardise(np.array([1.0, 0.0]))
    eta = eta_for_kl(np.zeros(2), u, budget)
    # KL = t tanh t - log cosh t with t = 1 / eta
    t = 1 / eta
    exact = t**2 / 2 if t < 1e-3 else t * math.tanh(t) - math.log(math.cosh(t))
    assert math.isclose(exact, budget, rel_tol=1e-5)


def test_scores_of_any_size() -> None:
    for size in (1e-300, 1e-9, 1e300):
        u = standardise(np.array([size, 0, size / 3]), rule="trl_none")
        assert math.isclose(
            eta_for_kl(np.zeros(3), u, 0.2) / size, eta_for_kl(np.zeros(3), u / size, 0.2), rel_tol=1e-9
        )


@pytest.mark.parametrize("budget", [0.7, 1e300])
def test_out_of_reach_names_the_reach(budget: float) -> None:
    with pytest.raises(
        InputError, match=f"of {re.escape(f'{budget:g}')} nats is out of reach: below 0.6931 n"
    ) as caught:
        eta_for_kl(np.zeros(4), standardise(np.array([1.0, 1, 0, 0])), budget)
    assert caught.value.field == "kl"


@pytest.mark.parametrize("budget", [0, -1, 1e-13, math.nan, math.inf])
def test_a_budget_is_positive(budget: float) -> None:
    with pytest.raises(InputError, match="from 1e-12 up"):
        eta_for_kl(np.zeros(2), np.array([1.0, -1.0]), budget)


def test_equal_scores_spend_nothing() -> None:
    with pytest.raises(InputError, match="KL is 0 at every eta"):
        eta_for_kl(np.zeros(3), np.zeros(3), 0.1)
    # The one score that differs belongs to a candidate of probability 0.
    group = report(Scenario((0, 0, 1), policy=(1, 1, 0)))
    with pytest.raises(InputError, match="KL is 0 at every eta"):
        eta_for_kl(group.log_p_old, group.u, 0.1, group.counted)
