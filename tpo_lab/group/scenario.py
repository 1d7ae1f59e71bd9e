"""One group as a person states it: validated, immutable, and the same in a URL, a file, a command and a page."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError, shown
from tpo_lab.group.checks import POLICY_KINDS, PolicyKind, check, number, number_list
from tpo_lab.group.limits import LARGEST, MAX_CANDIDATES
from tpo_lab.group.parse import parse_number, parse_numbers, write_number, write_numbers

__all__ = ["LARGEST", "MAX_CANDIDATES", "POLICY_KINDS", "Floats", "PolicyKind", "Scenario"]

MAX_JSON = 100_000  # characters of a saved group; 64 candidates take a tenth of it

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

    Numbers of any real type are taken and kept as floats.

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
        def keep(field: str, value: Any) -> None:
            object.__setattr__(self, field, value)  # the one moment in which a frozen instance may be set

        keep("scores", number_list("scores", "Score", self.scores, missing=True))
        if self.policy is not None:
            keep("policy", number_list("policy", "Probability" if self.kind == "probs" else "Log-prob", self.policy))
        if self.lengths is not None:
            keep("lengths", number_list("lengths", "Length", self.lengths))
        keep("eta", number("eta", "eta", self.eta))
        if self.strength is not None:
            keep("strength", number("strength", "The strength", self.strength))
        check(self)

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
            InputError: for unknown fields, wrong types and wrong values; it names the field.
        """
        known = cls.__dataclass_fields__
        for name in data:
            if name not in known:
                raise InputError(str(name), f"Unknown field {shown(name)} of a group; known: {', '.join(known)}.")
        if "scores" not in data:
            raise InputError("scores", "A group needs scores: a list of numbers, null where a candidate has no score.")
        return cls(**data)

    def to_json(self) -> str:
        """`to_dict` as text, one line."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The scenario of a JSON object.

        Raises:
            InputError: if the text is not a JSON object of a valid scenario.
        """
        return cls.from_dict(json_object(text))

    def to_query(self) -> dict[str, str]:
        """The scenario as URL parameters, lossless; defaults are left out, a missing score is `null`."""
        texts = {}
        for name, value in self.to_dict().items():
            if isinstance(value, list):
                texts[name] = write_numbers(tuple(value))
            else:
                texts[name] = value if isinstance(value, str) else write_number(value)
        return texts

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The scenario of URL parameters as `to_query` writes them, or as a person does.

        Raises:
            InputError: for unknown parameters and wrong values; it names the parameter.
        """
        values: dict[str, Any] = {}
        for name, text in query.items():
            match name:
                case "scores":
                    values[name] = parse_numbers(text, name, missing=True)
                case "policy" | "lengths":
                    values[name] = parse_numbers(text, name)
                case "eta" | "strength":
                    values[name] = parse_number(text, name)
                case _:
                    values[name] = text
        return cls.from_dict(values)


def json_object(text: str) -> dict[str, Any]:
    """The JSON object of a saved group; every number in it is a float.

    Raises:
        InputError: if the text is too long, or is anything else.
    """
    if len(text) > MAX_JSON:
        raise InputError("file", f"This file has {len(text)} characters; a saved group has at most {MAX_JSON}.")
    try:
        # Every number becomes a float: an integer of any length is then just too large, not an error of its own.
        data = json.loads(text, parse_int=float, parse_constant=_no_constant)
    except ValueError as error:
        raise InputError("file", f"This is not JSON: {error}.") from None
    except RecursionError:
        raise InputError("file", "This is not a saved group: its brackets are nested too deeply.") from None
    if not isinstance(data, dict):
        raise InputError("file", "This JSON is not an object with scores.")
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"it holds {name}; a missing score is null")
