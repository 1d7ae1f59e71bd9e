"""What every loss returns beside its value, and the pieces that several losses share. Axes as in `losses`."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array, lax

LOG_RATIO_LIMIT = 20.0  # nats; exp of more says nothing and overflows at 88


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Aux:
    """What a chart needs of one evaluation of a loss. Constants of the update: no gradient flows through them.

    Attributes:
        advantages: standardised scores u or advantages A, shape (..., N).
        weights: what the loss weighs each sample by, shape (..., N): the target q, the advantage, the gated advantage.
        ratios: exp(log_p - log_p_old), shape (..., N).
        clipped: where the clip range cut the gradient, bool, shape (..., N).
        kl: estimate of KL to the behaviour policy in nats, shape (...): mean over N of exp(-d) + d - 1.
    """

    advantages: Array
    weights: Array
    ratios: Array
    clipped: Array
    kl: Array


def log_ratio(log_p: Array, log_p_old: Array) -> Array:
    """d = log_p - log_p_old, limited to +-20 nats; the gradient is 0 beyond."""
    return jnp.clip(log_p - lax.stop_gradient(log_p_old), -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)


def kl_terms(d: Array) -> Array:
    """exp(-d) + d - 1 >= 0: per sample, an estimate of the KL between two policies from their log-ratio d."""
    return jnp.exp(-d) + d - 1


def aux_of(
    log_p: Array, log_p_old: Array, advantages: Array, weights: Array | None = None, clipped: Array | None = None
) -> Aux:
    """The record of a loss whose weights are its advantages and which clips nothing, unless given otherwise."""
    d = log_ratio(log_p, log_p_old)
    aux = Aux(
        advantages=advantages,
        weights=advantages if weights is None else weights,
        ratios=jnp.exp(d),
        clipped=jnp.zeros(d.shape, dtype=bool) if clipped is None else clipped,
        kl=jnp.mean(kl_terms(d), axis=-1),
    )
    return lax.stop_gradient(aux)


def clipped_surrogate(d: Array, advantages: Array, low: Array | float, high: Array | float) -> tuple[Array, Array]:
    """min(rho A, clip(rho, 1 - low, 1 + high) A) with rho = e^d, and where the clip decided; both (..., N)."""
    ratio = jnp.exp(d)
    gain = jnp.minimum(ratio * advantages, jnp.clip(ratio, 1 - low, 1 + high) * advantages)
    clipped = ((advantages > 0) & (ratio > 1 + high)) | ((advantages < 0) & (ratio < 1 - low))
    return gain, clipped
