"""A rule as its stack computes it, rounding and all; `standardise` gives what the rule means.

The two differ where a rounded mean or deviation is divided by almost nothing: equal scores then get advantages, and
deviations that should be 0 do not compare equal to it.
Axes: scores (..., K), every candidate scored; `...` are independent groups.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.standardise import standardise

Precision = Literal["float32", "float64"]
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")

# These find equal scores by max = min and keep no rounded deviation: what they mean is what they compute.
_EXACT = ("tpo_paper", "robust_")
# Written in NumPy or JAX, where a deviation is measured from the rounded mean. The others are written in PyTorch, whose
# running update (Welford's) gives exactly 0 for equal scores while the mean beside it may still be rounded.
_TWO_PASS = ("tpo_reference", "reference_grpo", "open_instruct_")

Numbers = npt.NDArray[np.floating[Any]]


def literal(scores: npt.ArrayLike, rule: str | Rule, precision: Precision = "float32") -> Numbers:
    """u of each group in the order of operations and the precision of a stack, shape (..., K).

    Sums run from the first candidate to the last in that precision. The leave-one-out deviation is the root of
    mean(s^2) - mean(s)^2 over the others, as NeMo-RL has it. Libraries sum in other orders on other machines: which
    groups leak differs between them, that some do does not.

    Args:
        scores: raw scores, shape (..., K), no NaN.
        rule: a rule or its name in `RULES`.
        precision: in which everything is computed, the scores included.
    """
    rule = RULES[rule] if isinstance(rule, str) else rule
    s: Numbers = np.asarray(scores, dtype=precision)
    if rule.name.startswith(_EXACT) or s.shape[-1] < 2:
        return np.asarray(standardise(s, rule=rule))
    with np.errstate(all="ignore"):  # overflow and 0 / 0 are what such code returns
        return _centred_and_divided(s, rule, s.dtype.type(rule.amount))


def _centred_and_divided(s: Numbers, rule: Rule, amount: Any) -> Numbers:
    k = s.shape[-1]
    mean = _sum(s) / s.dtype.type(k)
    centred: Numbers = s - ((_sum(s) - s) / s.dtype.type(k - 1) if rule.centre == "leave_one_out" else mean)
    scale: Numbers
    match rule.scale:
        case "none":
            return centred
        case "mean":
            scale = mean
        case "leave_one_out":
            centred, scale = _leave_one_out(s)
        case "centred":
            scale = _deviation(centred, rule)
        case _:
            scale = _deviation(s, rule)
    u: Numbers = centred / (scale if rule.guard == "cutoff" else scale + amount)
    match rule.guard:
        case "add_if_positive":
            u = np.where(scale > 0, u, centred)
        case "positive_mean":
            u = np.where(scale > 0, u, np.zeros_like(s))
        case "cutoff":
            u = np.where(scale > amount, u, centred)
    return u


def _sum(x: Numbers) -> Numbers:
    """From first to last in x's precision, shape (..., 1); NumPy's own sum takes pairs."""
    return np.cumsum(x, axis=-1, dtype=x.dtype)[..., -1:]


def _deviation(x: Numbers, rule: Rule) -> Numbers:
    k = x.shape[-1]
    squares = _squares_of_deviations(x) if rule.name.startswith(_TWO_PASS) else _welford(x)
    return np.sqrt(squares / x.dtype.type(k if rule.scale == "population" else k - 1))


def _squares_of_deviations(x: Numbers) -> Numbers:
    return _sum((x - _sum(x) / x.dtype.type(x.shape[-1])) ** 2)


def _welford(x: Numbers) -> Numbers:
    """The sum of squared deviations, by Welford's running mean, shape (..., 1)."""
    mean, squares = x[..., :1], np.zeros_like(x[..., :1])
    for n in range(1, x.shape[-1]):
        value = x[..., n : n + 1]
        step = value - mean
        mean = mean + step / x.dtype.type(n + 1)
        squares = squares + step * (value - mean)
    return squares


def _leave_one_out(s: Numbers) -> tuple[Numbers, Numbers]:
    """s minus the mean of the others, and their sample deviation as mean of squares minus square of mean."""
    k = s.shape[-1]
    others: Numbers = (1 - np.eye(k)).astype(s.dtype)
    n = s.dtype.type(k - 1)
    mean, mean_of_squares = _sum(s[..., None, :] * others)[..., 0] / n, _sum(s[..., None, :] ** 2 * others)[..., 0] / n
    variance = (mean_of_squares - mean * mean) * (n / s.dtype.type(max(k - 2, 1)))
    return s - mean, np.sqrt(np.maximum(variance, 0))
