"""Standardised scores u of a group under any rule of the registry, in NumPy or JAX.

Axes: scores (..., K), counted (..., K); `...` are independent groups.

Everything is computed from d = (s - min) / (max - min), which lies in [0, 1] with both ends taken: no score overflows
or underflows, and a group of equal scores is found by max = min, never by a deviation that rounding made non-zero.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.arrays import Array, as_arrays, count, divide, masked_max, masked_min, masked_sum, where_counted
from tpo_lab.group.rules import RULES, Rule


@dataclass(frozen=True)
class Spread:
    """The location and spread of each group's counted scores. Fields have shape (..., 1) unless said otherwise."""

    mean: Array
    sigma_population: Array
    sigma_sample: Array
    zero_variance: Array  # bool: all counted scores are equal, or fewer than two count
    n: Array  # counted candidates


def counted_of(xp: Any, scores: Array, counted: Array | None) -> Array:
    """The mask of scored candidates; by default a NaN score is a missing one."""
    return ~xp.isnan(scores) if counted is None else xp.asarray(counted)


def spread(scores: Array, *, counted: Array | None = None) -> Spread:
    """Mean and standard deviations of the counted scores, exact zeros for equal scores.

    Args:
        scores: raw scores, shape (..., K); NaN is a missing score.
        counted: bool, shape (..., K); default: where the score is not NaN.
    """
    return spread_of(measure(scores, counted=counted))


def spread_of(unit: "Unit") -> Spread:
    """The same of scores that were measured."""
    xp = unit.xp
    return Spread(
        mean=divide(xp, unit.low + unit.mean * unit.span, unit.down),
        sigma_population=divide(xp, unit.population() * unit.span, unit.down),
        sigma_sample=divide(xp, unit.sample() * unit.span, unit.down),
        zero_variance=unit.span == 0,
        n=unit.n,
    )


def standardise(
    scores: Array, *, counted: Array | None = None, rule: str | Rule = "tpo_paper", strength: float | None = None
) -> Array:
    """Standardised scores (TPO) or advantages (the other stacks) of each group.

    u_i = (s_i - mean) / sigma with the population sigma for the default rule; see `Rule` for the others.
    Candidates that do not count get exactly 0, and are to be left out of the target by `counted` there too; every
    candidate of a group of equal scores gets exactly 0 as well.

    Args:
        scores: raw scores, shape (..., K), any finite values; NaN is a missing score. JAX on a CPU reads numbers below
            the smallest normal float (1.2e-38 in float32) as 0, and scores that differ by less as equal.
        counted: bool, shape (..., K); default: where the score is not NaN.
        rule: a rule or its name in `RULES`.
        strength: replaces the tunable constant of a robust rule.

    Returns:
        u, shape (..., K), in the dtype of the scores.

    Raises:
        InputError: if the rule is unknown, or a strength is given to a rule that has none or is not positive.

    Source: arXiv 2604.06159, section 3, and the stacks named in `RULES`.
    """
    return standardise_measured(measure(scores, counted=counted), rule=rule, strength=strength)


def measure(scores: Array, *, counted: Array | None = None) -> "Unit":
    """What every rule asks of the scores, so that several rules ask once; arguments as of `standardise`."""
    xp, (scores,) = as_arrays(scores)
    return Unit(xp, scores, counted_of(xp, scores, counted))


def standardise_measured(unit: "Unit", *, rule: str | Rule = "tpo_paper", strength: float | None = None) -> Array:
    """`standardise` of scores that were measured."""
    rule = RULES[rule] if isinstance(rule, str) else rule
    amount, bound = _constants(rule, strength)
    xp, scores, mask = unit.xp, unit.scores, unit.mask
    centred = unit.d - (unit.others_mean() if rule.centre == "leave_one_out" else unit.mean)
    u = divide(xp, centred * unit.span, unit.down)
    if rule.scale != "none":
        u = _scaled(rule, amount, unit, centred, undivided=u)
    if rule.squash == "clip":
        u = xp.clip(u, -bound, bound)
    elif rule.squash == "tanh":
        u = bound * xp.tanh(u / bound)
    zero = xp.zeros((), dtype=scores.dtype)
    u = where_counted(xp, unit.span > 0, u, zero)
    u = where_counted(xp, unit.n >= 2, u, scores if rule.single == "raw" else zero)
    return where_counted(xp, mask, u, zero)


def _constants(rule: Rule, strength: float | None) -> tuple[float, float]:
    if strength is None:
        return rule.amount, rule.bound
    if rule.tunable is None:
        raise InputError("strength", f"The rule {rule.name!r} has no strength to set; only the robust rules have one.")
    if not 0 < strength < float("inf"):
        raise InputError("strength", f"The strength must be a positive number, not {strength}.")
    return (strength, rule.bound) if rule.tunable == "amount" else (rule.amount, strength)


def _scaled(rule: Rule, amount: float, unit: "Unit", centred: Array, undivided: Array) -> Array:
    """centred / guard(scale, amount). Both sides of the division are in units of `size`, the largest of their parts."""
    xp = unit.xp
    limit = float(xp.finfo(centred.dtype).max) / 4  # of the guard's constant, so that no strength overflows
    amount = min(amount, limit)
    base = unit.peak if rule.guard == "relative_floor" else unit.down
    extra = amount * xp.minimum(base, limit / max(amount, 1.0) * xp.ones_like(base))
    size = xp.maximum(unit.span, xp.maximum(extra, unit.peak) if rule.scale == "mean" else extra)
    size = xp.where(size > 0, size, xp.ones_like(size))
    ratio, extra = unit.span / size, extra / size
    match rule.scale:
        case "population":
            scale = unit.population() * ratio
        case "sample":
            scale = unit.sample() * ratio
        case "leave_one_out":
            scale = unit.others_sample() * ratio
        case "centred":
            scale = unit.sample() * ratio
            if rule.centre == "leave_one_out":
                scale = scale * unit.n / xp.maximum(unit.n - 1, xp.ones_like(unit.n))
        case _:
            scale = unit.low / size + unit.mean * ratio
    otherwise = xp.zeros((), dtype=centred.dtype)
    match rule.guard:
        case "add":
            denominator = scale + extra
            divides = denominator != 0
        case "add_if_positive":
            denominator, divides, otherwise = scale + extra, scale > 0, undivided
        case "cutoff":
            denominator, divides, otherwise = scale, scale > extra, undivided
        case "floor" | "relative_floor":
            denominator = xp.maximum(scale, extra)
            divides = denominator > 0
        case "root":
            denominator = xp.hypot(scale, extra)
            divides = denominator > 0
        case "positive_mean":
            denominator, divides = scale + extra, scale > 0
    safe = where_counted(xp, divides, denominator, xp.ones((), dtype=denominator.dtype))
    return where_counted(xp, divides, divide(xp, centred * ratio, safe), otherwise)


class Unit:
    """The counted scores of each group mapped to d in [0, 1]; d is 0 for the others. Statistics below are those of d.

    `low`, `span` and `peak` (the largest |score|) are in score units times `down`.
    """

    def __init__(self, xp: Any, scores: Array, mask: Array) -> None:
        self.xp, self.scores, self.mask = xp, scores, mask
        self.n = count(xp, mask, scores)
        zero = xp.zeros((), dtype=scores.dtype)
        clean = where_counted(xp, mask, scores, zero)
        peak = masked_max(xp, xp.abs(clean), mask)
        # Scores near the largest float are scaled down (exactly), so that max - min is finite, and so that a compiler
        # that multiplies by its reciprocal instead of dividing by it does not see that flushed to 0.
        near_the_end = peak > float(xp.finfo(scores.dtype).max) / 64
        self.down = xp.where(near_the_end, xp.ones_like(peak) / 64, xp.ones_like(peak))
        scaled = clean * self.down
        self.peak = peak * self.down
        self.low = masked_min(xp, scaled, mask)
        self.span = masked_max(xp, scaled, mask) - self.low
        divisor = xp.where(self.span > 0, self.span, xp.ones_like(self.span))
        self.d = where_counted(xp, mask, (scaled - self.low) / divisor, zero)
        self.mean = masked_sum(xp, self.d, mask) / self._at_least(self.n, 1.0)

    def _at_least(self, x: Array, low: float) -> Array:
        return self.xp.maximum(x, low * self.xp.ones_like(x))

    @cached_property
    def _sum_of_squares(self) -> Array:
        return masked_sum(self.xp, (self.d - self.mean) ** 2, self.mask)

    def population(self) -> Array:
        """Standard deviation with divisor n."""
        return self.xp.sqrt(self._sum_of_squares / self._at_least(self.n, 1.0))

    def sample(self) -> Array:
        """Standard deviation with divisor n - 1; 0 where n = 1."""
        return self.xp.sqrt(self._sum_of_squares / self._at_least(self.n - 1, 1.0))

    def others_mean(self) -> Array:
        """Mean of the other counted candidates, shape (..., K)."""
        total = masked_sum(self.xp, self.d, self.mask)
        return (total - self.d) / self._at_least(self.n - 1, 1.0)

    def others_sample(self) -> Array:
        """Sample standard deviation of the other counted candidates, shape (..., K); 0 where fewer than two are left.

        Others among which both ends of [0, 1] are left have a sum of squares of 1/2 or more, which is safely found as a
        difference: sum (d - mean)^2 - n / (n - 1) (d_i - mean)^2. Without the only candidate at an end the rest is
        measured as a whole group is: it may be all equal, or of another scale.
        """
        xp = self.xp
        apart = (self.d - self.mean) ** 2 * (self.n / self._at_least(self.n - 1, 1.0))
        squares = self._sum_of_squares - apart
        zero = xp.zeros((), dtype=squares.dtype)
        deviation = xp.sqrt(xp.maximum(squares, zero) / self._at_least(self.n - 2, 1.0))
        for end in (0.0, 1.0):
            there = self.mask & (self.d == end)
            alone = count(xp, there, self.d) == 1
            at = alone[..., 0] if xp is np else ...  # JAX knows no shape that depends on values
            rest = Unit(xp, self.d[at], self.mask[at] & ~there[at])
            only = there[at] & alone[at]
            of_rest = xp.where(only, rest.sample() * rest.span / rest.down, deviation[at])
            if xp is np:
                deviation[at] = of_rest
            else:
                deviation = of_rest
        return deviation
