"""The closed forms of the surplus against an enumeration of the actions, with the losses that training uses."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from tpo_lab.experiments.digits import WITH_SURPLUS
from tpo_lab.tasks.digits_surplus import BINS, CLOSED, concentration, expected_gain, in_bins, surplus
from tpo_lab.training.digits_update import Batch, outcome

K = 10


def policies(n: int = 40) -> tuple[Array, Array]:
    """Logits (n, K) from nearly even to very peaked, and labels."""
    numbers = np.random.default_rng(3)
    sharpness = np.linspace(0.1, 4, n)[:, None]
    return jnp.asarray(numbers.normal(size=(n, K)) * sharpness, jnp.float32), jnp.asarray(numbers.integers(0, K, n))


@partial(jax.jit, static_argnames="method")
def enumerated(method: str, logits: Array, labels: Array, eta: Array) -> Array:
    """sum_a pi_a d/dt pi_y(logits + t g(a)) at t = 0, with g(a) the negative gradient of the training loss; (n,)."""

    def gain(z: Array, label: Array, action: Array) -> Array:
        taken, right = (jax.nn.one_hot(i, K)[None] for i in (action, label))
        batch = Batch(taken, right, (action == label)[None].astype(jnp.float32))
        g = -jax.grad(lambda z: outcome(method, eta, jax.nn.log_softmax(z)[None], batch).losses[0])(z)
        change: Array = jax.jvp(lambda z: jax.nn.softmax(z)[label], (z,), (g,))[1]
        return jax.nn.softmax(z)[action] * change

    over_actions = jax.vmap(gain, in_axes=(None, None, 0))
    gains: Array = jax.vmap(lambda z, label: jnp.sum(over_actions(z, label, jnp.arange(K))))(logits, labels)
    return gains


@pytest.mark.parametrize("method", CLOSED)
def test_the_closed_form_is_the_expectation_over_actions(method: str) -> None:
    logits, labels = policies()
    for eta in (0.5, 1.0):
        found = expected_gain(method, jax.nn.log_softmax(logits), labels, eta)
        expected = enumerated(method, logits, labels, jnp.float32(eta))
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-7)
        assert np.ptp(found) > 0.01


@pytest.mark.parametrize("method", CLOSED)
def test_even_errors_have_no_surplus_and_concentrated_ones_have_it_against_their_own_surrogate(method: str) -> None:
    logits, labels = policies()
    log_pi = jax.nn.log_softmax(logits)
    right = jnp.arange(K) == labels[:, None]
    p = jnp.sum(jnp.where(right, jnp.exp(log_pi), 0), axis=1, keepdims=True)
    even = jnp.log(jnp.where(right, p, (1 - p) / (K - 1)))
    np.testing.assert_allclose(surplus(method, even, labels), 0, atol=1e-6)
    difference = expected_gain(method, log_pi, labels) - expected_gain(method, even, labels)
    np.testing.assert_allclose(surplus(method, log_pi, labels), difference, atol=1e-5)


def test_tpo_by_hand() -> None:
    """pi = (.3, .7, 0, ...), y = 0, s = .58: beta = .3 * 27.03 / 9.11, gamma = .7 (1 - 1/28.03) / (.3 + .7/28.03)."""
    pi = jnp.array([0.3, 0.7, *[1e-30] * 8])
    expected = 0.3 * (0.3 * 0.8902 * 0.98 + 0.7 * 2.0772 * 0.42)
    np.testing.assert_allclose(expected_gain("tpo", jnp.log(pi), jnp.int32(0)), expected, rtol=1e-3)


@pytest.mark.parametrize("method", CLOSED)
def test_certain_policies_have_finite_gains(method: str) -> None:
    log_pi = jax.nn.log_softmax(jnp.array([[200.0, *[0.0] * 9], [-200.0, 200.0, *[0.0] * 8]]))
    for eta in (1e-3, 1.0, 1e3):
        np.testing.assert_allclose(expected_gain(method, log_pi, jnp.array([0, 0]), eta), 0, atol=1e-6)


def test_concentration_and_its_bins() -> None:
    """c from 1/9 to 1; only misclassified examples are binned; an edge belongs to the bin above it, 1 to the last."""
    pi = jnp.array(
        [
            [0.1, *[0.1] * 8, 0.1],  # even, and not misclassified: the first of equal ones counts
            [0.099, 0.101, *[0.1] * 8],
            [0.2, 0.4, 0.4, *[0.0] * 7],  # c = .5, exactly
            [0.25, 0.75, *[0.0] * 8],  # c = 1
            [0.75, 0.25, *[0.0] * 8],  # right
        ]
    )
    labels = jnp.zeros(5, jnp.int32)
    np.testing.assert_allclose(concentration(jnp.log(pi), labels), [1 / 9, 0.101 / 0.901, 0.5, 1, 1], rtol=1e-6)
    np.testing.assert_array_equal(
        in_bins(jnp.log(pi), labels).T,
        [[False] * 4, [True, *[False] * 3], [False, False, True, False], [*[False] * 3, True], [False] * 4],
    )
    assert BINS == ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))


def test_the_page_knows_which_methods_have_a_closed_form() -> None:
    assert tuple(CLOSED) == WITH_SURPLUS
