"""The configuration of a token-reversal run. Importing this loads no JAX."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import Config, Setting
from tpo_lab.group.rules import RULES
from tpo_lab.methods.registry import METHODS, Knob, Method
from tpo_lab.registry import Registry

REVERSAL_METHODS: Registry[Method] = Registry("reversal method", tuple(m for m in METHODS.values() if m.name != "ce"))

CHOICES: Mapping[str, tuple[str, ...]] = {
    "target": ("copy", "flip", "reverse_copy", "reverse_flip"),
    "reward": ("bag", "sequential", "terminal"),
    "match": ("prompt", "interaction"),
    "partition": ("reference", "matrices"),
    "log_probs": ("sum", "mean"),
}

SETTINGS: Registry[Setting] = Registry(
    "setting",
    (
        Setting("vocabulary", "Vocabulary V", "Tokens to choose from.", 2, 256, 1, whole=True),
        Setting("length", "Length H", "Tokens of a prompt, and of an output.", 1, 64, 1, whole=True),
        Setting(
            "candidates", "Candidates K", "Outputs of a prompt, or next tokens of a prefix.", 2, 256, 1, whole=True
        ),
        Setting("prompts", "Prompts B", "Read per episode.", 1, 4_096, 10, whole=True),
        Setting("learning_rate", "Learning rate", "Of Muon and of AdamW.", 0.0, 1.0, 1e-3),
        Setting("width", "Width D", "Of the transformer; a multiple of the heads.", 4, 512, 4, whole=True),
        Setting("heads", "Heads", "4 in the paper, 2 in its reference code.", 1, 16, 1, whole=True),
        Setting("layers", "Layers", "Of the transformer.", 1, 8, 1, whole=True),
        Setting("episodes", "Episodes", "One batch of rollouts and its epochs each.", 1, 100_000, 100, whole=True),
        Setting("seeds", "Seeds", "Independent repetitions.", 1, 1_000, 1, whole=True),
        Setting("seed", "First seed", "Another number draws other prompts and weights.", 0, 2**31 - 1, 1, whole=True),
    ),
)
EPOCHS = Setting("epochs", "Epochs", "Gradient epochs per batch.", 1, 64, 1, whole=True)


@dataclass(frozen=True)
class ReversalConfig(Config):
    """A token-reversal run; the defaults are those of arXiv 2604.06159, Table 3, at H = 10, prompt-matched.

    Attributes:
        methods: names in `REVERSAL_METHODS`, each once.
        target, reward: what is asked and how it is scored, names in `CHOICES`.
        match: what single-sample methods get: as many `prompt`s as the grouped ones, or as many `interaction`s, which
            is K times the prompts at sqrt(K) times the learning rate.
        partition: which parameters Muon trains, see `tpo_lab.training.optimiser`.
        epochs: per batch; None is each method's own number.
        eta, clip, clip_high, kl_weight: for the methods that have this knob; None is each method's own value.
        rule: standardisation, a name in `tpo_lab.group.RULES`, for TPO, TPO without anchor and Group PG; None is
            the paper's.
        log_probs: `sum` or `mean` over the tokens of a candidate, for TPO.
        kl_budget: nats that TPO's target may move from the behaviour policy; solves for eta in each group.
        anchor: how strongly TPO's target is pulled to the initial policy, in the units of eta; None is not at all.
        Others: see `SETTINGS`.

    Raises:
        InputError: one sentence, for the first field that is wrong.
    """

    known = REVERSAL_METHODS
    numbers = SETTINGS
    choices = CHOICES

    methods: tuple[str, ...] = ("tpo", "grpo", "ppo", "dg")
    target: str = "reverse_copy"
    reward: str = "terminal"
    match: str = "prompt"
    partition: str = "reference"
    vocabulary: int = 2
    length: int = 10
    candidates: int = 8
    prompts: int = 100
    epochs: int | None = None
    eta: float | None = None
    clip: float | None = None
    clip_high: float | None = None
    kl_weight: float | None = None
    rule: str | None = None
    log_probs: str = "sum"
    kl_budget: float | None = None
    anchor: float | None = None
    learning_rate: float = 1e-3
    width: int = 64
    heads: int = 2
    layers: int = 2
    episodes: int = 2_000
    seeds: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epochs is not None:
            object.__setattr__(self, "epochs", EPOCHS.check(self.epochs))
        if self.rule is not None:
            object.__setattr__(self, "rule", RULES[self.rule].name)
        if self.kl_budget is not None and not (self.eta is None and self.anchor is None):
            raise InputError("kl_budget", "A KL budget solves for eta, without an anchor: set one of them.")
        for name in self.methods:
            self.knobs(name)
            if self.reward == "terminal" and METHODS[name].group == "tokens":
                raise InputError("reward", f"{METHODS[name].label} scores single tokens; terminal rewards have none.")
        if self.width % self.heads:
            raise InputError("heads", f"The width {self.width} must be a multiple of the heads, not of {self.heads}.")

    def knobs(self, method: str) -> dict[str, float]:
        """The constants of a method under this configuration, by keyword of its loss; what is off is left out."""
        found = {knob.name: _checked(knob, getattr(self, knob.name)) for knob in METHODS[method].knobs}
        return {name: value for name, value in found.items() if value is not None}

    def rule_of(self, method: str) -> str | None:
        """The standardisation rule of a method under this configuration; None is the method's own."""
        return self.rule if "rule" in METHODS[method].choices else None

    def averages_tokens(self, method: str) -> bool:
        """Whether a method reads the mean of a candidate's token log-probs under this configuration, not their sum."""
        return self.log_probs == "mean" and "log_probs" in METHODS[method].choices

    def epochs_of(self, method: str) -> int:
        """Gradient epochs per batch of a method under this configuration."""
        return METHODS[method].epochs if self.epochs is None else self.epochs

    def budget(self, method: str) -> tuple[int, int, float]:
        """Prompts, outputs of each, and learning rate of a method under this configuration."""
        group = METHODS[method].group
        if group == "candidates":
            return self.prompts, self.candidates, self.learning_rate
        if group == "none" and self.match == "interaction":
            return self.prompts * self.candidates, 1, self.learning_rate * math.sqrt(self.candidates)
        return self.prompts, 1, self.learning_rate


def _checked(knob: Knob, value: Any) -> float | None:
    if value is None:
        return knob.default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not knob.low <= value <= knob.high:
        raise InputError(
            knob.name, f"The {knob.label} must be a number from {knob.low:g} to {knob.high:g}, not {value!r}."
        )
    return float(value)
