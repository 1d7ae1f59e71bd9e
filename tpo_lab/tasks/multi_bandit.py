"""The multi-context bandit with exact population updates: what a method does when nothing is sampled.

Axes: `N` contexts, `K` actions. Action 0 is the right one (y) everywhere; the policy is a table of logits (N, K).

On one-hot rewards every method moves the logits of a context by beta(p) (e_y - pi), see `tpo_lab.group.exact`: methods
differ only in how they spread one step of fixed length over the contexts.

Source: arXiv 2604.06159, section on the multi-context bandit (Fig. 3).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tpo_lab.experiments.multi_bandit import MULTI_BANDIT_METHODS, MultiBanditConfig
from tpo_lab.group.exact import beta_ce, beta_dg, beta_grpo, beta_pg, beta_tpo

DIAGNOSTICS: Mapping[str, str] = {
    "error": "1 - pi(y) after the step, mean over the contexts.",
    "misalignment": "1 - cos of the angle between the update and that of supervised learning.",
}
SHOWS_DIVERGENCE = "error"
CHUNK = 1_000  # the most steps in one call

BETA: Mapping[str, Callable[[Array, MultiBanditConfig], Any]] = {
    "ce": lambda p, _: beta_ce(p),
    "tpo": lambda p, config: beta_tpo(p, k=config.actions, eta=config.eta),
    "dg": lambda p, config: beta_dg(p, eta=config.eta),
    "grpo": lambda p, _: beta_grpo(p),
    "pg": lambda p, _: beta_pg(p),
}


class State(NamedTuple):
    """All that one seed of one method needs to go on."""

    logits: Array  # (N, K)
    step: Array  # steps done


def init(config: MultiBanditConfig, method: str, seed: int = 0) -> State:
    """Logits ~ N(0, 1) of repetition `seed`, the same for every method.

    Raises:
        InputError: if the method is unknown.
    """
    MULTI_BANDIT_METHODS[method]
    key = jax.random.fold_in(jax.random.key(config.seed), seed)
    return State(jax.random.normal(key, (config.contexts, config.actions)), jnp.int32(0))


def chunk(config: MultiBanditConfig, method: str, state: State, episodes: int) -> tuple[State, dict[str, Any]]:
    """Take some steps: the state after them, and each diagnostic as (episodes,) float32."""
    parts = []
    while episodes > 0:
        n = min(episodes, CHUNK)
        state, record = _chunk(_plan(config), MULTI_BANDIT_METHODS[method].name, state, jnp.int32(n))
        parts.append({name: np.asarray(values)[:n] for name, values in record.items()})
        episodes -= n
    return state, {name: np.concatenate([part[name] for part in parts]) for name in DIAGNOSTICS}


def warm(config: MultiBanditConfig, method: str) -> None:
    """Compile what this method needs, by taking no step."""
    jax.block_until_ready(_chunk(_plan(config), method, init(config, method), jnp.int32(0)))  # type: ignore[no-untyped-call]


def direction(config: MultiBanditConfig, method: str, logits: Array) -> Array:
    """The exact update beta(p) (e_y - pi) of every context, (N, K), before it is scaled to length alpha."""
    pi = jax.nn.softmax(logits)
    # e_y - pi, its first entry summed from the others: 1 - pi(y) has no digits left when pi(y) is near 1.
    towards = jnp.concatenate([jnp.sum(pi[:, 1:], axis=1, keepdims=True), -pi[:, 1:]], axis=1)
    beta: Array = BETA[method](pi[:, :1], config)
    return beta * towards


def _plan(config: MultiBanditConfig) -> MultiBanditConfig:
    """The configuration without what changes no machine code."""
    return MultiBanditConfig(
        contexts=config.contexts, actions=config.actions, alpha=config.alpha, eta=config.eta, episodes=1, seeds=1
    )


@partial(jax.jit, static_argnums=(0, 1))
def _chunk(config: MultiBanditConfig, method: str, state: State, episodes: Array) -> tuple[State, dict[str, Array]]:
    def step(i: Array, carry: tuple[State, dict[str, Array]]) -> tuple[State, dict[str, Array]]:
        state, record = carry
        update, supervised = (_unit(direction(config, name, state.logits)) for name in (method, "ce"))
        logits = state.logits + config.alpha * update
        metrics = {
            "error": jnp.mean(jnp.sum(jax.nn.softmax(logits)[:, 1:], axis=1)),
            # Half the squared distance of unit vectors keeps its digits near 0, where 1 - cos loses them.
            "misalignment": 0.5 * jnp.sum((update - supervised) ** 2),
        }
        return State(logits, state.step + 1), {name: record[name].at[i].set(metrics[name]) for name in record}

    record = {name: jnp.zeros(CHUNK, dtype=jnp.float32) for name in DIAGNOSTICS}
    done: tuple[State, dict[str, Array]] = lax.fori_loop(0, episodes, step, (state, record))
    return done


def _unit(g: Array) -> Array:
    """g over its length, measured in units of its largest entry, so that no square underflows; 0 where g = 0."""
    size = jnp.max(jnp.abs(g))
    scaled = g / jnp.where(size > 0, size, 1.0)
    return scaled / jnp.where(size > 0, jnp.linalg.norm(scaled), 1.0)
