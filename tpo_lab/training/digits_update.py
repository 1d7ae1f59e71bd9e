"""The loss of a batch of the digits bandit: what each method takes for its scores or advantages.

Axes: `B` images, `K` actions. One action a ~ pi per image, reward r = 1{a = label}, baseline b = sum pi^2 (how
often two independent draws agree), A = r - b.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab import group
from tpo_lab.methods.losses import loss_of


class Batch(NamedTuple):
    """What was drawn: the actions taken and the labels as one-hot rows (B, K), and the rewards (B,)."""

    taken: Array
    label: Array
    reward: Array


def draw(key: Array, log_pi: Array, labels: Array) -> Batch:
    """One action per image from its policy log_pi (B, K), and the reward."""
    k = log_pi.shape[-1]
    action = jax.random.categorical(key, log_pi)
    return Batch(jax.nn.one_hot(action, k), jax.nn.one_hot(labels, k), (action == labels).astype(jnp.float32))


class Outcome(NamedTuple):
    """What a method makes of a batch.

    Attributes:
        losses: one per image, (B,).
        weight: what the action taken weighs in it, (B,).
        zero_variance: share of groups of equal scores; NaN where nothing is compared.
    """

    losses: Array
    weight: Array
    zero_variance: Array


def outcome(method: str, eta: Array, log_pi: Array, batch: Batch) -> Outcome:
    """What a method makes of a batch that was drawn from its policy log_pi (B, K).

    TPO compares the K actions of an image by the scores A e_a. Group PG weighs the action taken by its entry of the
    same u, +-sqrt(K - 1); GRPO standardises the rewards over the batch. PG and DG take A, CE sees the label.
    """
    advantage = _advantage(log_pi, batch)
    scores = advantage[:, None] * batch.taken
    match method:
        case "tpo":
            return _over_actions("tpo", log_pi, batch, scores, eta=eta)._replace(zero_variance=_equal(scores))
        case "ce":
            return _over_actions("ce", log_pi, batch, batch.label)
        case "dg":
            return _of_taken("dg", log_pi, batch, advantage, eta=eta)
        case "group_pg":
            u = jnp.sum(group.standardise(scores) * batch.taken, axis=-1)
            return _of_taken("pg", log_pi, batch, u)._replace(zero_variance=_equal(scores))
        case "grpo":
            # With one epoch the ratio is 1: clipping and KL do nothing, and PG with these advantages is left.
            over_batch = group.standardise(batch.reward, rule="reference_grpo")
            return _of_taken("pg", log_pi, batch, over_batch)._replace(zero_variance=_equal(batch.reward))
        case "pg":
            return _of_taken("pg", log_pi, batch, advantage)
    raise ValueError(f"{method} has no update on digits")


def target(log_pi: Array, batch: Batch, eta: Array | float = 1.0) -> Array:
    """TPO's target q of every image, (B, K), whatever the method makes of the batch."""
    scores = _advantage(log_pi, batch)[:, None] * batch.taken
    q: Array = group.target(log_pi, group.standardise(scores), eta=eta)
    return q


def in_groups(method: str, batch: Batch) -> dict[str, Array]:
    """Shares of groups without a success, and of successes only: of images, for GRPO of batches; NaN without groups."""
    right = batch.reward > 0
    match method:
        case "grpo":
            right = right[None]
        case "tpo" | "group_pg":
            right = right[:, None]
        case _:
            return dict.fromkeys(("all_fail", "all_pass"), jnp.float32(jnp.nan))
    return {"all_fail": jnp.mean(~jnp.any(right, axis=-1)), "all_pass": jnp.mean(jnp.all(right, axis=-1))}


def _advantage(log_pi: Array, batch: Batch) -> Array:
    pi = lax.stop_gradient(jnp.exp(log_pi))
    return batch.reward - jnp.sum(pi * pi, axis=-1)


def _over_actions(name: str, log_pi: Array, batch: Batch, signal: Array, **knobs: Array) -> Outcome:
    """A loss on the log-probabilities of all actions."""
    losses, aux = loss_of(name)(log_pi, lax.stop_gradient(log_pi), signal, **knobs)
    return Outcome(losses, jnp.sum(aux.weights * batch.taken, axis=-1), jnp.float32(jnp.nan))


def _of_taken(name: str, log_pi: Array, batch: Batch, advantage: Array, **knobs: Array) -> Outcome:
    """A loss of single samples, on the log-probability of the action taken."""
    log_p = jnp.sum(log_pi * batch.taken, axis=-1, keepdims=True)
    losses, aux = loss_of(name)(log_p, lax.stop_gradient(log_p), advantage[:, None], **knobs)
    return Outcome(losses, aux.weights[:, 0], jnp.float32(jnp.nan))


def _equal(scores: Array) -> Array:
    return jnp.mean(group.spread(scores).zero_variance)
