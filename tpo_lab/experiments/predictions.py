"""Predict, then reveal: an expected order of methods against the errors that a run has ended with."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple


class End(NamedTuple):
    """Where a method has ended: mean error over seeds, and its standard error; NaN with fewer than two seeds."""

    mean: float
    standard_error: float


class Pair(NamedTuple):
    """Two methods, the first of which was expected to end with the smaller error, and whether it has."""

    first: str
    second: str
    verdict: Literal["right", "wrong", "tie"]


def pairs(order: Sequence[str], ends: Mapping[str, End]) -> tuple[Pair, ...]:
    """Every pair of an expected order against what came of it; the count of right ones is what Kendall's tau is of.

    A pair is a tie if the two means differ by no more than the standard error of their difference,
    sqrt(s.e.₁² + s.e.₂²); an unknown standard error counts as 0.

    Args:
        order: methods, the smallest expected error first; each of them has an end, and a mean that is a number.
    """
    return tuple(Pair(a, b, _verdict(ends[a], ends[b])) for a, b in combinations(order, 2))


def _verdict(first: End, second: End) -> Literal["right", "wrong", "tie"]:
    errors = (0.0 if math.isnan(end.standard_error) else end.standard_error for end in (first, second))
    if abs(first.mean - second.mean) <= math.hypot(*errors):
        return "tie"
    return "right" if first.mean < second.mean else "wrong"
