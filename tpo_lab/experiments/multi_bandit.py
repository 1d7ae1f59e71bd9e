"""The configuration of the multi-context bandit. Importing this loads no JAX."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tpo_lab.experiments.config import UPDATE_KINDS, Config, Setting
from tpo_lab.methods.registry import METHODS, Method
from tpo_lab.registry import Registry

MULTI_BANDIT_METHODS: Registry[Method] = Registry(
    "multi-context bandit method", tuple(METHODS[n] for n in ("ce", "tpo", "dg", "grpo", "pg"))
)

SETTINGS: Registry[Setting] = Registry(
    "setting",
    (
        Setting("contexts", "Contexts N", "Each with logits of its own.", 1, 10_000, 10, whole=True),
        Setting("actions", "Actions K", "One of them is right, the same in every context.", 2, 1_000, 1, whole=True),
        Setting(
            "samples", "Samples B", "Actions drawn in every context per step, if sampled.", 1, 10_000, 10, whole=True
        ),
        Setting("alpha", "Step length", "In logits; one direction of length 1 over all contexts.", 1e-3, 10, 0.05),
        Setting("eta", "Temperature", "TPO: of the tilt. DG: of the gate.", 0.01, 100, 0.25),
        Setting("baseline", "Baseline b", "Subtracted from the reward in TPO, DG and PG; GRPO has its own.", 0, 1, 0.1),
        Setting("episodes", "Steps", "One update each.", 1, 100_000, 100, whole=True),
        Setting("seeds", "Seeds", "Independent initial logits.", 1, 1_000, 10, whole=True),
        Setting("seed", "First seed", "Another number draws other logits.", 0, 2**31 - 1, 1, whole=True),
    ),
)


@dataclass(frozen=True)
class MultiBanditConfig(Config):
    """A run of the multi-context bandit; the defaults are those of arXiv 2604.06159, Fig. 3.

    Attributes:
        methods: names in `MULTI_BANDIT_METHODS`, each once.
        update: `exact`, what infinitely many samples would give, or `sampled`.
        Others: see `SETTINGS`.

    Raises:
        InputError: one sentence, for the first field that is wrong.
    """

    known = MULTI_BANDIT_METHODS
    numbers = SETTINGS
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"update": UPDATE_KINDS}

    methods: tuple[str, ...] = tuple(MULTI_BANDIT_METHODS)
    update: str = "exact"
    contexts: int = 100
    actions: int = 10
    samples: int = 100
    alpha: float = 0.1
    eta: float = 1.0
    baseline: float = 0.0
    episodes: int = 1_000
    seeds: int = 100
    seed: int = 0
