"""The updates of the bandits: one batch of a context in, the direction in which its logits move out.

Axes: `K` actions, `B` sampled actions. Action 0 is the right one: its reward is 1, that of the others 0. With the
policy itself as the shares of the batch, an update is the exact one of infinitely many samples.

Source: arXiv 2604.06159, section on the single-context bandit; the gate of DG is Osband 2026.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from tpo_lab.group import standardise, target


class Batch(NamedTuple):
    """One context's batch.

    Attributes:
        log_pi, pi: the policy, (K,).
        share: of the B samples, that took each action, (K,).
        target: TPO's q of the K standardised scores s = mean A e_a, (K,).
        informative: whether these scores differ, bool ().
    """

    log_pi: Array
    pi: Array
    share: Array
    target: Array
    informative: Array


class Knobs(NamedTuple):
    """Numbers that may change without a new compilation: step length, temperature, baseline."""

    alpha: Array
    eta: Array
    baseline: Array


class Update(NamedTuple):
    """What a method makes of a batch.

    Attributes:
        direction: the logits move along it, (K,); exactly 0 where there is no signal.
        weights: what the method weighs each action by: its target q, or the advantage of a sample of it, (K,).
        counts: how much each action counts in a mean of weights: its share of the samples, candidates alike, (K,).
    """

    direction: Array
    weights: Array
    counts: Array


def balanced(g: Array) -> Array:
    """g with its entry 0 set so that the entries sum to 0: 1 - pi(y*) has no digits left when pi(y*) is near 1."""
    return g.at[0].set(-jnp.sum(g[1:]))


def norm(g: Array) -> Array:
    """||g||, measured in units of the largest entry, so that no square underflows."""
    size = jnp.max(jnp.abs(g))
    return size * jnp.sqrt(jnp.sum((g / jnp.where(size > 0, size, 1.0)) ** 2))


def unit(g: Array) -> Array:
    """g / ||g||, and 0 where g = 0; g of any shape is one vector."""
    size = jnp.max(jnp.abs(g))
    scaled = g / jnp.where(size > 0, size, 1.0)
    return scaled / jnp.where(size > 0, jnp.sqrt(jnp.sum(scaled**2)), 1.0)


def batch_of(log_pi: Array, share: Array | None, knobs: Knobs) -> Batch:
    """The batch of a policy (K,) and the share of the samples that took each action; None: of infinitely many."""
    pi = jnp.exp(log_pi)
    share = pi if share is None else share
    u = standardise(share * (_reward(pi) - knobs.baseline), counted=jnp.ones_like(pi, bool))
    return Batch(log_pi, pi, share, target(log_pi, u, eta=knobs.eta), jnp.any(u != 0))


def _reward(pi: Array) -> Array:
    return jnp.zeros_like(pi).at[0].set(1.0)


def _of_samples(batch: Batch, weights: Array) -> Update:
    """mean_b weight(a_b) (e_{a_b} - pi) = s - (sum s) pi with s = share * weight."""
    s = batch.share * weights
    return Update(balanced(s - jnp.sum(s) * batch.pi), weights, batch.share)


def ce(batch: Batch, knobs: Knobs) -> Update:  # noqa: ARG001
    """The supervised oracle, which knows the right action: g = e_y* - pi."""
    return Update(balanced(-batch.pi), _reward(batch.pi), jnp.ones_like(batch.pi))


def pg(batch: Batch, knobs: Knobs) -> Update:
    """g = mean A (e_a - pi) with A = r - baseline."""
    return _of_samples(batch, _reward(batch.pi) - knobs.baseline)


def dg(batch: Batch, knobs: Knobs) -> Update:
    """g = mean w A (e_a - pi) with the gate w = sigmoid(A * surprisal / eta), surprisal = -log pi(a)."""
    advantage = _reward(batch.pi) - knobs.baseline
    return _of_samples(batch, jax.nn.sigmoid(-advantage * batch.log_pi / knobs.eta) * advantage)


def grpo(batch: Batch, knobs: Knobs) -> Update:  # noqa: ARG001
    """PG with A = (r - mean) / sqrt(var + 1e-8) over the batch; exactly 0 where all rewards are equal.

    With one epoch the ratio is 1, so that clipping does nothing. An action that was not drawn has a share of 0.
    """
    mean = batch.share[0]
    return _of_samples(batch, (_reward(batch.pi) - mean) / jnp.sqrt(mean * (1 - mean) + 1e-8))


def tpo(batch: Batch, knobs: Knobs) -> Update:  # noqa: ARG001
    """g = q - pi; exactly 0 where all scores are equal."""
    g = jnp.where(batch.informative, balanced(batch.target - batch.pi), 0.0)
    return Update(g, batch.target, jnp.ones_like(batch.pi))


UPDATES: dict[str, Callable[[Batch, Knobs], Update]] = {"tpo": tpo, "dg": dg, "grpo": grpo, "pg": pg}
