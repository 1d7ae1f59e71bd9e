"""Standardised scores u of a group under any rule of the registry, in NumPy or JAX.

Axes: scores (..., K), counted (..., K); `...` are independent groups.

Everything is computed from d = (s - min) / (max - min), which lies in [0, 1] with both ends taken: no score overflows
or underflows, and a group of equal scores is found by max = min, never by a deviation that rounding made non-zero.
"""

from dataclasses import dataclass
from typing import Any

from tpo_lab.errors import InputError
from tpo_lab.group.arrays import Array, as_arrays, count, divide, masked_max, masked_min, masked_sum
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
    xp, (scores,) = as_arrays(scores)
    unit = _Unit(xp, scores, counted_of(xp, scores, counted))
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
    Candidates that do not count get exactly 0; so does every candidate of a group of equal scores.

    Args:
        scores: raw scores, shape (..., K), any finite values; NaN is a missing score.
        counted: bool, shape (..., K); default: where the score is not NaN.
        rule: a rule or its name in `RULES`.
        strength: replaces the tunable constant of a robust rule.

    Returns:
        u, shape (..., K), in the dtype of the scores.

    Raises:
        InputError: if the rule is unknown, or a strength is given to a rule that has none or is not positive.

    Source: arXiv 2604.06159, section 3, and the stacks named in `RULES`.
    """
    rule = RULES[rule] if isinstance(rule, str) else rule
    amount, bound = _constants(rule, strength)
    xp, (scores,) = as_arrays(scores)
    mask = counted_of(xp, scores, counted)
    unit = _Unit(xp, scores, mask)

    # Both sides of the division are in units of the larger of the span and what the denominator adds to it.
    size = xp.maximum(unit.span, _floor_of_size(rule, amount, unit))
    size = xp.where(size > 0, size, xp.ones_like(size))
    ratio = unit.span / size
    centre = unit.others_mean() if rule.centre == "leave_one_out" else unit.mean
    numerator = (unit.d - centre) * ratio
    denominator = _denominator(rule, amount, unit, size, ratio)
    neutral = (unit.span == 0) | (denominator == 0)
    u = divide(
        xp,
        xp.where(neutral, xp.zeros_like(numerator), numerator),
        xp.where(neutral, xp.ones_like(denominator), denominator),
    )
    if rule.squash == "clip":
        u = xp.clip(u, -bound, bound)
    elif rule.squash == "tanh":
        u = bound * xp.tanh(u / bound)
    alone = scores if rule.single == "raw" else xp.zeros_like(scores)
    u = xp.where(unit.n < 2, alone, u)
    return xp.where(mask, u, xp.zeros_like(u))


def _constants(rule: Rule, strength: float | None) -> tuple[float, float]:
    if strength is None:
        return rule.amount, rule.bound
    if rule.tunable is None:
        raise InputError("strength", f"The rule {rule.name!r} has no strength to set; only the robust rules have one.")
    if not 0 < strength < float("inf"):
        raise InputError("strength", f"The strength must be a positive number, not {strength}.")
    return (strength, rule.bound) if rule.tunable == "amount" else (rule.amount, strength)


def _floor_of_size(rule: Rule, amount: float, unit: "_Unit") -> Array:
    """The size of what stands in the denominator beside the spread, so that dividing by it can overflow nothing."""
    if rule.scale == "none":
        return unit.down
    if rule.scale == "mean":
        return unit.xp.maximum(unit.peak, amount * unit.down)
    return amount * (unit.peak if rule.guard == "relative_floor" else unit.down)


def _denominator(rule: Rule, amount: float, unit: "_Unit", size: Array, ratio: Array) -> Array:
    """guard(scale, amount) in units of `size`."""
    xp = unit.xp
    # One score unit, for "no division"; the rules that use it have a size well above the smallest float.
    one = unit.down / xp.maximum(size, xp.finfo(size.dtype).smallest_normal * xp.ones_like(size))
    scale = {
        "population": lambda: unit.population() * ratio,
        "sample": lambda: unit.sample() * ratio,
        "leave_one_out": lambda: unit.others_sample() * ratio,
        "mean": lambda: unit.low / size + unit.mean * ratio,
        "none": lambda: one,
    }[rule.scale]()
    extra = amount * (unit.peak if rule.guard == "relative_floor" else unit.down) / size
    match rule.guard:
        case "add":
            return scale + extra
        case "add_if_positive":
            return xp.where(scale > 0, scale + extra, one)
        case "cutoff":
            return xp.where(scale > extra, scale, one)
        case "floor" | "relative_floor":
            return xp.maximum(scale, extra)
        case "root":
            return xp.hypot(scale, extra * xp.ones_like(scale))
        case "positive_mean":
            return xp.where(scale > 0, scale + extra, xp.zeros_like(scale))


def _diagonal(xp: Any, k: int, ndim: int) -> Array:
    """The identity of the pairs (i, j), shape (1, ..., 1, K, K): JAX's strict mode promotes no ranks."""
    return xp.reshape(xp.eye(k, dtype=bool), (1,) * (ndim - 1) + (k, k))


class _Unit:
    """The counted scores of each group mapped to d in [0, 1]; d is 0 for the others. Statistics below are those of d.

    `low`, `span` and `peak` (the largest |score|) are in score units times `down`.
    """

    def __init__(self, xp: Any, scores: Array, mask: Array) -> None:
        self.xp, self.mask = xp, mask
        self.n = count(xp, mask, scores)
        clean = xp.where(mask, scores, xp.zeros_like(scores))
        peak = masked_max(xp, xp.abs(clean), mask)
        # Scores near the largest float are halved (exactly), so that max - min is finite.
        self.down = xp.where(peak > xp.finfo(scores.dtype).max / 4, 0.5 * xp.ones_like(peak), xp.ones_like(peak))
        scaled = clean * self.down
        self.peak = peak * self.down
        self.low = masked_min(xp, scaled, mask)
        self.span = masked_max(xp, scaled, mask) - self.low
        divisor = xp.where(self.span > 0, self.span, xp.ones_like(self.span))
        self.d = xp.where(mask, (scaled - self.low) / divisor, xp.zeros_like(scaled))
        self.mean = masked_sum(xp, self.d, mask) / self._at_least(self.n, 1.0)

    def _at_least(self, x: Array, low: float) -> Array:
        return self.xp.maximum(x, low * self.xp.ones_like(x))

    def _sum_of_squares(self) -> Array:
        return masked_sum(self.xp, (self.d - self.mean) ** 2, self.mask)

    def population(self) -> Array:
        """Standard deviation with divisor n."""
        return self.xp.sqrt(self._sum_of_squares() / self._at_least(self.n, 1.0))

    def sample(self) -> Array:
        """Standard deviation with divisor n - 1; 0 where n = 1."""
        return self.xp.sqrt(self._sum_of_squares() / self._at_least(self.n - 1, 1.0))

    def others_mean(self) -> Array:
        """Mean of the other counted candidates, shape (..., K)."""
        total = masked_sum(self.xp, self.d, self.mask)
        return (total - self.d) / self._at_least(self.n - 1, 1.0)

    def others_sample(self) -> Array:
        """Sample standard deviation of the other counted candidates, shape (..., K); 0 where fewer than two are left.

        Pairs (i, j) are formed in full, (..., K, K): running sums would leave rounding where the others are all equal.
        """
        xp = self.xp
        k = self.d.shape[-1]
        others = self.mask[..., None, :] & ~_diagonal(xp, k, self.d.ndim)
        rows = xp.broadcast_to(self.d[..., None, :], others.shape)
        low, high = masked_min(xp, rows, others), masked_max(xp, rows, others)
        n = count(xp, others, rows)
        shifted = rows - low
        mean = masked_sum(xp, shifted, others) / self._at_least(n, 1.0)
        squares = masked_sum(xp, (shifted - mean) ** 2, others)
        deviation = xp.sqrt(squares / self._at_least(n - 1, 1.0))
        return xp.where(high > low, deviation, xp.zeros_like(deviation))[..., 0]
