"""Which steps of a curve are drawn: few enough to be sent several times a second, the extremes among them."""

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int64]
MAX_POINTS = 150


def edges_of_steps(total: int) -> Steps:
    """Edges of the buckets of a run of `total` steps: one step each, or as many as leave two points a bucket."""
    width = 1 if total <= MAX_POINTS else math.ceil(total / (MAX_POINTS // 2))
    return np.append(np.arange(0, total, width), total)


def evenly(longest: float) -> Floats:
    """Edges of as many buckets of one width as leave two points each."""
    return np.linspace(0, longest, MAX_POINTS // 2 + 1)


def edges_of_seconds(longest: float) -> Floats:
    """Edges of buckets up to a time; their width grows in powers of two, so that a live curve seldom moves."""
    width = 2.0 ** math.ceil(math.log2(max(longest, 1e-3) / (MAX_POINTS // 2 - 1)))
    return width * np.arange(math.floor(longest / width) + 2, dtype=np.float64)


def picked(values: Floats, edges: Steps) -> Steps:
    """Two steps of each bucket that the curve has reached: its smallest and its largest value, in their order.

    Args:
        values: (T,), NaN where there is none.
        edges: of the buckets, growing from 0; a bucket without a step of its own repeats the step before it.

    Returns:
        (buckets, 2) indices; the first and the last step are always among them. Buckets of one step have it twice.
    """
    reached = len(values)
    edges = edges[: np.searchsorted(edges[:-1], reached) + 1]
    if len(edges) < 2:
        return np.empty((0, 2), np.int64)
    ends = np.minimum(edges[1:], reached)
    picks = np.stack([np.maximum(np.minimum(edges[:-1], ends - 1), 0), ends - 1], axis=1)
    lengths = np.diff(ends, prepend=0)
    if lengths.max() > 1:
        for value, side in ((values, 0), (-values, 1)):
            _put_smallest(value, lengths, picks[:, side])
        picks.sort(axis=1)
    picks[0, 0], picks[-1, 1] = 0, reached - 1
    return picks


def _put_smallest(values: Floats, lengths: Steps, into: Steps) -> None:
    """Write the first step of the smallest value of each bucket; a bucket without a value keeps what is there."""
    filled = np.flatnonzero(lengths)
    starts = np.cumsum(lengths)[filled] - lengths[filled]
    smallest = np.repeat(np.fmin.reduceat(values, starts), lengths[filled])
    steps = np.flatnonzero(values == smallest)[::-1]  # the first of each bucket is written last
    into[np.repeat(filled, lengths[filled])[steps]] = steps
