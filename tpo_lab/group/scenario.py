"""One group as a person states it: validated, immutable, and the same in a URL, a file, a command and a page."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError
from tpo_lab.group.rules import RULES

MAX_CANDIDATES = 64
LARGEST = 1e300  # of a score or log-prob: differences of two stay finite in float64

PolicyKind = Literal["probs", "log_probs", "mean_log_probs"]
POLICY_KINDS: Mapping[PolicyKind, str] = {
    "probs": "probabilities",
    "log_probs": "log-probs",
    "mean_log_probs": "mean log-probs and lengths",
}
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scenario:
    """A group of K candidates, its old policy, and the two choices that turn it into a target.

    Attributes:
        scores: one per candidate; None is a candidate that was not scored.
        policy: old policy per candidate, as `kind` says; None: uniform.
        kind: `probs`: non-negative weights, normalised here. `log_probs`: up to a constant; of a sequence, the sum over
            its tokens. `mean_log_probs`: the mean per token, multiplied here by `lengths`.
        lengths: tokens per candidate, only for `mean_log_probs`.
        eta: temperature > 0.
        rule: a name in `RULES`.
        strength: replaces the tunable constant of a robust rule.

    Raises:
        InputError: one sentence, if any of it is wrong.
    """

    scores: tuple[float | None, ...]
    policy: tuple[float, ...] | None = None
    kind: PolicyKind = "probs"
    lengths: tuple[float, ...] | None = None
    eta: float = 1.0
    rule: str = "tpo_paper"
    strength: float | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def k(self) -> int:
        """Number of candidates, scored or not."""
        return len(self.scores)

    def score_array(self) -> Floats:
        """Scores, shape (K,); NaN where a candidate was not scored."""
        return np.array([np.nan if s is None else s for s in self.scores], dtype=np.float64)

    def counted(self) -> npt.NDArray[np.bool_]:
        """True where a candidate was scored, shape (K,)."""
        return np.array([s is not None for s in self.scores])

    def log_p_old(self) -> Floats:
        """Old log-probs up to a constant, shape (K,); -inf where the probability is 0."""
        if self.policy is None:
            return np.full(self.k, -math.log(self.k))
        values = np.array(self.policy, dtype=np.float64)
        if self.kind == "probs":
            with np.errstate(divide="ignore"):
                return np.log(values)
        return values if self.lengths is None else values * np.array(self.lengths, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """The scenario as JSON values; defaults are left out."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        defaults = {name: field.default for name, field in self.__dataclass_fields__.items()}
        kept = {name: value for name, value in fields.items() if name == "scores" or value != defaults[name]}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The scenario of JSON values.

        Raises:
            InputError: for unknown fields, wrong types and wrong values.
        """
        known = cls.__dataclass_fields__
        for name in data:
            if name not in known:
                raise InputError(str(name), f"Unknown field {name!r} of a group; known: {', '.join(known)}.")
        if "scores" not in data:
            raise InputError("scores", "A group needs scores: a list of numbers, null where a candidate has no score.")
        values = dict(data)
        for name in ("scores", "policy", "lengths"):
            if values.get(name) is not None:
                if not isinstance(values[name], Sequence) or isinstance(values[name], str):
                    raise InputError(name, f"{name} must be a list of numbers, not {values[name]!r}.")
                values[name] = tuple(values[name])
        return cls(**values)

    def to_json(self) -> str:
        """`to_dict` as text, one line."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The scenario of a JSON object.

        Raises:
            InputError: if the text is not a JSON object of a valid scenario.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("file", f"This is not JSON: {error}.") from None
        if not isinstance(data, dict):
            raise InputError("file", "This JSON is not an object with scores.")
        return cls.from_dict(data)


def _check(s: Scenario) -> None:
    if not 1 <= s.k <= MAX_CANDIDATES:
        raise InputError("scores", f"A group has 1 to {MAX_CANDIDATES} candidates, not {s.k}.")
    for i, score in enumerate(s.scores):
        if score is not None:
            _number("scores", f"Score {i + 1}", score)
    if all(score is None for score in s.scores):
        raise InputError("scores", "At least one candidate needs a score.")
    _check_policy(s)
    _number("eta", "eta", s.eta)
    if s.eta <= 0:
        raise InputError("eta", f"eta must be greater than 0, not {s.eta:g}.")
    rule = RULES[s.rule]
    if s.strength is not None:
        _number("strength", "The strength", s.strength)
        if rule.tunable is None:
            raise InputError("strength", f"The rule {s.rule!r} has no strength to set; only the robust rules have one.")
        if s.strength <= 0:
            raise InputError("strength", f"The strength must be greater than 0, not {s.strength:g}.")


def _check_policy(s: Scenario) -> None:
    if s.kind not in POLICY_KINDS:
        raise InputError("kind", f"Unknown kind of policy {s.kind!r}; known: {', '.join(POLICY_KINDS)}.")
    if (s.lengths is not None) != (s.kind == "mean_log_probs"):
        raise InputError("lengths", "Lengths go with mean log-probs, and mean log-probs need lengths.")
    if s.policy is None:
        if s.kind != "probs":
            raise InputError("policy", f"The old policy is missing: give {s.k} {POLICY_KINDS[s.kind]}.")
        return
    noun = "Probability" if s.kind == "probs" else "Log-prob"
    _count("policy", "probabilities" if s.kind == "probs" else "log-probs", s.policy, s.k)
    for i, value in enumerate(s.policy):
        _number("policy", f"{noun} {i + 1}", value)
        if s.kind == "probs" and value < 0:
            raise InputError("policy", f"Probability {i + 1} is {value:g}; probabilities must not be negative.")
    if s.kind == "probs" and not any(p > 0 for p, score in zip(s.policy, s.scores, strict=True) if score is not None):
        raise InputError("policy", "At least one scored candidate needs a probability greater than 0.")
    if s.lengths is not None:
        _count("lengths", "lengths", s.lengths, s.k)
        for i, length in enumerate(s.lengths):
            _number("lengths", f"Length {i + 1}", length)
            if length < 1:
                raise InputError("lengths", f"Length {i + 1} is {length:g}; a length is at least 1 token.")


def _count(field: str, noun: str, values: Sequence[float], k: int) -> None:
    if len(values) != k:
        raise InputError(field, f"There are {len(values)} {noun} for {k} scores; give one per candidate.")


def _number(field: str, what: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(field, f"{what} is {value!r}, which is not a finite number.")
    if abs(value) > LARGEST:
        raise InputError(field, f"{what} is {value:g}; numbers go up to {LARGEST:g}.")
