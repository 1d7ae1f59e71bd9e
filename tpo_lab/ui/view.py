"""What the Target page shows: the one declared list of its state, and the same state as URL parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from tpo_lab.errors import InputError
from tpo_lab.group.parse import parse_number, write_number
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import Scenario

DEFAULT = next(iter(PRESETS.values())).scenario
FIT_STEPS = 60
MAX_STEP_SIZE = 20.0


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
                "candidate", f"There is no candidate {self.candidate + 1}: the group has {self.scenario.k}."
            )
        if not 0 < self.step_size <= MAX_STEP_SIZE:
            raise InputError(
                "step_size", f"The step size must be above 0 and at most {MAX_STEP_SIZE:g}, not {self.step_size:g}."
            )

    def to_query(self) -> dict[str, str]:
        """The view as URL parameters; the default view has none."""
        if self == View():
            return {}
        query = self.scenario.to_query()
        if self.candidate is not None:
            query["candidate"] = str(self.candidate + 1)
        if self.step_size != 1.0:
            query["step_size"] = write_number(self.step_size)
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The view of URL parameters.

        Raises:
            InputError: for unknown parameters and wrong values.
        """
        if not query:
            return cls()
        rest = dict(query)
        candidate = rest.pop("candidate", None)
        step_size = rest.pop("step_size", None)
        scenario = Scenario.from_query(rest)
        return cls(
            scenario,
            None if candidate is None else _candidate(candidate),
            1.0 if step_size is None else parse_number(step_size, "step_size"),
        )

    def with_scenario(self, scenario: Scenario) -> Self:
        """The same view of another group; a candidate that it does not have is let go."""
        kept = self.candidate if self.candidate is not None and self.candidate < scenario.k else None
        return replace(self, scenario=scenario, candidate=kept)


def _candidate(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise InputError("candidate", f"candidate is {text[:20]!r}; use a whole number, counted from 1.")
    return int(text) - 1
