"""What lets one implementation serve NumPy and JAX: the array namespace of the input, and masked reductions.

Axes: `...` any leading axes, `K` candidates, always last. A mask is True where a candidate counts.
"""

from typing import Any

import numpy as np

Array = Any  # a NumPy or JAX array; the standard has no common static type yet


def as_arrays(*values: Any) -> tuple[Any, tuple[Array, ...]]:
    """The common namespace of the values, and the values as floating-point arrays of it.

    One JAX array among the values makes all of them JAX arrays. Arrays of that namespace keep their floating dtype;
    everything else takes the dtype of the first of them, or the namespace's default.
    """
    arrays = [v for v in values if hasattr(v, "__array_namespace__")]
    xp = next((ns for a in arrays if (ns := a.__array_namespace__()) is not np), np)

    def is_native(value: Any) -> bool:
        native = hasattr(value, "__array_namespace__") and value.__array_namespace__() is xp
        return native and xp.isdtype(value.dtype, "real floating")

    dtype = next((a.dtype for a in arrays if is_native(a)), xp.zeros(()).dtype)
    return xp, tuple(xp.asarray(v) if is_native(v) else xp.asarray(v, dtype=dtype) for v in values)


def where_counted(xp: Any, mask: Array, x: Array, other: Any) -> Array:
    """x where the mask is True, else `other`: in NumPy x itself where everything counts, which no pass is spent on."""
    return x if xp is np and mask.all() else xp.where(mask, x, other)


def masked_max(xp: Any, x: Array, mask: Array) -> Array:
    """Largest counted entry over K, keeping the axis; 0 where nothing counts."""
    top = xp.max(where_counted(xp, mask, x, -xp.inf), axis=-1, keepdims=True)
    return xp.where(xp.any(mask, axis=-1, keepdims=True), top, xp.zeros_like(top))


def masked_min(xp: Any, x: Array, mask: Array) -> Array:
    """Smallest counted entry over K, keeping the axis; 0 where nothing counts."""
    return -masked_max(xp, -x, mask)


def masked_sum(xp: Any, x: Array, mask: Array) -> Array:
    """Sum of the counted entries over K, keeping the axis."""
    return xp.sum(where_counted(xp, mask, x, xp.zeros((), dtype=x.dtype)), axis=-1, keepdims=True)


def count(xp: Any, mask: Array, like: Array) -> Array:
    """Number of counted entries over K as a float of `like`'s dtype, keeping the axis."""
    return xp.sum(mask, axis=-1, keepdims=True, dtype=like.dtype)


def divide(xp: Any, numerator: Array, denominator: Array) -> Array:
    """The quotient; one beyond the largest float becomes the largest float. The denominator is not 0."""
    limit = xp.finfo(numerator.dtype).max * xp.minimum(xp.abs(denominator), xp.ones_like(denominator))
    return xp.clip(numerator, -limit, limit) / denominator


def below(xp: Any, x: Array, top: Array) -> Array:
    """x - top for x <= top, kept above minus a quarter of the largest float; halves cannot overflow on the way."""
    deepest = xp.asarray(-float(xp.finfo(x.dtype).max) / 8, dtype=x.dtype)
    return 2 * xp.maximum(0.5 * x - 0.5 * top, deepest)


def masked_log_softmax(xp: Any, logits: Array, mask: Array) -> Array:
    """log softmax over the counted entries of K; -inf for the others. No finite input overflows.

    A counted logit of -inf is a probability of exactly 0. Where nothing with positive probability counts, every entry
    is -inf.
    """
    possible = mask & (logits > -xp.inf)
    top = masked_max(xp, logits, possible)
    shifted = below(xp, where_counted(xp, possible, logits, top), top)
    total = masked_sum(xp, xp.exp(shifted), possible)
    log_total = xp.log(xp.where(total > 0, total, xp.ones_like(total)))
    return where_counted(xp, possible, shifted - log_total, -xp.inf)
