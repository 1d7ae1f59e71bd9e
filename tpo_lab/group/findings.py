"""What a rule does to a group as the spread of its scores changes, and the sentence that says so.

Axes: T spreads, K scored candidates.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tpo_lab.group.literal import Numbers, Precision
from tpo_lab.group.rules import Rule
from tpo_lab.group.scenario import Floats
from tpo_lab.group.standardise import standardise
from tpo_lab.group.wording import figure

Kind = Literal["leak", "rounding", "explosion", "flip", "cliff", "half"]
NARROWEST, WIDEST = 1e-9, 1e3  # of the spreads that are looked at
OFF = 0.1  # standard deviations by which rounding may move u before it is said
NAMED = 4  # rules that a sentence names


@dataclass(frozen=True)
class Finding:
    """Something that one rule does between two spreads.

    Attributes:
        kind: `leak`: equal scores get an advantage other than 0. `rounding`: u is off by more than a tenth.
            `explosion`: the division makes |u| larger than any z-score can be. `flip`: the best candidate gets less
            than the worst. `cliff`: u jumps. `half`: below it the rule's constant keeps u under half of its full size.
        rule: the rule's name.
        low, high: the spreads between which it is seen; equal for `cliff` and `half`.
        worst: the largest |u| there; for a cliff the winner's u below it.
        other: the winner's u above a cliff.
    """

    kind: Kind
    rule: str
    low: float
    high: float
    worst: float
    other: float = 0.0


def find(rule: Rule, scores: Floats, u: Numbers, spreads: Floats, precision: Precision) -> list[Finding]:
    """Everything that a rule does along the curve.

    Args:
        scores: shape (T, K).
        u: what the rule makes of them as its stack computes it, shape (T, K).
        spreads: population standard deviations, shape (T,).
        precision: in which u was computed.
    """
    k = scores.shape[-1]
    if k < 2:
        return []
    seen = scores.astype(precision)
    exact = standardise(seen.astype(np.float64), rule=rule)
    values = np.where(np.isfinite(u), u, np.inf)
    size, off = np.max(np.abs(values), axis=-1), np.max(np.abs(values - exact), axis=-1)
    equal = np.ptp(seen, axis=-1) == 0
    switching = (rule.guard == "cutoff") & (np.abs(spreads / (rule.amount or 1) - 1) < 0.01)  # either side is right
    divided = (size > 2 * np.ptp(scores, axis=-1)) & (rule.scale != "none")
    best, worst = int(np.argmax(scores[-1])), int(np.argmin(scores[-1]))
    where: dict[Kind, npt.NDArray[np.bool_]] = {
        "leak": equal & (size > 0),
        "rounding": ~equal & ~switching & (off > OFF) & (rule.scale != "none"),
        "explosion": ~equal & (size > 3 * np.sqrt(k)) & divided,  # a z-score is at most sqrt(K - 1)
        "flip": ~equal & (exact[:, best] < exact[:, worst]),
    }
    found = [
        Finding(kind, rule.name, float(spreads[at[0]]), float(spreads[at[-1]]), float(np.max(size[at])))
        for kind, mask in where.items()
        if len(at := np.flatnonzero(mask))
    ]
    return found + _cliff(rule, scores[-1], float(spreads[-1])) + _half(rule, exact, spreads)


def _cliff(rule: Rule, widest: Floats, sigma: float) -> list[Finding]:
    """Where the guard switches: at its constant, or where the mean becomes positive."""
    if np.ptp(widest) == 0 or rule.guard not in ("cutoff", "positive_mean"):
        return []
    low, shape = float(widest.min()), (widest - widest.min()) / sigma
    best = int(np.argmax(shape))
    if rule.guard == "cutoff":
        at = rule.amount
        below = float((shape - shape.mean())[best] * at)
        return [Finding("cliff", rule.name, at, at, below, float(standardise(shape)[best]))]
    if low >= 0 or not (at := -low / float(shape.mean())) < sigma:
        return []
    return [Finding("cliff", rule.name, at, at, 0.0, np.inf)]


def _half(rule: Rule, exact: Floats, spreads: Floats) -> list[Finding]:
    """Where an added constant or a floor leaves half of u, between two spreads by a straight line."""
    if rule.guard not in ("add", "floor", "root") or rule.amount == 0 or rule.scale in ("none", "mean"):
        return []
    size = np.max(np.abs(exact), axis=-1)
    above = np.flatnonzero(size >= 0.5 * size[-1])
    if size[-1] == 0 or above[0] == 0:
        return []
    i = int(above[0])
    share = (0.5 * size[-1] - size[i - 1]) / (size[i] - size[i - 1])
    at = float(spreads[i - 1] * (spreads[i] / spreads[i - 1]) ** share)
    return [Finding("half", rule.name, at, at, 0.5 * float(size[-1]))]


_TITLES: Mapping[Kind, str] = {
    "leak": "Equal scores leak",
    "explosion": "Advantages explode",
    "flip": "The order turns round",
    "cliff": "The target jumps",
    "rounding": "Rounding decides",
    "half": "Constants silence",
}


def sentences(
    findings: Iterable[Finding], rules: Mapping[str, Rule], precision: Precision
) -> list[tuple[Kind, str, str]]:
    """Kind, title and one sentence on each kind of finding, the gravest first; rules in the order of their worst."""
    listed = list(findings)
    said = []
    for kind, title in _TITLES.items():
        these = sorted((f for f in listed if f.kind == kind), key=lambda f: -f.worst)
        if these:
            said.append((kind, title, _SAY[kind](these, rules, precision)))
    return said


def _names(these: list[Finding], rules: Mapping[str, Rule], value: Any) -> str:
    parts = [f"{rules[f.rule].label} {value(f)}" for f in these[:NAMED]]
    more = len(these) - NAMED
    return ", ".join(parts) + (f" and {more} more" if more > 0 else "")


def _up_to(these: list[Finding], rules: Mapping[str, Rule]) -> str:
    return _names(these, rules, lambda f: figure(f.worst))


def _range(these: list[Finding]) -> str:
    low, high = min(f.low for f in these), max(f.high for f in these)
    if (low, high) == (NARROWEST, WIDEST):
        return "every spread"
    return f"sigma = {figure(low)} to {figure(high)}"


def _cliffs(these: list[Finding], rules: Mapping[str, Rule], _: Precision) -> str:
    def value(f: Finding) -> str:
        above = "no bound" if np.isinf(f.other) else figure(f.other)
        return f"at sigma = {figure(f.low)}, where the winner's u goes from {figure(f.worst)} to {above}"

    return _names(these, rules, value) + "."


_SAY: Mapping[Kind, Any] = {
    "leak": lambda these, rules, precision: (
        f"In {precision} all scores are equal at {_range(these)}, yet a rounded mean is left: the largest |u| is "
        f"{_up_to(these, rules)}. Right is 0."
    ),
    "explosion": lambda these, rules, _: (
        f"At {_range(these)} almost nothing divides: the largest |u| is {_up_to(these, rules)}. A z-score of K "
        "candidates is at most sqrt(K - 1)."
    ),
    "flip": lambda these, rules, _: (
        f"{_names(these, rules, lambda f: f'up to sigma = {figure(f.high)}')}: dividing by a negative mean gives the "
        "best candidate less than the worst."
    ),
    "cliff": _cliffs,
    "rounding": lambda these, rules, precision: (
        f"At {_range(these)} rounding to {precision} makes another u than the rule means, as large as "
        f"{_up_to(these, rules)}."
    ),
    "half": lambda these, rules, _: (
        "An added constant or a floor takes half of u or more, below sigma: "
        + _names(sorted(these, key=lambda f: -f.low), rules, lambda f: figure(f.low))
        + "."
    ),
}
