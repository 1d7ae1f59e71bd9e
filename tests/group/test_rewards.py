"""Several rewards and copies of an answer, by hand."""

import math

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.duplicates import distinct_names, equal_names, merge
from tpo_lab.group.report import report
from tpo_lab.group.rewards import Combined, combine, levels
from tpo_lab.group.scenario import Scenario


def combined(rewards: list[list[float]], weights: list[float] | None = None) -> dict[str, Combined]:
    r = np.array(rewards)
    w = np.ones(len(r)) if weights is None else np.array(weights)
    return {c.order: c for c in combine(r, w, np.zeros(r.shape[1]), eta=1.0, rule="tpo_paper")}


def test_gdpos_two_rollouts() -> None:
    """Totals (0, 1) and (0, 2) standardise alike; standardised first, two rewards weigh twice one."""
    one, two = combined([[0, 1], [0, 0]]), combined([[0, 1], [0, 1]])
    np.testing.assert_allclose(one["sum_first"].u, [-1, 1])
    np.testing.assert_allclose(two["sum_first"].u, [-1, 1])
    np.testing.assert_allclose(one["standardise_first"].u, [-1, 1])
    np.testing.assert_allclose(two["standardise_first"].u, [-2, 2])


def test_different_rewards_collapse_to_one_advantage() -> None:
    """A rare and a common reward: summed, (1, 0) and (0, 1) are one; standardised first, the rare one leads."""
    found = combined([[1, 0, 0, 0], [0, 1, 1, 0]])
    assert found["sum_first"].levels == 2
    assert found["standardise_first"].levels == 3
    rare, common = math.sqrt(3), 1 / math.sqrt(3)
    np.testing.assert_allclose(found["standardise_first"].u, [rare - 1, 1 - common, 1 - common, -1 - common])
    opposed = combined([[1, 0, 0, 1], [0, 1, 1, 0]])
    assert all(c.levels == 1 for c in opposed.values())
    assert math.isnan(opposed["sum_first"].shares[0])


def test_a_reward_on_a_larger_scale_takes_the_sum() -> None:
    found = combined([[1, 0, 1, 0], [0, 0, 100, 100]])
    assert found["sum_first"].shares[1] > 0.99
    np.testing.assert_allclose(found["standardise_first"].shares, 0.5)
    assert found["sum_first"].shares.sum() == pytest.approx(1)


def test_mixed_targets_are_the_mean_of_the_targets() -> None:
    found = combined([[1, 0, 0], [0, 0, 1]], [3, 1])["mix_targets"]
    one, other = report(Scenario((1, 0, 0))).q, report(Scenario((0, 0, 1))).q
    np.testing.assert_allclose(found.q, 0.75 * np.asarray(one) + 0.25 * np.asarray(other))
    np.testing.assert_allclose(np.exp(found.u) / np.exp(found.u).sum(), found.q)
    assert "mix_targets" not in combined([[1, 0], [0, 1]], [1, -1])


def test_levels_forgive_rounding() -> None:
    assert levels(np.array([0.1 + 0.2, 0.3, 1.0])) == 2
    assert levels(np.array([[0.0, 1], [1, 0], [0, 1]])) == 2


@pytest.mark.parametrize(("weights", "word"), [([1.0], "2 rewards"), ([0.0, 0.0], "differ from 0")])
def test_bad_weights(weights: list[float], word: str) -> None:
    with pytest.raises(InputError, match=word):
        combined([[1, 0], [0, 1]], weights)


def test_a_copy_counts_twice_or_once() -> None:
    group = Scenario((1, 1, 0, 0))
    found = merge(group, ["a", "a", "b", "c"])
    assert found.copies == (2, 1, 1)
    np.testing.assert_allclose(found.p_kept, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(found.p_merged, 1 / 3)
    np.testing.assert_allclose(found.q_kept[0], 2 * report(group).q[0])
    np.testing.assert_allclose(found.q_merged, report(Scenario((1, 0, 0))).q)
    np.testing.assert_allclose(found.u_kept, [1, -1, -1])


def test_merging_averages_noisy_copies_and_leaves_missing_scores_out() -> None:
    found = merge(Scenario((0.8, None, 1.0, 0, None), policy=(0.2,) * 5), ["x", "x", "x", "y", "z"])
    assert found.scenario.scores == (0.9, 0.0, None)
    assert found.u_kept[2] == found.q_kept[2] == 0
    without = merge(Scenario((1, 0)), distinct_names(2))
    np.testing.assert_array_equal(without.q_kept, without.q_merged)


def test_names() -> None:
    assert equal_names(Scenario((1, 0, 1, 0), policy=(0.3, 0.2, 0.3, 0.2))) == ("a", "b", "a", "b")
    assert equal_names(Scenario((1, 0, 1, 0), policy=(0.3, 0.2, 0.1, 0.4))) == distinct_names(4)
    assert len(set(distinct_names(64))) == 64
    with pytest.raises(InputError, match="one a candidate"):
        merge(Scenario((1, 0)), ["a"])
