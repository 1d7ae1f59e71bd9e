"""The updates of the single-context bandit: one sampled batch in, the direction in which the logits move out.

Axes: `K` actions, `B` sampled actions. Action 0 is the right one: its reward is 1, that of the others 0.

Source: arXiv 2604.06159, section on the single-context bandit; the gate of DG is Osband 2026.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from tpo_lab.group import standardise, target


class Batch(NamedTuple):
    """One seed's batch: log pi (K,), pi (K,), and the share of the B samples that took each action (K,)."""

    log_pi: Array
    pi: Array
    share: Array


class Knobs(NamedTuple):
    """Numbers that may change without a new compilation: step length, temperature, baseline."""

    alpha: Array
    eta: Array
    baseline: Array


def balanced(g: Array) -> Array:
    """g with its entry 0 set so that the entries sum to 0: 1 - pi(y*) has no digits left when pi(y*) is near 1."""
    return g.at[0].set(-jnp.sum(g[1:]))


def unit(g: Array) -> Array:
    """g / ||g||, and 0 where g = 0. Measured in units of the largest entry, so that no square underflows."""
    size = jnp.max(jnp.abs(g))
    scaled = g / jnp.where(size > 0, size, 1.0)
    return scaled / jnp.where(size > 0, jnp.sqrt(jnp.sum(scaled**2)), 1.0)


def _reward(batch: Batch) -> Array:
    return jnp.zeros_like(batch.pi).at[0].set(1.0)


def _score_function(batch: Batch, weight: Array) -> Array:
    """mean_b weight(a_b) (e_{a_b} - pi) = s - (sum s) pi with s = share * weight."""
    s = batch.share * weight
    return balanced(s - jnp.sum(s) * batch.pi)


def pg(batch: Batch, knobs: Knobs) -> Array:
    """g = mean A (e_a - pi) with A = r - baseline."""
    return _score_function(batch, _reward(batch) - knobs.baseline)


def dg(batch: Batch, knobs: Knobs) -> Array:
    """g = mean w A (e_a - pi) with the gate w = sigmoid(A * surprisal / eta), surprisal = -log pi(a)."""
    advantage = _reward(batch) - knobs.baseline
    return _score_function(batch, jax.nn.sigmoid(-advantage * batch.log_pi / knobs.eta) * advantage)


def grpo(batch: Batch, knobs: Knobs) -> Array:  # noqa: ARG001
    """PG with A = (r - mean) / sqrt(var + 1e-8) over the batch; exactly 0 where all rewards are equal.

    With one epoch the ratio is 1, so that clipping does nothing. An action that was not drawn has a share of 0.
    """
    mean = batch.share[0]
    return _score_function(batch, (_reward(batch) - mean) / jnp.sqrt(mean * (1 - mean) + 1e-8))


def tpo(batch: Batch, knobs: Knobs) -> Array:
    """g = q - pi with q the target of the K standardised scores s = mean A e_a; exactly 0 where all s are equal."""
    u = standardise(batch.share * (_reward(batch) - knobs.baseline), counted=jnp.ones_like(batch.pi, bool))
    q = target(batch.log_pi, u, eta=knobs.eta)
    return jnp.where(jnp.any(u != 0), balanced(q - batch.pi), 0.0)


UPDATES: dict[str, Callable[[Batch, Knobs], Array]] = {"tpo": tpo, "dg": dg, "grpo": grpo, "pg": pg}
