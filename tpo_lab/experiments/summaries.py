"""Curves over seeds in a few numbers per step: never a mean without its spread and its number of seeds.

Axes: `T` steps, `S` seeds. NumPy only.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Summary(NamedTuple):
    """Statistics over the seeds at each step, each (T,) float64; NaN where too few seeds have a value.

    Attributes:
        mean: over the seeds that have a value.
        standard_error: sample standard deviation / sqrt(n); needs two seeds.
        low, high: the smallest and the largest value.
        n: how many seeds have a value; a value can be undefined (NaN), an angle to a zero vector for instance.
    """

    mean: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    n: Floats


def summarise(values: npt.NDArray[np.floating]) -> Summary:
    """Mean, standard error, range and count over seeds, in float64.

    Args:
        values: one diagnostic, shape (T, S); NaN is an undefined value and is left out.
    """
    x = np.array(np.transpose(values), np.float64, order="C")  # seeds first: adding whole rows is four times as fast
    undefined = np.isnan(x)
    n = len(x) - undefined.sum(axis=0, dtype=np.float64)
    mean = np.where(n > 0, _without(undefined, x).sum(axis=0) / np.maximum(n, 1), np.nan)
    squares = _without(undefined, (x - mean) ** 2).sum(axis=0)
    standard_error = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1)), np.nan)
    low, high = np.fmin.reduce(x, axis=0, initial=np.nan), np.fmax.reduce(x, axis=0, initial=np.nan)
    return Summary(mean, standard_error, low, high, n)


def _without(undefined: npt.NDArray[np.bool_], x: Floats) -> Floats:
    return np.where(undefined, 0, x) if undefined.any() else x


def joined(parts: list[Summary]) -> Summary:
    """The summaries of consecutive chunks as one; empty without parts."""
    empty = Summary(*(np.empty(0),) * len(Summary._fields))
    return Summary(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def first_below(curve: Floats, threshold: float) -> int | None:
    """Index of the first value below the threshold ("steps to 1 %" at .01); None if there is none (yet)."""
    below = np.flatnonzero(curve < threshold)
    return int(below[0]) if below.size else None


def digits(x: float, n: int) -> str:
    """x to n significant digits; 100 is not 1e+02."""
    text = f"{abs(x):.0f}" if abs(x) >= 10**n - 0.5 else f"{abs(x):.{n}g}"
    return f"−{text}" if x < 0 else text
