"""The single-context bandit: K actions, one is right, and the policy is a table of K logits.

Axes: `S` seeds, `K` actions, `B` sampled actions of one step. Action 0 is the right one (y*). The batch enters an
update only through its counts, so that no (B, K) array is formed.

Source: arXiv 2604.06159, section on the single-context bandit (Fig. 2).
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, lax

from tpo_lab.experiments.config import BANDIT_METHODS, BanditConfig
from tpo_lab.tasks import bandit_diagnostics
from tpo_lab.tasks.bandit_updates import UPDATES, Knobs, balanced, batch_of, norm, unit

DIAGNOSTICS: Mapping[str, str] = {
    "error": "1 - pi(y*) before the step.",
    "misalignment": "1 - cos of the angle between the update and the expected policy gradient.",
    **bandit_diagnostics.DIAGNOSTICS,
}
# Seeds are computed in blocks 0..24, 25..49, ..., and those that nobody asked for are dropped: every seed has one place
# in one machine code, and so the same bits however seeds are split; another number of seeds needs no compilation.
BLOCK = 25
# Half of the time to compile is saved, and a step takes as long as before.
QUICK = {"xla_backend_optimization_level": 1}


class State(NamedTuple):
    """All that a lane needs to go on.

    Attributes:
        logits: (BLOCK, K) of each block.
        keys: (BLOCK,) of each block.
        seeds: which rows of all blocks together were asked for.
        step: steps taken.
    """

    logits: tuple[Array, ...]
    keys: tuple[Array, ...]
    seeds: slice
    step: int


def init(config: BanditConfig, first_seed: int = 0, seeds: int | None = None) -> State:
    """Zero logits for seeds first_seed .. first_seed + seeds - 1 (default: all seeds of the config).

    A seed's draws depend on (config.seed, its index, the step) alone: not on the chunk size, not on which seeds run
    beside it, not on the method, so that every method meets the same uniforms.
    """
    n = config.seeds if seeds is None else seeds
    offset = first_seed % BLOCK
    starts = range(first_seed - offset, first_seed + n, BLOCK)
    keys = tuple(_block_keys(jnp.uint32(config.seed), jnp.uint32(start)) for start in starts)
    return State(
        tuple(jnp.zeros((BLOCK, config.actions), jnp.float32) for _ in starts), keys, slice(offset, offset + n), 0
    )


@jax.jit
def _block_keys(seed: Array, start: Array) -> Array:
    return jax.vmap(partial(jax.random.fold_in, jax.random.key(seed)))(start + jnp.arange(BLOCK, dtype=jnp.uint32))


def chunk(
    config: BanditConfig, method: str, state: State, length: int, capacity: int | None = None
) -> tuple[State, dict[str, npt.NDArray[np.float32]]]:
    """Take `length` steps with every seed and return the new state and the diagnostics, each (length, S) float32.

    `misalignment` is 1 - cos(g, g*) with g* = pi(y*) (e_y* - pi), the expected policy gradient; it is NaN where g = 0
    or g* = 0, because no angle exists.

    Args:
        capacity: rows of the compiled buffer, at least `length`; chunks of one capacity share one compilation.
            Default: `length`.

    Raises:
        InputError: if the method is unknown.
    """
    knobs = Knobs(*(jnp.float32(x) for x in (config.alpha, config.eta, config.baseline)))
    index, rows = _index(method), length if capacity is None else capacity
    samples = config.samples if config.update == "sampled" else None
    blocks = [
        _chunk(knobs, index, keys, logits, state.step, length, samples=samples, rows=rows)
        for keys, logits in zip(state.keys, state.logits, strict=True)
    ]
    after = state._replace(logits=tuple(logits for logits, _ in blocks), step=state.step + length)
    curves = np.concatenate([rows for _, rows in blocks], axis=2)[:length, :, state.seeds]
    return after, {name: curves[:, i] for i, name in enumerate(DIAGNOSTICS)}


@partial(jax.jit, static_argnames=("samples", "rows"), compiler_options=QUICK)
def _chunk(
    knobs: Knobs,
    method: Array,
    keys: Array,
    logits: Array,
    first: Array,
    length: Array,
    *,
    samples: int | None,
    rows: int,
) -> tuple[Array, Array]:
    """One compilation per (K, B, rows): the method, the first step, the length and the knobs are run-time values."""

    def step(i: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        logits, rows = carry
        one_seed = partial(_step, knobs, method, first + i, samples=samples)
        logits, metrics = jax.vmap(one_seed)(keys, logits)
        return logits, rows.at[i].set(metrics.T)

    empty = jnp.full((rows, len(DIAGNOSTICS), BLOCK), jnp.nan, jnp.float32)
    after: tuple[Array, Array] = lax.fori_loop(0, length, step, (logits, empty))
    return after


def _step(
    knobs: Knobs, method: Array, index: Array, key: Array, logits: Array, *, samples: int | None
) -> tuple[Array, Array]:
    """z <- z + alpha g / ||g||; where g = 0 the logits stay as they are. The second is every diagnostic, in order."""
    log_pi = jax.nn.log_softmax(logits)
    pi = jnp.exp(log_pi)
    share = None if samples is None else sample_counts(jax.random.fold_in(key, index), pi, samples) / samples
    batch = batch_of(log_pi, share, knobs)
    update = lax.switch(method, tuple(UPDATES.values()), batch, knobs)
    direction = unit(update.direction)
    after = logits + knobs.alpha * direction
    metrics = bandit_diagnostics.of_context(batch, update, jax.nn.log_softmax(after), samples is not None)
    metrics |= {
        "error": jnp.sum(pi[1:]),
        "misalignment": misalignment(direction, pi),
        "grad_norm": norm(update.direction),
    }
    return after, jnp.stack([metrics[name] for name in DIAGNOSTICS])


def sample_counts(key: Array, pi: Array, samples: int) -> Array:
    """How often each action occurs among `samples` draws from pi, shape (K,), summing to `samples`.

    Uniforms are looked up in the cumulative policy, which is summed from the last action to the first: the right
    action, whose probability goes to 1, comes last, and the small probabilities before it keep their digits.
    """
    cumulative = jnp.cumsum(pi[::-1])
    u = jax.random.uniform(key, (samples,)) * cumulative[-1]
    rank = jnp.searchsorted(cumulative, u, side="right", method="scan")
    rank = jnp.minimum(rank, pi.shape[0] - 1)
    return jnp.zeros_like(pi).at[pi.shape[0] - 1 - rank].add(1.0)


def misalignment(direction: Array, pi: Array) -> Array:
    """1 - cos between a direction of unit length and e_y* - pi, as half the squared distance of the unit vectors.

    That form keeps its digits near 0, where 1 - cos loses them. NaN where either vector is zero.
    """
    expected = unit(balanced(-pi))
    defined = jnp.any(direction != 0) & jnp.any(expected != 0)
    return jnp.where(defined, 0.5 * jnp.sum((direction - expected) ** 2), jnp.nan)


def _index(method: str) -> int:
    return tuple(UPDATES).index(BANDIT_METHODS[method].name)
