"""One episode of token reversal in three parts, each a program of its own: draw, learn, report.

Apart, because together they compile for a third longer: the parts are compiled beside each other.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jax import Array, lax
from jax.flatten_util import ravel_pytree

from tpo_lab.methods.losses import Aux, loss_of
from tpo_lab.methods.registry import METHODS
from tpo_lab.policies import transformer
from tpo_lab.policies.transformer import Params
from tpo_lab.training import diagnostics
from tpo_lab.training.diagnostics import DIAGNOSTICS, FIRST_EPOCH, LAST_EPOCH
from tpo_lab.training.look import Look
from tpo_lab.training.optimiser import optimiser
from tpo_lab.training.plan import Numbers, Plan, blocks, of_method
from tpo_lab.training.rollouts import Rollouts, chosen, extras, glance, look_at, nothing_to_see, roll_out


class State(NamedTuple):
    """All that one seed of one method needs to go on."""

    params: Params
    optimiser: Any
    key: Array
    episode: Array  # episodes done
    reference: Params | None = None  # the initial policy, if the target is anchored to it


class First(NamedTuple):
    """What the first epoch saw, when the policy was still the behaviour policy."""

    values: Array  # (FIRST_EPOCH,)
    token_log_p: Array  # of its `glance`
    weights: Array  # of its `glance`
    log_p: Array  # of what the loss compares; axes as of the signal of `Rollouts`


class Seen(NamedTuple):
    """What the epochs of an episode saw."""

    first: First
    last: Array  # (LAST_EPOCH,)
    log_p: Array  # as in `First`, in the last epoch, before its step
    reference: Array | None  # these log-probs under the initial policy, if the target is anchored to it


def draw(plan: Plan, params: Params, key: Array, episode: Array) -> Rollouts:
    """The rollouts of an episode."""
    return roll_out(plan, params, jax.random.fold_in(key, episode))


def learn(plan: Plan, numbers: Numbers, state: State, rollouts: Rollouts) -> tuple[State, Seen]:
    """Take gradient epochs on a batch of rollouts: the state after it, and what the epochs saw."""
    update = optimiser(numbers.learning_rate, plan.partition).update
    as_params = ravel_pytree(state.params)[1]
    reference = None
    if state.reference is not None:
        log_p = transformer.log_probs(state.reference, plan.shape, rollouts.prompts, rollouts.outputs)
        reference = chosen(plan, rollouts, log_p)

    def epoch(i: Array, carry: tuple[Params, Any, Seen]) -> tuple[Params, Any, Seen]:
        params, moments, seen = carry
        old, is_first = seen.first.log_p, i == 0
        (value, gradient), (log_p, now, aux) = _gradient(plan, numbers, reference, params, rollouts, old, is_first)
        updates, moments = update(as_params(gradient), moments, params)
        metrics = diagnostics.of_first_epoch(rollouts, log_p, value, aux, jnp.linalg.norm(gradient))
        metrics |= diagnostics.of_last_epoch(aux)
        values, last = (jnp.stack([metrics[name] for name in names]) for names in (FIRST_EPOCH, LAST_EPOCH))
        first = First(values, *glance(plan, rollouts, log_p, aux.weights), now)
        first = jax.tree.map(partial(jnp.where, is_first), first, seen.first)
        return optax.apply_updates(params, updates), moments, Seen(first, last, now, reference)

    nothing, empty = jnp.zeros_like(rollouts.signal), nothing_to_see(plan)
    unseen = First(jnp.zeros(len(FIRST_EPOCH)), empty.token_log_p, empty.weights, nothing)
    start = state.params, state.optimiser, Seen(unseen, jnp.zeros(len(LAST_EPOCH)), nothing, reference)
    params, moments, seen = lax.fori_loop(0, numbers.epochs, epoch, start)
    return State(params, moments, state.key, state.episode + 1, state.reference), seen


def report(plan: Plan, numbers: Numbers, rollouts: Rollouts, seen: Seen) -> tuple[Array, Look]:
    """The row of `DIAGNOSTICS` of an episode, and its look: to sample again for a look would cost more."""
    first, old = seen.first, seen.first.log_p
    metrics = diagnostics.of_rollouts(plan, rollouts)
    metrics |= dict(zip(FIRST_EPOCH, first.values, strict=True)) | dict(zip(LAST_EPOCH, seen.last, strict=True))
    metrics |= _distances(plan, numbers, seen.reference, rollouts.signal, old, seen.log_p)
    row = jnp.stack([metrics[name] for name in DIAGNOSTICS])
    return row, look_at(plan, rollouts, (first.token_log_p, first.weights), old, seen.log_p)


def _gradient(
    plan: Plan,
    numbers: Numbers,
    reference: Array | None,
    params: Params,
    rollouts: Rollouts,
    old: Array,
    is_first: Array,
) -> tuple[tuple[Array, Array], tuple[Array, Array, Aux]]:
    """The loss of the batch and its gradient as one vector, added up over blocks of prompts, and what they came from.

    A method is no more than the slope of its loss in the log-probs that it compares; the way from there into the
    parameters is the same for all. In the first epoch the policy is the snapshot: its log-probs, bit for bit, are the
    old. That saves a pass for the snapshot, and makes the gradient of a group at its target exactly 0.
    """
    parts = blocks(plan)

    def add(total: tuple[Array, Array], block: Any) -> tuple[tuple[Array, Array], tuple[Array, Array, Aux]]:
        rollouts, old, reference = block

        def read(params: Params) -> tuple[Array, Array]:
            log_p = transformer.log_probs(params, plan.shape, rollouts.prompts, rollouts.outputs)
            return chosen(plan, rollouts, log_p), log_p

        now, pull, log_p = jax.vjp(read, transformer.unstacked(params), has_aux=True)
        old = jnp.where(is_first, now, old)
        value, slope, aux = of_method(
            plan, numbers, partial(_loss, plan), numbers.knobs, reference, rollouts.signal, old, now
        )
        return (total[0] + value, total[1] + ravel_pytree(pull(slope))[0]), (log_p, now, aux)

    nothing = jnp.float32(0), jnp.zeros(optax.tree.size(params))
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
