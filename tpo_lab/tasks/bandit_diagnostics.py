"""What is recorded of every step of a bandit, in each context. A share or mean over nothing is NaN.

Axes: `K` actions. The group of a context is its batch of sampled actions; an exact update has no group.
"""

from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from tpo_lab.group import kl_of_logs
from tpo_lab.tasks.bandit_updates import Batch, Update

DIAGNOSTICS: Mapping[str, str] = {
    "reward": "Mean reward of the batch; of an exact update, of the policy.",
    "grad_norm": "L2 norm of the update over all logits, before it is scaled to the step length.",
    "all_fail": "Groups without a right action, share.",
    "all_pass": "Groups of right actions only, share.",
    "zero_variance": "Groups of equal rewards, share.",
    "any_success": "Contexts in which the right action was drawn, share.",
    "weight_success": "Mean |weight| of right actions: q, or the advantage of a sample.",
    "weight_failure": "Mean |weight| of wrong actions.",
    "entropy": "Entropy of the policy before the step, nats.",
    "kl": "KL of the policy after the step to that before, nats.",
    "clip_share": "Samples whose gradient a clip range cut, share: none, as each batch is used once.",
    "demand": "Mean |q - pi| over actions before the step, q the target of TPO: what it asks for.",
    "residual": "Mean |q - pi| over actions after the step: what is left of it.",
}


def of_context(batch: Batch, update: Update, log_pi_after: Array, sampled: bool) -> dict[str, Array]:
    """Every diagnostic of one context but the norm, which is one of all contexts together.

    Args:
        log_pi_after: the policy after the step, (K,).
    """
    weight, failures = jnp.abs(update.weights), update.counts.at[0].set(0.0)
    right = batch.share[0]
    groups = {"all_fail": right == 0, "all_pass": right == 1, "zero_variance": (right == 0) | (right == 1)}
    groups["any_success"] = right > 0
    return {
        "reward": right,
        **{name: jnp.where(sampled, value.astype(jnp.float32), jnp.nan) for name, value in groups.items()},
        "weight_success": jnp.where(update.counts[0] > 0, weight[0], jnp.nan),
        "weight_failure": jnp.sum(failures * weight) / jnp.sum(failures),
        "entropy": -jnp.sum(batch.pi * batch.log_pi),
        "kl": kl_of_logs(log_pi_after, batch.log_pi),
        "clip_share": jnp.float32(0),
        "demand": jnp.mean(jnp.abs(batch.target - batch.pi)),
        "residual": jnp.mean(jnp.abs(batch.target - jnp.exp(log_pi_after))),
    }
