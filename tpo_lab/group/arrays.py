"""What lets one implementation serve NumPy and JAX: the array namespace of the input, and masked reductions.

Axes: `...` any leading axes, `K` candidates, always last. A mask is True where a candidate counts.
"""

from typing import Any

import numpy as np

Array = Any  # a NumPy or JAX array; the standard has no common static type yet


def as_arrays(*values: Any) -> tuple[Any, tuple[Array, ...]]:
    """The common namespace of the values, and the values as floating-point arrays of it.

    Python numbers and sequences take the floating dtype of the first array among the values; without one they become
    float64 NumPy arrays.
    """
    arrays = [v for v in values if hasattr(v, "__array_namespace__")]
    xp = next((ns for a in arrays if (ns := a.__array_namespace__()) is not np), None)
    if xp is None:
        xp = arrays[0].__array_namespace__() if arrays else np
    floating = next((a.dtype for a in arrays if xp.isdtype(a.dtype, "real floating")), None)
    dtype = floating or xp.zeros(()).dtype

    def convert(value: Any) -> Array:
        if hasattr(value, "__array_namespace__") and xp.isdtype(value.dtype, "real floating"):
            return xp.asarray(value)
        return xp.asarray(value, dtype=dtype)

    return xp, tuple(convert(v) for v in values)


def masked_max(xp: Any, x: Array, mask: Array) -> Array:
    """Largest counted entry over K, keeping the axis; 0 where nothing counts."""
    top = xp.max(xp.where(mask, x, -xp.inf), axis=-1, keepdims=True)
    return xp.where(xp.any(mask, axis=-1, keepdims=True), top, xp.zeros_like(top))


def masked_min(xp: Any, x: Array, mask: Array) -> Array:
    """Smallest counted entry over K, keeping the axis; 0 where nothing counts."""
    return -masked_max(xp, -x, mask)


def masked_sum(xp: Any, x: Array, mask: Array) -> Array:
    """Sum of the counted entries over K, keeping the axis."""
    return xp.sum(xp.where(mask, x, xp.zeros_like(x)), axis=-1, keepdims=True)


def count(xp: Any, mask: Array, like: Array) -> Array:
    """Number of counted entries over K as a float of `like`'s dtype, keeping the axis."""
    return xp.sum(xp.where(mask, xp.ones_like(like), xp.zeros_like(like)), axis=-1, keepdims=True)


def masked_log_softmax(xp: Any, logits: Array, mask: Array) -> Array:
    """log softmax over the counted entries of K; -inf for the others. No finite input overflows.

    A counted logit of -inf is a probability of exactly 0. Where nothing with positive probability counts, every entry
    is -inf.
    """
    top = masked_max(xp, logits, mask)
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    shifted = xp.where(mask, logits - top, xp.zeros_like(logits))
    total = masked_sum(xp, xp.exp(shifted), mask)
    log_total = xp.log(xp.where(total > 0, total, xp.ones_like(total)))
    return xp.where(mask, shifted - log_total, -xp.inf)
