"""What is recorded of every step, for any method. A share or mean over nothing is NaN."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from jax import Array

from tpo_lab import group
from tpo_lab.methods.losses import Aux, loss_of
from tpo_lab.methods.registry import METHODS
from tpo_lab.training.plan import Plan
from tpo_lab.training.rollouts import Rollouts

DIAGNOSTICS: Mapping[str, str] = {
    "error": "Error: wrong tokens; terminal reward: outputs with a wrong token. Fraction, behaviour policy.",
    "exact_error": "Outputs with a wrong token, fraction.",
    "reward": "Mean reward per token.",
    "loss": "Loss, first epoch.",
    "grad_norm": "L2 norm of the gradient, first epoch.",
    "all_fail": "Groups without a success, share.",
    "all_pass": "Groups of successes only, share.",
    "zero_variance": "Groups of equal scores, share.",
    "any_success": "Prompts with a right output among those drawn, share.",
    "weight_success": "Mean |weight| on successes, first epoch: q, or the advantage.",
    "weight_failure": "Mean |weight| on failures, first epoch.",
    "entropy": "Entropy of the next token at the places visited, nats.",
    "kl": "KL to the rollout snapshot at the last epoch, nats: estimate per sample or candidate.",
    "clip_share": "Samples whose gradient the clip range cut, share, last epoch.",
    "demand": "Mean |q - p_old| over candidates: what the target asks for.",
    "residual": "Mean |q - p| over candidates, last epoch: what is left of it.",
}

FIRST_EPOCH = ("loss", "grad_norm", "weight_success", "weight_failure", "entropy")
LAST_EPOCH = ("kl", "clip_share")
SHOWS_DIVERGENCE = "loss"  # the diagnostic that is not finite once the policy is not


def of_rollouts(plan: Plan, rollouts: Rollouts) -> dict[str, Array]:
    """What is known before the update."""
    correct = rollouts.correct
    exact_error = jnp.mean(~jnp.all(correct, axis=-1))  # 1 - mean would round to below 0
    nan = jnp.float32(jnp.nan)
    metrics = {
        "error": exact_error if plan.reward == "terminal" else jnp.mean(~correct),
        "exact_error": exact_error,
        "reward": jnp.mean(rollouts.rewards),
        "any_success": jnp.mean(jnp.any(jnp.all(correct, axis=-1), axis=-1)),
        "all_fail": nan,
        "all_pass": nan,
        "zero_variance": nan,
    }
    if plan.group != "none":
        metrics |= {
            "all_fail": jnp.mean(~jnp.any(rollouts.success, axis=-1)),
            "all_pass": jnp.mean(jnp.all(rollouts.success, axis=-1)),
            "zero_variance": jnp.mean(jnp.max(rollouts.signal, axis=-1) == jnp.min(rollouts.signal, axis=-1)),
        }
    return metrics


def of_first_epoch(rollouts: Rollouts, log_p: Array, value: Array, aux: Aux, grad_norm: Array) -> dict[str, Array]:
    """What is known where the policy is still the behaviour policy; log_p (B, K', H, V)."""
    weight = jnp.abs(aux.weights)
    return {
        "loss": value,
        "grad_norm": grad_norm,
        "weight_success": _mean_where(weight, rollouts.success),
        "weight_failure": _mean_where(weight, ~rollouts.success),
        "entropy": -jnp.mean(jnp.sum(jnp.exp(log_p) * log_p, axis=-1)),
    }


def of_last_epoch(aux: Aux) -> dict[str, Array]:
    """What is known at the last gradient of the batch, before its step."""
    return {"kl": jnp.mean(aux.kl), "clip_share": jnp.mean(aux.clipped)}


def distances(
    plan: Plan, method: str, signal: Array, settings: Mapping[str, Any], old: Array, now: Array
) -> dict[str, Array]:
    """Mean |q - p| before and after: with the method's own target q, or TPO's where it has none.

    Args:
        settings: the keywords of the method's loss.
        old, now: log-probs before the update and at its last gradient, (..., K).
    """
    if plan.group == "none":
        return dict.fromkeys(("demand", "residual"), jnp.float32(jnp.nan))
    name, settings = (method, settings) if METHODS[method].fits_target else ("tpo", {})
    q: Array = loss_of(name)(old, old, signal, **settings)[1].weights
    p: Array = group.policy(jnp.stack([old, now]) / (plan.shape.length if plan.mean else 1))
    gap = jnp.abs(q - p)
    return {"demand": jnp.mean(gap[0]), "residual": jnp.mean(gap[1])}


def _mean_where(x: Array, chosen: Array) -> Array:
    return jnp.sum(jnp.where(chosen, x, 0)) / jnp.sum(chosen)
