"""Training on token reversal: pure `init` and `chunk`, one seed at a time.

Every seed runs through the same machine code with its own numbers, so what a seed computes depends on nothing but
(config, method, seed): not on the chunk size, not on which other seeds run, not on stopping and going on. On a CPU one
seed already fills the products, and a batch of seeds is no faster.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.policies import transformer
from tpo_lab.policies.transformer import Shape
from tpo_lab.training import kept
from tpo_lab.training.diagnostics import DIAGNOSTICS, SHOWS_DIVERGENCE
from tpo_lab.training.look import Look
from tpo_lab.training.optimiser import Partition, optimiser
from tpo_lab.training.plan import Numbers, Plan, plan_of
from tpo_lab.training.reversal_update import First, Seen, State, draw, learn, report
from tpo_lab.training.rollouts import Rollouts

__all__ = [
    "CHUNK",
    "DIAGNOSTICS",
    "SHOWS_DIVERGENCE",
    "State",
    "chunk",
    "chunk_and_look",
    "compiled",
    "init",
    "warm",
]

# Most of the time to compile goes into code that runs for microseconds. The older emitters and the first level of
# optimisation halve it; the products come from libraries, and a step takes as long as before.
QUICK = {"xla_cpu_use_fusion_emitters": False, "xla_backend_optimization_level": 1}

SEEDS = (np.uint32(0), np.uint32(0))  # what `_begin` is compiled for; NumPy's, as importing this starts no backend
CHUNK = 64  # the most episodes between two looks at a run


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
    run, rows, look = _program(plan, numbers, state), [], None
    for _ in range(episodes):
        state, row, look = run(numbers, state)
        rows.append(row)
    table = np.reshape(np.asarray(rows, dtype=np.float32), (episodes, len(DIAGNOSTICS)))
    return state, dict(zip(DIAGNOSTICS, table.T, strict=True)), look


def warm(config: ReversalConfig, method: str) -> None:
    """Compile what this method needs, or fetch it from the cache on disk."""
    plan, numbers = plan_of(config, method)
    start = (plan.shape, plan.partition, plan.anchored)
    with ThreadPoolExecutor(1) as other:
        beginning = other.submit(_initial, *start)
        _program(plan, numbers, _shapes(*start))
        beginning.result()


Episode = Callable[[Numbers, State], tuple[State, Array, Look]]


def compiled(plan: Plan, numbers: Numbers, state: State) -> Episode:
    """The machine code of one episode, compiled anew: the state after it, its row of `DIAGNOSTICS`, its look.

    To keep the cores busy, each part is compiled while the next one is traced.
    """
    with ThreadPoolExecutor() as pool:

        def part(function: Callable[..., Any], plan: Plan, args: tuple[Any, ...], like: Any) -> tuple[Any, Any]:
            program = kept.traced(f"{function.__name__} {plan}", partial(function, plan), args, like)
            return program.shapes, pool.submit(program.compiled, QUICK)

        leaf: Any = 0
        read, anchor = (state.params, state.key, state.episode), None if state.reference is None else leaf
        rollouts, drawing = part(draw, plan.drawing, read, Rollouts._make(Rollouts._fields))
        seen: Any = Seen(First._make(First._fields), leaf, leaf, anchor)
        (_, seen), learning = part(learn, plan, (numbers, state, rollouts), (state, seen))
        _, reporting = part(report, plan, (numbers, rollouts, seen), (leaf, Look._make(Look._fields)))
        codes = drawing.result(), learning.result(), reporting.result()

    def episode(numbers: Numbers, state: State) -> tuple[State, Array, Look]:
        draw, learn, report = codes
        rollouts = draw(state.params, state.key, state.episode)
        state, seen = learn(numbers, state, rollouts)
        row, look = report(numbers, rollouts, seen)
        return state, row, look

    return episode


_programs: dict[Any, Episode] = {}


def _program(plan: Plan, numbers: Numbers, state: State) -> Episode:
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
