"""Losses of single samples: nothing is compared, the caller brings the advantages. Axes as in `losses`; N is H."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab.methods.losses_aux import Aux, aux_of, clipped_surrogate, log_ratio


def pg(log_p: Array, log_p_old: Array, advantages: Array) -> tuple[Array, Aux]:
    """REINFORCE: -sum_t A_t log pi(a_t).

    Args:
        log_p, log_p_old: log-probs of the tokens or actions taken, shape (..., H).
        advantages: A = reward minus baseline, shape (..., H).

    Source: Williams 1992.
    """
    advantages = lax.stop_gradient(advantages)
    return -jnp.sum(advantages * log_p, axis=-1), aux_of(log_p, log_p_old, advantages)


def dg(log_p: Array, log_p_old: Array, advantages: Array, *, eta: Array | float = 1.0) -> tuple[Array, Aux]:
    """Delightful policy gradient: -sum_t w_t A_t log pi(a_t), w = sigmoid(-A log pi(a) / eta) held constant.

    The gate opens for a good surprise and closes for a bad one. It is read from the policy that is trained.

    Args:
        eta: temperature of the gate > 0, in nats times reward.

    Source: Osband 2026.
    """
    advantages = lax.stop_gradient(advantages)
    weights = lax.stop_gradient(advantages * jax.nn.sigmoid(-advantages * log_p / eta))
    return -jnp.sum(weights * log_p, axis=-1), aux_of(log_p, log_p_old, advantages, weights)


def ppo(log_p: Array, log_p_old: Array, advantages: Array, *, clip: Array | float = 0.2) -> tuple[Array, Aux]:
    """Clipped surrogate: -sum_t min(rho_t A_t, clip(rho_t, 1 - clip, 1 + clip) A_t).

    Source: arXiv 1707.06347.
    """
    advantages = lax.stop_gradient(advantages)
    gain, clipped = clipped_surrogate(log_ratio(log_p, log_p_old), advantages, clip, clip)
    return -jnp.sum(gain, axis=-1), aux_of(log_p, log_p_old, advantages, clipped=clipped)
