"""What makes a group valid, each fault in one sentence."""

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tpo_lab.errors import InputError, shown
from tpo_lab.group.limits import LARGEST, MAX_CANDIDATES
from tpo_lab.group.rules import RULES

if TYPE_CHECKING:
    from tpo_lab.group.scenario import Scenario

PolicyKind = Literal["probs", "log_probs", "mean_log_probs"]
POLICY_KINDS: Mapping[PolicyKind, str] = {
    "probs": "probabilities",
    "log_probs": "log-probs",
    "mean_log_probs": "mean log-probs and lengths",
}


def number(field: str, what: str, value: object) -> float:
    """The value as a float.

    Raises:
        InputError: if it is not a finite number of magnitude up to `LARGEST`.
    """
    try:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError
        result = float(value)
    except OverflowError:
        result = math.inf
    except TypeError:
        raise InputError(field, f"{what} is {shown(value)}, which is not a number.") from None
    if math.isnan(result):
        raise InputError(field, f"{what} is not a number (NaN).")
    if abs(result) > LARGEST:
        raise InputError(field, f"{what} is {shown(value)}; numbers go from {-LARGEST:g} to {LARGEST:g}.")
    return result


def number_list(field: str, what: str, values: Any, *, missing: bool = False) -> tuple[float | None, ...]:
    """The values as floats; None stays None where a value may be missing.

    Raises:
        InputError: if this is not a list of finite numbers, with the position of the first that is not one.
    """
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise InputError(field, f"{field} must be a list of numbers, not {shown(values)}.")
    listed = list(values)
    return tuple(
        None if missing and value is None else number(field, f"{what} {i + 1}", value) for i, value in enumerate(listed)
    )


def check(s: "Scenario") -> None:
    """Validate a scenario whose numbers are already floats.

    Raises:
        InputError: for the first thing that is wrong.
    """
    if not 1 <= s.k <= MAX_CANDIDATES:
        raise InputError("scores", f"A group has 1 to {MAX_CANDIDATES} candidates, not {s.k}.")
    if all(score is None for score in s.scores):
        raise InputError("scores", "At least one candidate needs a score.")
    _check_policy(s)
    if s.eta <= 0:
        raise InputError("eta", f"eta must be greater than 0, not {s.eta:g}.")
    rule = RULES[s.rule]
    if s.strength is not None:
        if rule.tunable is None:
            raise InputError("strength", f"The rule {s.rule!r} has no strength to set; only the robust rules have one.")
        if s.strength <= 0:
            raise InputError("strength", f"The strength must be greater than 0, not {s.strength:g}.")


def _check_policy(s: "Scenario") -> None:
    if not isinstance(s.kind, str) or s.kind not in POLICY_KINDS:
        raise InputError("kind", f"Unknown kind of policy {shown(s.kind)}; known: {', '.join(POLICY_KINDS)}.")
    if (s.lengths is not None) != (s.kind == "mean_log_probs"):
        raise InputError("lengths", "Lengths go with mean log-probs, and mean log-probs need lengths.")
    if s.policy is None:
        if s.kind != "probs":
            raise InputError("policy", f"The old policy is missing: give {s.k} {POLICY_KINDS[s.kind]}.")
        return
    _count("policy", "probabilities" if s.kind == "probs" else "log-probs", s.policy, s.k)
    if s.kind == "probs":
        _check_probabilities(s, s.policy)
    if s.lengths is not None:
        _check_lengths(s.lengths, s.policy)


def _check_probabilities(s: "Scenario", probabilities: tuple[float, ...]) -> None:
    for i, value in enumerate(probabilities):
        if value < 0:
            raise InputError(
                "policy",
                f"Probability {i + 1} is {value:g}; probabilities must not be negative; log-probs are another kind.",
            )
    if not any(p > 0 for p, score in zip(probabilities, s.scores, strict=True) if score is not None):
        raise InputError("policy", "At least one scored candidate needs a probability greater than 0.")


def _check_lengths(lengths: tuple[float, ...], log_probs: tuple[float, ...]) -> None:
    _count("lengths", "lengths", lengths, len(log_probs))
    for i, (length, log_prob) in enumerate(zip(lengths, log_probs, strict=True)):
        if length < 1:
            raise InputError("lengths", f"Length {i + 1} is {length:g}; a length is at least 1 token.")
        if abs(log_prob * length) > LARGEST:
            raise InputError("lengths", f"Log-prob {i + 1} times its length is beyond {LARGEST:g}.")


def _count(field: str, noun: str, values: tuple[float, ...], k: int) -> None:
    if len(values) != k:
        raise InputError(field, f"There are {len(values)} {noun} for {k} scores; give one per candidate.")
