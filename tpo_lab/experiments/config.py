"""What a run is made of: one validated, immutable value that a page, a URL, a file and a worker share.

Importing this loads no JAX.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

from tpo_lab.errors import InputError, shown
from tpo_lab.methods.registry import METHODS, Method
from tpo_lab.registry import Registry

BANDIT_METHODS: Registry[Method] = Registry("bandit method", tuple(METHODS[n] for n in ("tpo", "dg", "grpo", "pg")))


@dataclass(frozen=True)
class Setting:
    """One number that a person may set: what it is called, what it does, the range allowed, the step of its arrows."""

    name: str
    label: str
    help: str
    low: float
    high: float
    increment: float
    whole: bool = False

    def check(self, value: Any) -> float:
        """The value as an int or a float.

        Raises:
            InputError: one sentence, if it is not a number in range.
        """
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if isinstance(value, str) or not math.isfinite(number):
            raise InputError(self.name, f"{self.label} must be a number, not {_quoted(value)}.")
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            kind = "a whole number" if self.whole else "a number"
            raise InputError(
                self.name,
                f"{self.label} must be {kind} from {self.low:,.10g} to {self.high:,.10g}, not {_quoted(value)}.",
            )
        return int(number) if self.whole else number


SETTINGS: Registry[Setting] = Registry(
    "setting",
    (
        Setting("actions", "Actions K", "One of them is right.", 2, 1_000, 10, whole=True),
        Setting("samples", "Samples B", "Actions drawn from the policy per step.", 1, 10_000, 10, whole=True),
        Setting("alpha", "Step length α", "In logits; the direction has length 1.", 1e-3, 10, 0.05),
        Setting("eta", "Temperature η", "TPO: of the tilt. DG: of the gate. GRPO and PG have none.", 0.01, 100, 0.25),
        Setting("baseline", "Baseline b", "Subtracted from the reward in TPO, DG and PG; GRPO has its own.", 0, 1, 0.1),
        Setting("steps", "Steps", "One update each.", 1, 10_000, 50, whole=True),
        Setting("seeds", "Seeds", "Independent repetitions, run side by side.", 1, 1_000, 10, whole=True),
        Setting("seed", "First seed", "Another number draws other actions.", 0, 2**31 - 1, 1, whole=True),
    ),
)


UPDATE_KINDS = ("sampled", "exact")


def one_of(name: str, value: Any, known: tuple[str, ...]) -> str:
    """The value, if it is one of the known names.

    Raises:
        InputError: one sentence with the known names, if it is not.
    """
    if value not in known:
        raise InputError(name, f"Unknown {name} {shown(value)}; known: {', '.join(known)}.")
    return str(value)


@dataclass(frozen=True)
class Config:
    """What the configurations of all tasks share: each is one JSON object, and no field is guessed.

    Attributes:
        known: the methods that the task has.
        numbers: its settings that are numbers, by name of the field.
        choices: the names that a field may hold, by name of the field.

    Raises:
        InputError: one sentence, for the first field that is wrong.
    """

    known: ClassVar[Registry[Method]]
    numbers: ClassVar[Registry[Setting]]
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        for setting in self.numbers.values():
            object.__setattr__(self, setting.name, setting.check(getattr(self, setting.name)))
        for name, options in self.choices.items():
            one_of(name, getattr(self, name), options)
        object.__setattr__(self, "methods", self._methods())

    def _methods(self) -> tuple[str, ...]:
        """The names of the methods, each once, in the order given."""
        names = getattr(self, "methods")  # noqa: B009  # every task has the field, with a default of its own
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError("methods", f"Methods must be a list of names, not {_quoted(names)}.")
        chosen = tuple(dict.fromkeys(self.known[name].name for name in names))
        if not chosen:
            raise InputError("methods", f"Choose at least one method of {', '.join(self.known)}.")
        return chosen

    def to_json(self) -> str:
        """One JSON object with every field."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The configuration of a JSON object; fields that are left out take their defaults.

        Raises:
            InputError: if the text is no JSON object, or a field is unknown or wrong.
        """
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise InputError("config", "The configuration must be one JSON object.")
        return cls.from_mapping(values)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """The configuration of a mapping; fields that are left out take their defaults.

        Raises:
            InputError: if a field is unknown or wrong.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise InputError("config", f"Unknown setting {_quoted(name)}; known: {', '.join(known)}.")
        return cls(**values)


@dataclass(frozen=True)
class BanditConfig(Config):
    """A run of the single-context bandit; the defaults are those of arXiv 2604.06159, Fig. 2.

    Attributes:
        actions: K, one of them right.
        samples: B, actions sampled per step.
        alpha: length of each normalised step, in logits.
        eta: temperature of TPO's target and of DG's gate.
        baseline: constant baseline of TPO, DG and PG, in units of the reward.
        steps: updates.
        seeds: independent repetitions.
        seed: what the repetitions' random numbers are derived from.
        methods: names in `BANDIT_METHODS`, each once.
        update: `sampled`, or `exact`: what infinitely many samples would give.

    Raises:
        InputError: one sentence, for the first of them that is wrong.
    """

    known = BANDIT_METHODS
    numbers = SETTINGS
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"update": UPDATE_KINDS}

    actions: int = 100
    samples: int = 100
    alpha: float = 0.1
    eta: float = 1.0
    baseline: float = 0.5
    steps: int = 150
    seeds: int = 100
    seed: int = 0
    methods: tuple[str, ...] = tuple(BANDIT_METHODS)
    update: str = "sampled"

    @property
    def episodes(self) -> int:
        """The steps, by the name that they have in the other tasks."""
        return self.steps

    def least_error(self) -> float:
        """The error that `steps` steps straight at the right action would leave: no method can be below it.

        Straight ahead, the logit of y* gains alpha sqrt(K / (K - 1)) a step on the others:
        1 / (1 + exp(gain) / (K - 1)).
        """
        others = self.actions - 1
        gain = self.alpha * self.steps * math.sqrt(self.actions / others)
        return others * math.exp(-gain) / (1 + others * math.exp(-gain))


def _quoted(value: Any) -> str:
    return shown(value).removesuffix(".0")
