"""One batch of rollouts of token reversal, scored for any method. Axes as in `tpo_lab.policies.transformer`."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab.policies.layers import barrier
from tpo_lab.policies.sampler import pick, sample
from tpo_lab.policies.transformer import Params
from tpo_lab.tasks.reversal import candidate_rewards, rewards, wanted
from tpo_lab.training.look import Look, groups_kept
from tpo_lab.training.plan import Plan


class Rollouts(NamedTuple):
    """What the behaviour policy wrote, and what a loss is given of it.

    `...` below is (B,) for groups of outputs and single samples, (B, H) for groups of next tokens; `N` is K, H, or K.
    """

    prompts: Array  # (B, H)
    outputs: Array  # (B, K', H); K' = 1 unless outputs are compared
    candidates: Array  # (B, H, K) next tokens, the one that was written first; K = 0 unless tokens are compared
    correct: Array  # bool, (B, K', H)
    rewards: Array  # (B, K', H)
    signal: Array  # (..., N) scores or advantages
    success: Array  # bool, (..., N) which of them are right; single samples: the whole output, on every token


def roll_out(plan: Plan, params: Params, key: Array) -> Rollouts:
    """Draw prompts and outputs, and score them."""
    b, k, h, v = plan.prompts, plan.outputs, plan.shape.length, plan.shape.vocabulary
    compared = plan.group == "tokens"
    # One draw for everything random: random bits are what compiles slowest. Behind the barrier they are made once, not
    # again in all that reads them.
    extra = plan.candidates - 1 if compared else 0
    uniforms = barrier(jax.random.uniform(key, (b, h, 1 + k + extra)))
    for_prompts, for_outputs, for_candidates = lax.split(uniforms, (1, k, extra), axis=2)
    prompts = (for_prompts[..., 0] * v).astype(jnp.int32)
    outputs, log_p = sample(params, plan.shape, prompts, jnp.moveaxis(for_outputs, 2, 1))
    right = wanted(prompts, plan.target, v)
    correct = outputs == right[:, None]
    reward = rewards(correct, plan.reward)
    candidates = jnp.zeros((*prompts.shape, 0), dtype=outputs.dtype)
    if plan.group == "candidates":
        signal, success = jnp.sum(reward, axis=-1), jnp.all(correct, axis=-1)
    elif not compared:
        # The baseline of a position is the mean of its rewards over the batch.
        signal = (reward - jnp.mean(reward, axis=0))[:, 0]
        success = jnp.broadcast_to(jnp.all(correct, axis=-1), signal.shape)
    else:
        others = pick(log_p[:, 0, :, None], for_candidates)
        candidates = jnp.concatenate([outputs[:, 0, :, None], others], axis=-1)
        success = candidates == right[..., None]
        signal = candidate_rewards(correct[:, 0], success, plan.reward)
    return Rollouts(prompts, outputs, candidates, correct, reward, signal, success)


def chosen(plan: Plan, rollouts: Rollouts, log_p: Array) -> Array:
    """The log-probs (..., N) that the loss compares or adds up, of the log-probs (B, K', H, V) of all tokens."""
    if plan.group == "tokens":
        picks: Array = jax.nn.one_hot(rollouts.candidates, plan.shape.vocabulary)
        # (B, H, K, V): a sum over one-hot rows, because the derivative of a gather is a slow scatter.
        return jnp.sum(picks * log_p[:, 0, :, None], axis=-1)
    taken = jnp.sum(jax.nn.one_hot(rollouts.outputs, plan.shape.vocabulary) * log_p, axis=-1)
    return jnp.sum(taken, axis=-1) if plan.group == "candidates" else taken[:, 0]


def extras(plan: Plan, reference: Array | None) -> dict[str, Any]:
    """What a loss is told beside its knobs: the rule, the tokens of a candidate, its log-probs under the reference."""
    lengths = float(plan.shape.length) if plan.mean or plan.methods == ("gspo",) else None
    found = {"rule": plan.rule, "lengths": lengths, "log_p_ref": reference}
    return {name: value for name, value in found.items() if value is not None}


def glance(plan: Plan, rollouts: Rollouts, log_p: Array, weights: Array) -> tuple[Array, Array]:
    """What a look needs of an epoch: log-probs (G, K', H) of the tokens written, and the loss's weights (G, ...).

    Args:
        log_p: of all tokens, (B, K', H, V).
    """
    g = _groups(plan)
    return jnp.sum(jax.nn.one_hot(rollouts.outputs[:g], plan.shape.vocabulary) * log_p[:g], axis=-1), weights[:g]


def look_at(plan: Plan, rollouts: Rollouts, seen: tuple[Array, Array], old: Array, now: Array) -> Look:
    """The look of a batch.

    Args:
        seen: the `glance` of the first epoch, when the policy was still the behaviour policy.
        old, now: what `chosen` takes of the log-probs in the first and in the last epoch, (..., N).
    """
    g = _groups(plan)
    prompts, outputs = rollouts.prompts[:g], rollouts.outputs[:g]
    return Look(
        prompts=prompts,
        wanted=wanted(prompts, plan.target, plan.shape.vocabulary),
        outputs=outputs,
        candidates=rollouts.candidates[:g],
        rewards=rollouts.rewards[:g],
        token_log_p=seen[0],
        signal=rollouts.signal[:g],
        log_p_old=old[:g],
        log_p_last=now[:g],
        weights=seen[1],
    )


def nothing_to_see(plan: Plan) -> Look:
    """A look of zeros."""
    g, h, k = _groups(plan), plan.shape.length, plan.candidates
    values = jnp.zeros({"candidates": (g, k), "tokens": (g, h, k), "none": (g, h)}[plan.group])
    tokens, outputs = jnp.zeros((g, h), jnp.int32), jnp.zeros((g, plan.outputs, h), jnp.int32)
    candidates = jnp.zeros((g, h, k if plan.group == "tokens" else 0), jnp.int32)
    rewards = jnp.zeros(outputs.shape)
    return Look(tokens, tokens, outputs, candidates, rewards, rewards, values, values, values, values)


def _groups(plan: Plan) -> int:
    several = plan.group != "none"
    return groups_kept(plan.prompts, plan.shape.length * (plan.candidates if several else 1))
