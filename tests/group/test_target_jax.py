"""The same target in float32 JAX: autodiff, jit and vmap, strict promotion, and exact zeros."""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.group.cases import log_probs
from tpo_lab.group import (
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    kl,
    log_odds_factor,
    log_target,
    objective,
    objective_maximum,
    standardise,
    target,
)


def test_extremes_in_float32_jax() -> None:
    log_p = jnp.asarray(list(itertools.permutations((0.0, -700.0, -1e5, -1e38, 3e38), 3)), jnp.float32)
    u = jnp.asarray(np.broadcast_to([1.4, -0.7, -0.7], log_p.shape), jnp.float32)
    tilted = jax.jit(lambda eta: target(log_p, u, eta=eta))
    for eta in (1e-38, 0.05, 1e38):
        q = np.asarray(tilted(jnp.float32(eta)))
        assert np.all(np.isfinite(q))
        np.testing.assert_allclose(q.sum(-1), 1, rtol=1e-6)


def test_the_gradient_is_p_minus_q_against_autodiff() -> None:
    values, k = np.random.default_rng(7).normal(size=(40, 6)), 6
    values[::4, 2] = np.nan
    values[1::4] = 0.7
    counted = ~np.isnan(values)
    log_p, logits = (np.stack([log_probs(i + first, k) for i in range(40)]) for first in (0, 99))
    q = target(log_p, standardise(values), eta=0.5, counted=counted)

    def loss(z: jax.Array, q: jax.Array, counted: jax.Array) -> jax.Array:
        value: jax.Array = cross_entropy(z, q, counted=counted)
        return value

    rows = jnp.asarray(logits, jnp.float32), jnp.asarray(q, jnp.float32), jnp.asarray(counted)
    found = np.asarray(jax.jit(jax.vmap(jax.grad(loss)))(*rows))
    # Both sides are sums of at most 6 numbers below 1 in float32: a few units of 6e-8.
    np.testing.assert_allclose(found, cross_entropy_gradient(logits, q, counted=counted), atol=5e-7)
    assert not np.any(found[~counted])


def test_equal_scores_give_exactly_no_gradient_in_float32_under_jit() -> None:
    @jax.jit
    def gradient(logits: jax.Array, scores: jax.Array) -> jax.Array:
        log_p_old = jax.nn.log_softmax(logits)
        q = target(log_p_old, standardise(scores))
        found: jax.Array = cross_entropy_gradient(log_p_old, q)
        return found

    logits = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
    for constant in (0.1, 0.2, 0.7, 1000.1):
        assert not np.any(gradient(logits, np.full((64, 8), constant, np.float32)))
    assert np.any(gradient(logits, logits))


def test_jit_vmap_and_plain_agree_under_strict_promotion() -> None:
    values = np.random.default_rng(2).normal(size=(5, 7)).astype(np.float32)
    values[0, 3] = np.nan
    log_p = np.stack([log_probs(i, 7) for i in range(5)]).astype(np.float32)

    def few(values: Any, log_p: Any) -> tuple[Any, ...]:
        u = standardise(values)
        return u, target(log_p, u, eta=0.7, counted=values == values)  # not NaN, in either library

    def everything(values: Any, log_p: Any) -> tuple[Any, ...]:
        counted = values == values
        u, q = few(values, log_p)
        log_q = log_target(log_p, u, eta=0.7, counted=counted)
        log_p_old = log_target(log_p, 0 * u, counted=counted)
        return (
            u,
            q,
            kl(q, log_p_old),
            entropy(q),
            log_odds_factor(log_p_old, log_q, 1),
            objective(q, log_p, u, eta=0.7, counted=counted),
            objective_maximum(log_p, u, eta=0.7, counted=counted),
            cross_entropy(log_p, q, counted=counted),
            cross_entropy_gradient(log_p, q, counted=counted),
        )

    arrays = jnp.asarray(values), jnp.asarray(log_p)
    exact = everything(values.astype(np.float64), log_p.astype(np.float64))
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        for found in (few(*arrays), jax.jit(everything)(*arrays), jax.jit(jax.vmap(everything))(*arrays)):
            for a, b in zip(found, exact, strict=False):
                assert a.dtype == jnp.float32
                # Sums of at most 7 numbers up to 3: a few units of 6e-8 each, twenty for what passes through exp.
                np.testing.assert_allclose(np.asarray(a), b, rtol=5e-6, atol=2e-6)
