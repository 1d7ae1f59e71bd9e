"""What an update gains because the wrong probability sits on few classes (Fig. 4b), in closed form for TPO and DG.

Axes: `...` examples, `K` actions; y is the right action, p = pi_y, s = sum_j pi_j^2 (also the baseline).

The update of one example moves its logits by g(a), a ~ pi. To first order a logit step g changes p by

    dp = p (g_y - sum_j pi_j g_j),

and both methods move along e_a - pi, for which g_y - sum_j pi_j g_j is

    1 - 2p + s         for a = y        (g_y = 1 - p, and sum_j pi_j g_j = pi_a - s),
    s - p - pi_a       for a != y       (g_y = -p).

Say that action a, taken, moves the logits by beta (e_y - pi) if it is right and by -gamma_a (e_a - pi) if it is wrong.
Then the expected gain is

    G(pi) = p [ p beta (1 - 2p + s) + sum_{a != y} pi_a gamma_a (p + pi_a - s) ].

TPO: the scores are A e_a with A = 1 - s > 0 for a = y and -s < 0 otherwise, so u is +-(sqrt(K-1), -1/sqrt(K-1), ...),
whatever the size of A, and exp(u / eta) multiplies the odds of a by lam or by 1 / lam, lam = exp(K / (eta sqrt(K-1))).
Of q - pi = +-(e_a - pi) times a factor the factors are

    beta = p (lam - 1) / (1 - p + lam p),    gamma_a = pi_a (1 - 1/lam) / (1 - pi_a + pi_a / lam).

DG: g = w A (e_a - pi) with w = sigmoid(-A log pi_a / eta), so

    beta = (1 - s) sigmoid(-(1 - s) log p / eta),    gamma_a = s sigmoid(s log pi_a / eta).

The surrogate of pi keeps p and spreads the rest evenly, (1 - p) / (K - 1) each; its baseline s is its own. The surplus
is G(pi) - G(surrogate): 0 for a policy whose errors are even.

Source: the quantity is that of arXiv 2604.06159, Fig. 4b; derived here from its definition.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from tpo_lab.group.exact import beta_tpo

BINS = ((0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))  # of c; the last one holds 1 too


class Factors(NamedTuple):
    """By how much the action taken moves the logits: beta (..., 1) if it is right, gamma (..., K) if it is wrong."""

    beta: Array
    gamma: Array


def _tpo(log_pi: Array, log_p: Array, _: Array, eta: Array | float) -> Factors:
    k, pi = log_pi.shape[-1], jnp.exp(log_pi)
    shrink = jnp.exp(-k / (k - 1) ** 0.5 / jnp.asarray(eta))  # 1 / lam, which no eta makes overflow
    rest = 1 - pi + pi * shrink
    gamma = pi * (1 - shrink) / jnp.where(rest > 0, rest, 1.0)
    return Factors(beta_tpo(jnp.exp(log_p), k=k, eta=eta), gamma)


def _dg(log_pi: Array, log_p: Array, s: Array, eta: Array | float) -> Factors:
    return Factors((1 - s) * jax.nn.sigmoid(-(1 - s) * log_p / eta), s * jax.nn.sigmoid(s * log_pi / eta))


CLOSED: Mapping[str, Callable[[Array, Array, Array, Array | float], Factors]] = {"tpo": _tpo, "dg": _dg}


def expected_gain(method: str, log_pi: Array, labels: Array, eta: Array | float = 1.0) -> Array:
    """G(pi): what a unit step along the expected update of each example adds to p, to first order; shape (...).

    Args:
        method: a name in `CLOSED`.
        log_pi: log-probabilities, shape (..., K).
        labels: y, whole numbers, shape (...).
        eta: temperature > 0 of the tilt (TPO) or of the gate (DG).
    """
    right = _right(log_pi, labels)
    pi = jnp.exp(log_pi)
    log_p = jnp.sum(jnp.where(right, log_pi, 0.0), axis=-1, keepdims=True)
    p, s = jnp.exp(log_p), jnp.sum(pi * pi, axis=-1, keepdims=True)
    beta, gamma = CLOSED[method](log_pi, log_p, s, eta)
    of_wrong = jnp.sum(jnp.where(right, 0.0, pi * gamma * (p + pi - s)), axis=-1, keepdims=True)
    gain: Array = (p * (p * beta * (1 - 2 * p + s) + of_wrong))[..., 0]
    return gain


def surplus(method: str, log_pi: Array, labels: Array, eta: Array | float = 1.0) -> Array:
    """G(pi) - G(surrogate), shape (...); arguments as in `expected_gain`."""
    right = _right(log_pi, labels)
    # 1 - p is summed from the others: near p = 1 a difference has no digits left.
    rest = jnp.sum(jnp.where(right, 0.0, jnp.exp(log_pi)), axis=-1, keepdims=True)
    even = jnp.where(right, log_pi, jnp.log(rest / (log_pi.shape[-1] - 1)))
    return expected_gain(method, log_pi, labels, eta) - expected_gain(method, even, labels, eta)


def concentration(log_pi: Array, labels: Array) -> Array:
    """c = max_{j != y} pi_j / (1 - pi_y), shape (...): from 1 / (K - 1), even errors, to 1, one wrong class."""
    wrong = jnp.where(_right(log_pi, labels), -jnp.inf, log_pi)
    return jnp.max(jax.nn.softmax(wrong), axis=-1)


def in_bins(log_pi: Array, labels: Array) -> Array:
    """Which misclassified examples fall into each of `BINS`: bool, (4, N), for log_pi (N, K) and labels (N,)."""
    c, misclassified = concentration(log_pi, labels), jnp.argmax(log_pi, axis=-1) != labels
    inside = [(low <= c) & ((c < high) | (high == BINS[-1][1])) for low, high in BINS]
    return jnp.stack(inside) & misclassified


def _right(log_pi: Array, labels: Array) -> Array:
    return jnp.arange(log_pi.shape[-1]) == labels[..., None]
