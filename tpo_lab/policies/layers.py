"""The layers of the transformer, with derivatives written for speed on a CPU.

XLA runs a product in which both factors are contracted along their rows several times slower than any other, and keeps
what is cheaper to compute again. The barriers keep the compiler from undoing what is written here.

Axes: `...` any leading axes, `I` inputs, `O` outputs, `D` features, `T` queries, `S` keys, `E` features of a head.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

LAYER_NORM_EPSILON = 1e-6
GELU_SLOPE = 2 * (2 / jnp.pi) ** 0.5
GELU_CUBIC = 0.044715

Gradients = tuple[Any, ...]


@jax.custom_vjp
def norm(x: Array, scale: Array, bias: Array) -> Array:
    """Layer normalisation over D: (x - mean) / sqrt(var + 1e-6) * scale + bias; x (..., D), scale and bias (D,)."""
    return _norm_forward(x, scale, bias)[0]


def _norm_forward(x: Array, scale: Array, bias: Array) -> tuple[Array, Gradients]:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    rate = lax.rsqrt(variance + LAYER_NORM_EPSILON)
    return centred * rate * scale + bias, (centred, rate, scale)


def _norm_backward(saved: Gradients, g: Array) -> Gradients:
    centred, rate, scale = saved
    unit, inner = centred * rate, g * scale
    along = jnp.mean(inner * unit, axis=-1, keepdims=True)
    of_x = rate * (inner - jnp.mean(inner, axis=-1, keepdims=True) - unit * along)
    return of_x, jnp.sum(_rows(g * unit), axis=0), jnp.sum(_rows(g), axis=0)


norm.defvjp(_norm_forward, _norm_backward)


@jax.custom_vjp
def dense(x: Array, kernel: Array, bias: Array) -> Array:
    """x @ kernel + bias; x (..., I), kernel (I, O), bias (O,).

    Autodiff would form the kernel's gradient from a transposed copy of the larger of x and the incoming gradient;
    here the narrower one is transposed, which saves a tenth of a training step.
    """
    return x @ kernel + bias


def _dense_forward(x: Array, kernel: Array, bias: Array) -> tuple[Array, Gradients]:
    return x @ kernel + bias, (x, kernel)


def _dense_backward(saved: Gradients, g: Array) -> Gradients:
    x, kernel = saved
    rows, grads = _rows(x), _rows(g)
    narrow = rows.shape[1] <= grads.shape[1]
    of_kernel = rows.T @ grads if narrow else barrier(grads.T @ rows).T
    return g @ kernel.T, of_kernel, jnp.sum(grads, axis=0)


dense.defvjp(_dense_forward, _dense_backward)


@jax.custom_vjp
def pick_rows(one_hot: Array, table: Array) -> Array:
    """The rows (..., D) of table (V, D) that one_hot (..., V) names, a constant; both ways a product, not a scatter."""
    return one_hot @ table


def _pick_forward(one_hot: Array, table: Array) -> tuple[Array, Gradients]:
    return one_hot @ table, (one_hot,)


def _pick_backward(saved: Gradients, g: Array) -> Gradients:
    return None, barrier(_rows(saved[0]).T) @ _rows(g)


pick_rows.defvjp(_pick_forward, _pick_backward)


@jax.custom_vjp
def gelu(x: Array) -> Array:
    """GELU in its tanh form, x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; the backward pass reads x only."""
    return x * _gate(x)


def _gate(x: Array) -> Array:
    return 0.5 + 0.5 * jnp.tanh(x * (0.5 * GELU_SLOPE + 0.5 * GELU_SLOPE * GELU_CUBIC * x * x))


def _gelu_forward(x: Array) -> tuple[Array, Array]:
    return x * _gate(x), x


def _gelu_backward(x: Array, g: Array) -> Gradients:
    x = barrier(x)
    gate = _gate(x)
    return (g * (gate + gate * (1 - gate) * x * (GELU_SLOPE + 3 * GELU_SLOPE * GELU_CUBIC * x * x)),)


gelu.defvjp(_gelu_forward, _gelu_backward)


@jax.custom_vjp
def softmax(scores: Array) -> Array:
    """Softmax over the last axis; a score of -inf weighs 0."""
    return jax.nn.softmax(scores)


def _softmax_forward(scores: Array) -> tuple[Array, Array]:
    weights = jax.nn.softmax(scores)
    return weights, weights


def _softmax_backward(weights: Array, g: Array) -> Gradients:
    return (weights * (g - jnp.sum(weights * g, axis=-1, keepdims=True)),)


softmax.defvjp(_softmax_forward, _softmax_backward)


@jax.custom_vjp
def score(queries: Array, keys: Array) -> Array:
    """Inner products (..., T, S) of queries (..., T, E) and keys (..., S, E)."""
    return _inner(queries, keys)


def _inner(a: Array, b: Array) -> Array:
    return jnp.einsum("...te,...se->...ts", a, b)


def _score_forward(queries: Array, keys: Array) -> tuple[Array, Gradients]:
    return _inner(queries, keys), (queries, keys)


def _score_backward(saved: Gradients, g: Array) -> Gradients:
    queries, keys = saved
    return g @ keys, _turned(g) @ queries


score.defvjp(_score_forward, _score_backward)


@jax.custom_vjp
def gather(weights: Array, values: Array) -> Array:
    """Weighted sums (..., T, E) of values (..., S, E) by weights (..., T, S)."""
    return weights @ values


def _gather_forward(weights: Array, values: Array) -> tuple[Array, Gradients]:
    return weights @ values, (weights, values)


def _gather_backward(saved: Gradients, g: Array) -> Gradients:
    weights, values = saved
    return _inner(g, values), _turned(weights) @ g


gather.defvjp(_gather_forward, _gather_backward)


def causal(scores: Array) -> Array:
    """Scores (..., T, T) of queries (T) for keys (T), with a key after its query at -inf."""
    t = scores.shape[-1]
    return jnp.where(jnp.tril(jnp.ones((t, t), dtype=bool)), scores, -jnp.inf)


def _rows(x: Array) -> Array:
    return x.reshape(-1, x.shape[-1])


def _turned(x: Array) -> Array:
    """A transposed copy, made before the product that reads it."""
    return barrier(jnp.swapaxes(x, -1, -2))


def barrier(x: Array) -> Array:
    """x, computed on its own, before whatever reads it."""
    held: Array = lax.optimization_barrier(x)  # type: ignore[no-untyped-call]
    return held
