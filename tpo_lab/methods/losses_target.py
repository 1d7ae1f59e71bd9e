"""What fits a policy to a target under JAX: the cross-entropy with its exact gradient, and eta from a KL budget.

Axes: logits, q, log_p_old, u, counted (..., K).
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab import group


@jax.custom_jvp
def fit(logits: Array, q: Array, counted: Array) -> Array:
    """TPO's loss, `tpo_lab.group.cross_entropy`, whose derivative is p - q as computed, shape (...).

    Left to itself, autodiff returns p * sum(q) - q, and a rounded sum(q) moves a policy that is at its target.
    """
    value = group.cross_entropy(logits, q, counted=counted)
    # A policy that diverged must show: the mathematics of finite groups would count NaN as no mass.
    return jnp.where(jnp.any(jnp.isnan(logits) & counted, axis=-1), jnp.nan, value)


@fit.defjvp
def _fit_jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Array, Array]:
    logits, q, counted = primals
    gradient = group.cross_entropy_gradient(logits, q, counted=counted)
    return fit(logits, q, counted), jnp.sum(gradient * tangents[0], axis=-1)


def solve_eta(log_p_old: Array, u: Array, budget: Array | float, counted: Array) -> Array:
    """The eta of each group at which KL(q || p_old) is the budget, by bisection on log eta, shape (..., 1).

    `tpo_lab.group.budget.eta_for_kl` solves one group to the last digit and refuses what cannot be reached; this one
    serves batches under jit, to the last digits of float32. A budget out of reach ends at the smallest eta, where q is
    on the best candidates; equal scores give q = p_old at every eta.

    Args:
        budget: nats > 0.
    """
    log_p = group.log_target(log_p_old, jnp.zeros_like(u), counted=counted)

    def halve(_: int, bounds: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bounds
        middle = 0.5 * (low + high)
        q = group.target(log_p, u, eta=jnp.exp(middle), counted=counted)
        too_far = group.kl(q, log_p, counted=counted)[..., None] > budget
        return jnp.where(too_far, middle, low), jnp.where(too_far, high, middle)

    ends = jnp.zeros_like(u[..., :1])
    low, high = lax.fori_loop(0, 40, halve, (ends - 12.0, ends + 12.0))
    return lax.stop_gradient(jnp.exp(0.5 * (low + high)))
