"""The multi-context bandit: how one step of fixed length is spread over many contexts.

Axes: `N` contexts, `K` actions. Action 0 is the right one (y) everywhere; the policy is a table of logits (N, K).

On one-hot rewards without a baseline every exact update moves the logits of a context by beta(p) (e_y - pi), see
`tpo_lab.group.exact`: methods differ only in how they spread the step over the contexts.

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
from tpo_lab.tasks import bandit_diagnostics
from tpo_lab.tasks.bandit import sample_counts
from tpo_lab.tasks.bandit_updates import UPDATES, Batch, Knobs, Update, batch_of, ce, norm, unit

QUANTILES = (0, 25, 50, 75, 100)  # of the contexts, in %
DIAGNOSTICS: Mapping[str, str] = {
    "error": "1 - pi(y) after the step, mean over the contexts.",
    "misalignment": "1 - cos of the angle between the update and that of supervised learning.",
    **bandit_diagnostics.DIAGNOSTICS,
    **{f"p_{q}": f"pi(y) after the step, {q} % quantile of the contexts." for q in QUANTILES},
}
SHOWS_DIVERGENCE = "error"
CHUNK = 1_000  # the most steps in one call


class State(NamedTuple):
    """All that one seed of one method needs to go on."""

    logits: Array  # (N, K)
    key: Array
    step: Array  # steps done


def init(config: MultiBanditConfig, method: str, seed: int = 0) -> State:
    """Logits ~ N(0, 1) of repetition `seed`, the same for every method.

    Raises:
        InputError: if the method is unknown.
    """
    MULTI_BANDIT_METHODS[method]
    key = jax.random.fold_in(jax.random.key(config.seed), seed)
    return State(jax.random.normal(key, (config.contexts, config.actions)), jax.random.fold_in(key, 1), jnp.int32(0))


def chunk(config: MultiBanditConfig, method: str, state: State, episodes: int) -> tuple[State, dict[str, Any]]:
    """Take some steps: the state after them, and each diagnostic as (episodes,) float32."""
    name, samples, knobs = _plan(config, method)
    parts = [np.empty((0, len(DIAGNOSTICS)), np.float32)]
    while episodes > 0:
        n = min(episodes, CHUNK)
        state, rows = _chunk(name, samples, knobs, state, jnp.int32(n))
        parts.append(np.asarray(rows)[:n])
        episodes -= n
    return state, dict(zip(DIAGNOSTICS, np.concatenate(parts).T, strict=True))


def warm(config: MultiBanditConfig, method: str) -> None:
    """Compile what this method needs, by taking no step."""
    done = _chunk(*_plan(config, method), init(config, method), jnp.int32(0))
    jax.block_until_ready(done)  # type: ignore[no-untyped-call]


def batches(log_pi: Array, share: Array | None, knobs: Knobs) -> Batch:
    """The batch of every context, contexts first, of log pi (N, K) and the shares of the samples, (N, K) or None."""
    return jax.vmap(batch_of, in_axes=(0, None if share is None else 0, None))(log_pi, share, knobs)


def updates(method: str, batch: Batch, knobs: Knobs) -> Update:
    """The update of every context, each field (N, K), of batches whose fields are (N, K)."""
    of_context: Callable[[Batch, Knobs], Update] = ce if method == "ce" else UPDATES[method]
    return jax.vmap(of_context, in_axes=(0, None))(batch, knobs)


def _plan(config: MultiBanditConfig, method: str) -> tuple[str, int | None, Knobs]:
    """What fixes the machine code beside the sizes of the state, and the numbers that do not."""
    samples = config.samples if config.update == "sampled" else None
    knobs = Knobs(*(jnp.float32(x) for x in (config.alpha, config.eta, config.baseline)))
    return MULTI_BANDIT_METHODS[method].name, samples, knobs


@partial(jax.jit, static_argnums=(0, 1))
def _chunk(method: str, samples: int | None, knobs: Knobs, state: State, episodes: Array) -> tuple[State, Array]:
    """The state after some steps, and their diagnostics as the first rows of (CHUNK, diagnostics)."""

    def body(i: Array, carry: tuple[State, Array]) -> tuple[State, Array]:
        state, rows = carry
        state, metrics = _step(method, samples, knobs, state)
        return state, rows.at[i].set(jnp.stack([metrics[name] for name in DIAGNOSTICS]))

    done: tuple[State, Array] = lax.fori_loop(0, episodes, body, (state, jnp.zeros((CHUNK, len(DIAGNOSTICS)))))
    return done


def _step(method: str, samples: int | None, knobs: Knobs, state: State) -> tuple[State, dict[str, Array]]:
    """One direction of length alpha over all N * K logits; where it is 0 they stay as they are."""
    log_pi = jax.nn.log_softmax(state.logits)
    share = None
    if samples is not None:
        keys = jax.random.split(jax.random.fold_in(state.key, state.step), log_pi.shape[0])
        share = jax.vmap(sample_counts, in_axes=(0, 0, None))(keys, jnp.exp(log_pi), samples) / samples
    batch = batches(log_pi, share, knobs)
    update = updates(method, batch, knobs)
    direction = unit(update.direction)
    supervised = direction if method == "ce" else unit(updates("ce", batch, knobs).direction)
    logits = state.logits + knobs.alpha * direction
    after = jax.nn.log_softmax(logits)
    in_context = jax.vmap(bandit_diagnostics.of_context, in_axes=(0, 0, 0, None))
    of_contexts = in_context(batch, update, after, samples is not None)
    metrics = {name: jnp.nanmean(values) for name, values in of_contexts.items()} | {
        "error": jnp.mean(jnp.sum(jnp.exp(after)[:, 1:], axis=1)),
        # Half the squared distance of unit vectors keeps its digits near 0, where 1 - cos loses them.
        "misalignment": jnp.where(jnp.any(direction != 0), 0.5 * jnp.sum((direction - supervised) ** 2), jnp.nan),
        "grad_norm": norm(update.direction),
    }
    quantiles = jnp.quantile(jnp.exp(after[:, 0]), jnp.array(QUANTILES) / 100)
    metrics |= {f"p_{q}": value for q, value in zip(QUANTILES, quantiles, strict=True)}
    return State(logits, state.key, state.step + 1), metrics
