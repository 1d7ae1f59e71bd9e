"""Training on the digits bandit: pure `init` and `chunk`, one seed at a time, the data an argument of the loop.

Every seed runs through the same machine code with its own numbers, so what a seed computes depends on nothing but
(config, method, seed): not on the chunk size, not on which other seeds run, not on stopping and going on. The method
is a number too, so that one compilation serves them all.

Source: arXiv 2604.06159, MNIST contextual bandit (Fig. 4).
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from jax import Array, lax

from tpo_lab.experiments.digits import DIGITS_METHODS, DigitsConfig
from tpo_lab.group import kl_of_logs
from tpo_lab.policies import mlp
from tpo_lab.tasks.digits import ACTIONS, Digits, load
from tpo_lab.tasks.digits_surplus import BINS, CLOSED, in_bins, surplus
from tpo_lab.training.digits_update import Batch, Outcome, draw, in_groups, outcome, target
from tpo_lab.training.guesses import IMAGES, Guesses
from tpo_lab.training.kept import remembered

_OF_BIN = {f"{100 * low:.0f}_{100 * high:.0f}": f"{low:g} to {high:g}" for low, high in BINS}

EVALUATED: Mapping[str, str] = {
    "error": "Test error after the step: most probable class wrong, fraction; NaN between evaluations.",
    **{
        f"surplus_{bin}": f"Surplus of misclassified test images, concentration {c}; mean."
        for bin, c in _OF_BIN.items()
    },
    **{f"share_{bin}": f"Test images misclassified at concentration {c}, share." for bin, c in _OF_BIN.items()},
}
DIAGNOSTICS: Mapping[str, str] = {
    **EVALUATED,
    "reward": "Mean reward of the batch.",
    "loss": "Loss.",
    "grad_norm": "L2 norm of the gradient over all parameters.",
    "entropy": "Mean entropy of the policy on the batch, nats.",
    "all_fail": "Groups without a success, share: one action of an image is sampled, GRPO compares the batch.",
    "all_pass": "Groups of successes only, share.",
    "zero_variance": "Share of groups of equal scores: the K actions of an image, for GRPO the batch.",
    "any_success": "Images whose action was right, share.",
    "weight_success": "Mean |weight| of the action taken where it was right: q, or the advantage.",
    "weight_failure": "Mean |weight| of the action taken where it was wrong.",
    "kl": "KL of the policy after the step to that before, on the batch, nats.",
    "clip_share": "Images whose gradient a clip range cut, share: none, as each batch is used once.",
    "demand": "Mean |q - pi| over classes before the step, q the target of TPO: what it asks for.",
    "residual": "Mean |q - pi| over classes after the step: what is left of it.",
}
SHOWS_DIVERGENCE = "loss"  # the diagnostic that is not finite once the policy is not
# A quarter of the time to compile is saved, and a step takes as long as before.
QUICK = {"xla_backend_optimization_level": 1}
CHUNK = 200  # the most steps in one call; the number asked for is an argument, so that it needs no compilation


class State(NamedTuple):
    """All that one seed of one method needs to go on."""

    params: mlp.Params
    optimiser: Any
    key: Array
    step: Array  # steps done


class Numbers(NamedTuple):
    """What may change without compiling again."""

    method: Array  # its place in `DIGITS_METHODS`
    learning_rate: Array
    eta: Array
    every: Array
    episodes: Array


def init(config: DigitsConfig, method: str, seed: int = 0) -> State:
    """The state before the first step of repetition `seed`; every method starts from the same parameters.

    Raises:
        InputError: if the method is unknown, or the folder is not MNIST.
    """
    DIGITS_METHODS[method]
    widths = (load(config.folder).train_pixels.shape[1], config.hidden, config.hidden, ACTIONS)
    seeds = jnp.uint32(config.seed), jnp.uint32(seed)
    begin = partial(_begin, widths)
    state: State = remembered(f"begin {widths}", begin, seeds, _shapes(widths), QUICK)(*seeds)
    return state


def chunk(config: DigitsConfig, method: str, state: State, episodes: int) -> tuple[State, dict[str, Any]]:
    """Take some steps: the state after them, and each diagnostic of `DIAGNOSTICS` as (episodes,) float32.

    The test set is read after every `config.every` steps and after the last step of the run.
    """
    data, numbers = load(config.folder), _numbers(config, method)
    parts = [np.empty((0, len(DIAGNOSTICS)), np.float32)]
    while episodes > 0:
        n = min(episodes, CHUNK)
        state, rows = _program(config.prompts, numbers, data, state)(numbers, data, state, jnp.int32(n))
        parts.append(np.asarray(rows)[:n])
        episodes -= n
    return state, dict(zip(DIAGNOSTICS, np.concatenate(parts).T, strict=True))


def chunk_and_look(
    config: DigitsConfig, method: str, state: State, episodes: int
) -> tuple[State, dict[str, Any], Guesses]:
    """`chunk` of the first repetition, and what its policy then makes of some test images."""
    state, record = chunk(config, method, state, episodes)
    data = load(config.folder)
    pixels, labels = data.test_pixels[:IMAGES], data.test_labels[:IMAGES]
    before = _guesses(init(config, method).params, pixels)
    return state, record, Guesses(np.rint(255 * np.asarray(pixels)), labels, before, _guesses(state.params, pixels))


def warm(config: DigitsConfig, method: str) -> None:
    """Compile what every method needs, or fetch it from the cache on disk."""
    state, data = init(config, method), load(config.folder)
    _program(config.prompts, _numbers(config, method), data, state)
    _guesses(state.params, data.test_pixels[:IMAGES])


def evaluate(numbers: Numbers, params: mlp.Params, data: Digits) -> dict[str, Array]:
    """Every diagnostic of `EVALUATED` on the test set; the surplus is NaN for methods without a closed form."""
    log_pi = mlp.log_probs(params, data.test_pixels)
    inside = in_bins(log_pi, data.test_labels)
    of_bins = _of_method(numbers, _surplus_of_bins, log_pi, data.test_labels, inside, numbers.eta)
    values = [jnp.mean(jnp.argmax(log_pi, axis=-1) != data.test_labels), *of_bins, *jnp.mean(inside, axis=1)]
    return dict(zip(EVALUATED, values, strict=True))


def _surplus_of_bins(method: str, log_pi: Array, labels: Array, inside: Array, eta: Array) -> Array:
    if method not in CLOSED:
        return jnp.full(len(BINS), jnp.nan, jnp.float32)
    of_images = surplus(method, log_pi, labels, eta)
    return jnp.sum(jnp.where(inside, of_images, 0.0), axis=1) / jnp.sum(inside, axis=1)


def _of_method(numbers: Numbers, what: Callable[..., Any], *args: Any) -> Any:
    """`what(method, *args)` of the method that the numbers name."""
    return lax.switch(numbers.method, [partial(what, name) for name in DIGITS_METHODS], *args)


def _numbers(config: DigitsConfig, method: str) -> Numbers:
    number = jnp.int32(list(DIGITS_METHODS).index(method))
    eta, rate = jnp.float32(config.eta), jnp.float32(config.learning_rate)
    return Numbers(number, rate, eta, jnp.int32(config.every), jnp.int32(config.episodes))


@partial(jax.jit, compiler_options=QUICK)
def _guesses(params: mlp.Params, pixels: Array) -> Array:
    return jnp.exp(mlp.log_probs(params, pixels))


def _program(prompts: int, numbers: Numbers, data: Digits, state: State) -> Callable[..., tuple[State, Array]]:
    """The machine code of `(numbers, data, state, episodes) -> (state, rows)`."""
    args = (numbers, data, state, jnp.int32(0))
    return remembered(f"digits {prompts}", partial(_chunk, prompts), args, (state, 0), QUICK)


@cache
def _shapes(widths: tuple[int, ...]) -> State:
    found: State = jax.eval_shape(partial(_begin, widths), np.uint32(0), np.uint32(0))
    return found


def _begin(widths: tuple[int, ...], base: Array, seed: Array) -> State:
    key = jax.random.fold_in(jax.random.key(base), seed)
    of_params, of_steps = jax.random.split(key)
    params = mlp.init(of_params, widths)
    return State(params, optax.adam(0.0).init(params), of_steps, jnp.int32(0))


def _chunk(prompts: int, numbers: Numbers, data: Digits, state: State, episodes: Array) -> tuple[State, Array]:
    """The state after some steps, and their diagnostics as the first rows of (CHUNK, diagnostics)."""

    def body(i: Array, carry: tuple[State, Array]) -> tuple[State, Array]:
        state, rows = carry
        state, metrics = _step(prompts, numbers, data, state)
        row = jnp.stack([metrics[name] for name in DIAGNOSTICS])
        return state, lax.dynamic_update_index_in_dim(rows, row, i, axis=0)

    rows = jnp.zeros((CHUNK, len(DIAGNOSTICS)), jnp.float32)
    done: tuple[State, Array] = lax.fori_loop(0, episodes, body, (state, rows))
    return done


def _step(prompts: int, numbers: Numbers, data: Digits, state: State) -> tuple[State, dict[str, Array]]:
    """Draw a batch, take one Adam step on it; the state after it and its diagnostics.

    A method is no more than the slope of its loss in log pi; the way from there to the parameters is the same for all.
    """
    of_images, of_actions = jax.random.split(jax.random.fold_in(state.key, state.step))
    rows = jax.random.randint(of_images, (prompts,), 0, data.train_labels.shape[0])
    pixels, labels = data.train_pixels[rows], data.train_labels[rows]

    old, pull = jax.vjp(lambda params: mlp.log_probs(params, pixels), state.params)
    batch = draw(of_actions, old, labels)
    value, slope, result = _of_method(numbers, _loss, numbers.eta, old, batch)
    (gradient,) = pull(slope)
    updates, moments = optax.adam(numbers.learning_rate).update(gradient, state.optimiser, state.params)
    params, done = optax.apply_updates(state.params, updates), state.step + 1
    evaluated = lax.cond(
        (done % numbers.every == 0) | (done == numbers.episodes),
        lambda: evaluate(numbers, params, data),
        lambda: dict.fromkeys(EVALUATED, jnp.float32(jnp.nan)),
    )
    metrics = {"loss": value, "grad_norm": optax.tree.norm(gradient)} | evaluated
    metrics |= _of_batch(numbers, batch, result, old, mlp.log_probs(params, pixels))
    return State(params, moments, state.key, done), metrics


def _loss(method: str, eta: Array, log_pi: Array, batch: Batch) -> tuple[Array, Array, Outcome]:
    """The mean loss of a batch, its slope in log_pi (B, K), and what the method makes of the batch."""

    def mean(log_pi: Array) -> tuple[Array, Outcome]:
        result = outcome(method, eta, log_pi, batch)
        return jnp.mean(result.losses), result

    (value, result), slope = jax.value_and_grad(mean, has_aux=True)(log_pi)
    return value, slope, result


def _of_batch(numbers: Numbers, batch: Batch, result: Outcome, old: Array, new: Array) -> dict[str, Array]:
    """The diagnostics of a batch, from the policy before and after the step, log pi (B, K)."""
    weight, right = jnp.abs(result.weight), batch.reward > 0
    is_tpo = numbers.method == list(DIGITS_METHODS).index("tpo")
    q = target(old, batch, jnp.where(is_tpo, numbers.eta, 1.0))
    groups: dict[str, Array] = _of_method(numbers, in_groups, batch)
    return groups | {
        "reward": jnp.mean(batch.reward),
        "entropy": -jnp.mean(jnp.sum(jnp.exp(old) * old, axis=-1)),
        "zero_variance": result.zero_variance,
        "any_success": jnp.mean(right),
        "weight_success": jnp.sum(weight * right) / jnp.sum(right),
        "weight_failure": jnp.sum(weight * ~right) / jnp.sum(~right),
        "kl": jnp.mean(kl_of_logs(new, old)),
        "clip_share": jnp.float32(0),
        "demand": jnp.mean(jnp.abs(q - jnp.exp(old))),
        "residual": jnp.mean(jnp.abs(q - jnp.exp(new))),
    }
