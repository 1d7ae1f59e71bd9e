"""What the Target page shows: the one declared list of its state, as URL parameters and as a file too."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import parse_number, write_number
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import Scenario, json_object

DEFAULT = next(iter(PRESETS.values())).scenario
MAX_STEP_SIZE = 20.0  # of the fit: above it nothing converges
T = TypeVar("T")


@dataclass(frozen=True)
class View:
    """A group, the candidate that the formula follows, and the step size of the fit.

    Attributes:
        scenario: the group.
        candidate: index into the group; None: the best one.
        step_size: of the fit, in logits per unit of gradient.

    Raises:
        InputError: if the candidate or the step size is out of range.
    """

    scenario: Scenario = DEFAULT
    candidate: int | None = None
    step_size: float = 1.0

    def __post_init__(self) -> None:
        if self.candidate is not None and not 0 <= self.candidate < self.scenario.k:
            raise InputError(
                "candidate", f"There is no candidate {self.candidate + 1:g}: the group has {self.scenario.k}."
            )
        if not 0 < self.step_size <= MAX_STEP_SIZE:
            raise InputError(
                "step_size",
                f"The step size must be above 0 and at most {MAX_STEP_SIZE:g}, not {write_number(self.step_size)}.",
            )

    def to_query(self) -> dict[str, str]:
        """The view as URL parameters; the default view has none."""
        if self == View():
            return {}
        return self.scenario.to_query() | {name: write_number(value) for name, value in self._extras().items()}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The view of URL parameters.

        Raises:
            InputError: for unknown parameters and wrong values.
        """
        if not query:
            return cls()
        extras = {name: parse_number(query[name], name) for name in _EXTRAS if name in query}
        return cls._of(Scenario.from_query(_without_extras(query)), extras)

    def to_json(self) -> str:
        """The view as a file: a saved group with what is looked at in it."""
        return json.dumps(self.scenario.to_dict() | self._extras(), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The view of a file, or of a saved group alone.

        Raises:
            InputError: for what is no JSON object, unknown fields and wrong values.
        """
        data = json_object(text)
        extras = {name: data[name] for name in _EXTRAS if name in data}
        return cls._of(Scenario.from_dict(_without_extras(data)), extras)

    def with_scenario(self, scenario: Scenario) -> Self:
        """The same view of another group; a candidate that it does not have is let go."""
        kept = self.candidate if self.candidate is not None and self.candidate < scenario.k else None
        return replace(self, scenario=scenario, candidate=kept)

    def _extras(self) -> dict[str, float]:
        """What is not the group, by name; defaults are left out, candidates are counted from 1."""
        extras: dict[str, float] = {}
        if self.candidate is not None:
            extras["candidate"] = self.candidate + 1
        if self.step_size != View.step_size:
            extras["step_size"] = self.step_size
        return extras

    @classmethod
    def _of(cls, scenario: Scenario, extras: Mapping[str, object]) -> Self:
        numbers: dict[str, float] = {}
        for name, value in extras.items():
            if not isinstance(value, float):
                raise InputError(name, f"{name} is {shown(value)}; use a number.")
            numbers[name] = value
        candidate = numbers.get("candidate")
        if candidate is not None and not candidate.is_integer():
            raise InputError("candidate", f"candidate is {candidate:g}; use a whole number, counted from 1.")
        return cls(scenario, None if candidate is None else int(candidate) - 1, numbers.get("step_size", cls.step_size))


_EXTRAS = ("candidate", "step_size")


def _without_extras(values: Mapping[str, T]) -> dict[str, T]:
    return {name: value for name, value in values.items() if name not in _EXTRAS}
