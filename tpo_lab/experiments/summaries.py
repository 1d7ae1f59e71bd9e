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
    x = np.asarray(values, np.float64)
    defined = ~np.isnan(x)
    n = defined.sum(axis=1).astype(np.float64)
    some, two = n > 0, n > 1
    mean = np.where(some, np.where(defined, x, 0).sum(axis=1) / np.maximum(n, 1), np.nan)
    squares = np.where(defined, (x - mean[:, None]) ** 2, 0).sum(axis=1)
    standard_error = np.where(two, np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1)), np.nan)
    low = np.where(some, np.where(defined, x, np.inf).min(axis=1, initial=np.inf), np.nan)
    high = np.where(some, np.where(defined, x, -np.inf).max(axis=1, initial=-np.inf), np.nan)
    return Summary(mean, standard_error, low, high, n)


def joined(parts: list[Summary]) -> Summary:
    """The summaries of consecutive chunks as one; empty without parts."""
    empty = Summary(*(np.empty(0),) * len(Summary._fields))
    return Summary(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def first_below(curve: Floats, threshold: float) -> int | None:
    """Index of the first value below the threshold ("steps to 1 %" at .01); None if there is none (yet)."""
    below = np.flatnonzero(curve < threshold)
    return int(below[0]) if below.size else None
