"""Training on token reversal: pure `init` and `chunk`, one seed at a time.

Every seed runs through the same machine code with its own numbers, so what a seed computes depends on nothing but
(config, method, seed): not on the chunk size, not on which other seeds run, not on stopping and going on. On a CPU one
seed already fills the products, and a batch of seeds is no faster.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from jax import Array, lax

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.losses import Aux, loss_of
from tpo_lab.methods.registry import METHODS
from tpo_lab.policies import transformer
from tpo_lab.policies.transformer import Params, Shape
from tpo_lab.training import diagnostics, kept
from tpo_lab.training.diagnostics import DIAGNOSTICS, FIRST_EPOCH, LAST_EPOCH, SHOWS_DIVERGENCE
from tpo_lab.training.look import Look
from tpo_lab.training.optimiser import Partition, optimiser
from tpo_lab.training.plan import Numbers, Plan, blocks, of_method, plan_of
from tpo_lab.training.rollouts import Rollouts, chosen, extras, glance, look_at, nothing_to_see, roll_out

__all__ = [
    "CHUNK",
    "DIAGNOSTICS",
    "SHOWS_DIVERGENCE",
    "State",
    "chunk",
    "chunk_and_look",
    "compiled",
    "init",
    "step",
    "warm",
]

# Most of the time to compile goes into code that runs for microseconds. The older emitters and the first level of
# optimisation halve it; the products come from libraries, and a step takes as long as before.
QUICK = {"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 1}

SEEDS = (np.uint32(0), np.uint32(0))  # what `_begin` is compiled for; NumPy's, as importing this starts no backend
CHUNK = 64  # the most episodes in one call; the number asked for is an argument, so that it needs no compilation


class State(NamedTuple):
    """All that one seed of one method needs to go on."""

    params: Params
    optimiser: Any
    key: Array
    episode: Array  # episodes done
    reference: Params | None = None  # the initial policy, if the target is anchored to it


def init(config: ReversalConfig, method: str, seed: int = 0) -> State:
    """The state before the first episode of repetition `seed`; every method starts from the same parameters.

    Raises:
        InputError: if the configuration does not allow the method.
    """
    plan, _ = plan_of(config, method)
    numbers = jnp.uint32(config.seed), jnp.uint32(seed)
    state: State = _initial(plan.shape, plan.partition, plan.anchored)(*numbers)
    return state


def chunk(config: ReversalConfig, method: str, state: State, episodes: int) -> tuple[State, dict[str, Any]]:
    """Run some episodes: the state after them, and each diagnostic of `DIAGNOSTICS` as (episodes,) float32.

    A value that is not finite is recorded as it is, at its episode.
    """
    return chunk_and_look(config, method, state, episodes)[:2]


def chunk_and_look(
    config: ReversalConfig, method: str, state: State, episodes: int
) -> tuple[State, dict[str, Any], Look | None]:
    """`chunk`, and what the last of these episodes saw; None of no episode."""
    plan, numbers = plan_of(config, method)
    run = _program(plan, numbers, state)
    parts, look = [np.empty((0, len(DIAGNOSTICS)), dtype=np.float32)], None
    while episodes > 0:
        n = min(episodes, CHUNK)
        state, rows, look = run(numbers, state, jnp.int32(n))
        parts.append(np.asarray(rows)[:n])
        episodes -= n
    return state, dict(zip(DIAGNOSTICS, np.concatenate(parts).T, strict=True)), look


def warm(config: ReversalConfig, method: str) -> None:
    """Compile what this method needs, or fetch it from the cache on disk."""
    plan, numbers = plan_of(config, method)
    start = (plan.shape, plan.partition, plan.anchored)
    with ThreadPoolExecutor(1) as other:
        beginning = other.submit(_initial, *start)
        _program(plan, numbers, _shapes(*start))
        beginning.result()


def compiled(plan: Plan, numbers: Numbers, state: State) -> Callable[..., tuple[State, Array, Look]]:
    """The machine code of `(numbers, state, episodes) -> (state, rows, look)`, compiled anew."""
    args = (numbers, state, jnp.int32(0))
    return kept.compiled(repr(plan), partial(_chunk, plan), args, like=(state, 0, Look(*Look._fields)), options=QUICK)


_programs: dict[Any, Callable[..., tuple[State, Array, Look]]] = {}


def _program(plan: Plan, numbers: Numbers, state: State) -> Callable[..., tuple[State, Array, Look]]:
    key = (plan, jax.tree.structure((numbers, state)))
    if key not in _programs:
        _programs[key] = compiled(plan, numbers, state)
    return _programs[key]


@cache
def _initial(shape: Shape, partition: Partition, anchored: bool) -> Callable[..., State]:
    """The machine code of `(first seed, repetition) -> state`."""
    start = (shape, partition, anchored)
    return kept.compiled(repr(start), partial(_begin, *start), SEEDS, _shapes(*start), QUICK)


@cache
def _shapes(shape: Shape, partition: Partition, anchored: bool) -> State:
    found: State = jax.eval_shape(partial(_begin, shape, partition, anchored), *SEEDS)
    return found


def _begin(shape: Shape, partition: Partition, anchored: bool, base: Array, seed: Array) -> State:
    key = jax.random.fold_in(jax.random.key(base), seed)
    of_params, of_episodes = jax.random.split(key)
    params = transformer.init(of_params, shape)
    reference = params if anchored else None
    return State(params, optimiser(0.0, partition).init(params), of_episodes, jnp.int32(0), reference)


def _chunk(plan: Plan, numbers: Numbers, state: State, episodes: Array) -> tuple[State, Array, Look]:
    """The state after some episodes, their diagnostics as the first rows of (CHUNK, diagnostics), the last one's look.

    To carry a look along costs nothing next to a step; to sample again for it would.
    """

    def body(i: Array, carry: tuple[State, Array, Look]) -> tuple[State, Array, Look]:
        state, rows, _ = carry
        state, metrics, look = step(plan, numbers, state)
        row = jnp.stack([metrics[name] for name in DIAGNOSTICS])
        return state, lax.dynamic_update_index_in_dim(rows, row, i, axis=0), look

    rows = jnp.zeros((CHUNK, len(DIAGNOSTICS)), dtype=jnp.float32)
    done: tuple[State, Array, Look] = lax.fori_loop(0, episodes, body, (state, rows, nothing_to_see(plan)))
    return done


def step(plan: Plan, numbers: Numbers, state: State) -> tuple[State, dict[str, Array], Look]:
    """One episode: roll out, then take gradient epochs on that batch; the state after it, diagnostics and look."""
    rollouts = roll_out(plan, state.params, jax.random.fold_in(state.key, state.episode))
    update = optimiser(numbers.learning_rate, plan.partition).update
    reference = None
    if state.reference is not None:
        log_p = transformer.log_probs(state.reference, plan.shape, rollouts.prompts, rollouts.outputs)
        reference = chosen(plan, rollouts, log_p)

    def epoch(i: Array, carry: tuple[Any, ...]) -> tuple[Any, ...]:
        params, moments, old, _, first, _, seen = carry
        (value, gradient), (log_p, now, aux) = _gradient(plan, numbers, reference, params, rollouts, old, i == 0)
        metrics = diagnostics.of_first_epoch(rollouts, log_p, value, aux, optax.tree.norm(gradient))
        first = jnp.where(i == 0, jnp.stack([metrics[name] for name in FIRST_EPOCH]), first)
        seen = jax.tree.map(partial(jnp.where, i == 0), glance(plan, rollouts, log_p, aux.weights), seen)
        at_last = diagnostics.of_last_epoch(aux)
        updates, moments = update(gradient, moments, params)
        params = optax.apply_updates(params, updates)
        last = jnp.stack([at_last[name] for name in LAST_EPOCH])
        return params, moments, jnp.where(i == 0, now, old), now, first, last, seen

    nothing = jnp.zeros_like(rollouts.signal)
    values = jnp.zeros(len(FIRST_EPOCH)), jnp.zeros(len(LAST_EPOCH))
    empty = nothing_to_see(plan)
    carry = (state.params, state.optimiser, nothing, nothing, *values, (empty.token_log_p, empty.weights))
    params, moments, old, now, first, last, seen = lax.fori_loop(0, numbers.epochs, epoch, carry)
    metrics = diagnostics.of_rollouts(plan, rollouts)
    metrics |= dict(zip(FIRST_EPOCH, first, strict=True)) | dict(zip(LAST_EPOCH, last, strict=True))
    metrics |= _distances(plan, numbers, reference, rollouts.signal, old, now)
    look = look_at(plan, rollouts, seen, old, now)
    return State(params, moments, state.key, state.episode + 1, state.reference), metrics, look


def _gradient(
    plan: Plan,
    numbers: Numbers,
    reference: Array | None,
    params: Params,
    rollouts: Rollouts,
    old: Array,
    is_first: Array,
) -> tuple[tuple[Array, Params], tuple[Array, Array, Aux]]:
    """The loss of the batch, its gradient, and the log-probs and weights it came from, added up over blocks of prompts.

    A method is no more than the slope of its loss in the log-probs that it compares; the way from there into the
    parameters is the same for all. In the first epoch the policy is the snapshot: its log-probs, bit for bit, are the
    old. That saves a pass for the snapshot, and makes the gradient of a group at its target exactly 0.
    """
    parts = blocks(plan)

    def add(total: tuple[Array, Params], block: Any) -> tuple[tuple[Array, Params], tuple[Array, Array, Aux]]:
        rollouts, old, reference = block

        def read(params: Params) -> tuple[Array, Array]:
            log_p = transformer.log_probs(params, plan.shape, rollouts.prompts, rollouts.outputs)
            return chosen(plan, rollouts, log_p), log_p

        now, pull, log_p = jax.vjp(read, params, has_aux=True)
        old = jnp.where(is_first, now, old)
        value, slope, aux = of_method(
            plan, numbers, partial(_loss, plan), numbers.knobs, reference, rollouts.signal, old, now
        )
        return jax.tree.map(jnp.add, total, (value, *pull(slope))), (log_p, now, aux)

    nothing = (jnp.float32(0), jax.tree.map(jnp.zeros_like, params))
    cut = jax.tree.map(lambda x: x.reshape(parts, plan.prompts // parts, *x.shape[1:]), (rollouts, old, reference))
    total, seen = lax.scan(add, nothing, cut)
    return total, jax.tree.map(lambda x: x.reshape(plan.prompts, *x.shape[2:]), seen)


Knobs = dict[str, dict[str, Array]]


def _loss(
    plan: Plan, method: str, knobs: Knobs, reference: Array | None, signal: Array, old: Array, now: Array
) -> tuple[Array, Array, Aux]:
    """The part of a block of prompts in the mean loss of a method, its slope in `now`, and what it reports."""

    def loss(now: Array) -> tuple[Array, Aux]:
        values, aux = loss_of(method)(now, old, signal, **knobs[method], **extras(plan, reference))
        return jnp.sum(values) / plan.prompts, aux

    (value, aux), slope = jax.value_and_grad(loss, has_aux=True)(now)
    return value, slope, aux


def _distances(
    plan: Plan, numbers: Numbers, reference: Array | None, signal: Array, old: Array, now: Array
) -> dict[str, Array]:
    """The distances to the method's own target; in a family to that of the one that has one, with its usual numbers."""
    method = next((name for name in plan.methods if METHODS[name].fits_target), plan.methods[0])
    knobs = numbers.knobs[method]
    if len(plan.methods) > 1:
        own, usual = numbers.method == plan.methods.index(method), {knob.name: knob for knob in METHODS[method].knobs}
        knobs = {name: jnp.where(own, value, jnp.float32(usual[name].default)) for name, value in knobs.items()}
    return diagnostics.distances(plan, method, signal, knobs | extras(plan, reference), old, now)
