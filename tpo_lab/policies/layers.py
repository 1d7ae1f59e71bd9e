"""The three layers of the transformer, with derivatives written for speed on a CPU.

Axes: `...` any leading axes, `I` inputs, `O` outputs, `D` features.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

LAYER_NORM_EPSILON = 1e-6


def norm(x: Array, scale: Array, bias: Array) -> Array:
    """Layer normalisation over D: (x - mean) / sqrt(var + 1e-6) * scale + bias; x (..., D), scale and bias (D,)."""
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + LAYER_NORM_EPSILON) * scale + bias


@jax.custom_vjp
def dense(x: Array, kernel: Array, bias: Array) -> Array:
    """x @ kernel + bias; x (..., I), kernel (I, O), bias (O,).

    Autodiff would form the kernel's gradient from a transposed copy of the larger of x and the incoming gradient;
    here the narrower one is transposed, which saves a tenth of a training step.
    """
    return x @ kernel + bias


def _dense_forward(x: Array, kernel: Array, bias: Array) -> tuple[Array, tuple[Array, Array]]:
    return x @ kernel + bias, (x, kernel)


def _dense_backward(saved: tuple[Array, Array], g: Array) -> tuple[Any, ...]:
    x, kernel = saved
    rows, grads = x.reshape(-1, x.shape[-1]), g.reshape(-1, g.shape[-1])
    narrow = rows.shape[1] <= grads.shape[1]
    # The barrier keeps the compiler from undoing the choice.
    of_kernel = rows.T @ grads if narrow else lax.optimization_barrier(grads.T @ rows).T  # type: ignore[no-untyped-call]
    return g @ kernel.T, of_kernel, jnp.sum(grads, axis=0)


dense.defvjp(_dense_forward, _dense_backward)


def causal(scores: Array) -> Array:
    """Scores (..., T, T) of queries (T) for keys (T), with a key after its query at -inf."""
    t = scores.shape[-1]
    return jnp.where(jnp.tril(jnp.ones((t, t), dtype=bool)), scores, -jnp.inf)
