"""Targets and rewards of token reversal, by hand."""

import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.tasks.reversal import Reward, Target, candidate_rewards, rewards, wanted


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("copy", [0, 1, 3]),
        ("flip", [3, 2, 0]),
        ("reverse_copy", [3, 1, 0]),
        ("reverse_flip", [0, 2, 3]),
    ],
)
def test_wanted(target: Target, expected: list[int]) -> None:
    np.testing.assert_array_equal(wanted(jnp.array([0, 1, 3]), target, 4), expected)


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("bag", [[1, 0, 1], [1, 1, 1]]),
        ("sequential", [[1, 0, 0], [1, 1, 1]]),
        ("terminal", [[0, 0, 0], [1, 1, 1]]),
    ],
)
def test_rewards(reward: Reward, expected: list[list[int]]) -> None:
    correct = jnp.array([[True, False, True], [True, True, True]])
    np.testing.assert_array_equal(rewards(correct, reward), expected)


def test_a_candidate_is_paid_sequentially_only_after_a_right_prefix() -> None:
    correct = jnp.array([True, False, True])
    candidates = jnp.array([[True, False], [False, True], [True, True]])
    np.testing.assert_array_equal(candidate_rewards(correct, candidates, "bag"), [[1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(candidate_rewards(correct, candidates, "sequential"), [[1, 0], [0, 1], [0, 0]])
