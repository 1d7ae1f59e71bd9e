"""The configuration of the digits bandit. Importing this loads no JAX."""

from dataclasses import dataclass

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.config import Config, Setting
from tpo_lab.methods.registry import METHODS, Method
from tpo_lab.registry import Registry

DIGITS_METHODS: Registry[Method] = Registry(
    "digits method", tuple(METHODS[n] for n in ("tpo", "pg", "grpo", "group_pg", "dg", "ce"))
)

WITH_SURPLUS = ("tpo", "dg")  # the methods whose surplus has a closed form

SETTINGS: Registry[Setting] = Registry(
    "setting",
    (
        Setting("prompts", "Images B", "Shown per step, drawn with replacement.", 1, 10_000, 10, whole=True),
        Setting("hidden", "Hidden units", "Of each of the two hidden layers.", 1, 4_096, 10, whole=True),
        Setting("learning_rate", "Learning rate", "Of Adam.", 0.0, 1.0, 1e-3),
        Setting("eta", "Temperature", "TPO: of the tilt. DG: of the gate.", 1e-3, 1e3, 0.25),
        Setting("every", "Evaluate every", "Steps from one test error to the next.", 1, 100_000, 100, whole=True),
        Setting("episodes", "Steps", "One batch and one update each.", 1, 1_000_000, 1_000, whole=True),
        Setting("seeds", "Seeds", "Independent repetitions.", 1, 1_000, 1, whole=True),
        Setting("seed", "First seed", "Another number draws other weights and images.", 0, 2**31 - 1, 1, whole=True),
    ),
)


@dataclass(frozen=True)
class DigitsConfig(Config):
    """A run of the digits bandit; the defaults are those of arXiv 2604.06159, Fig. 4, on scikit-learn's 8x8 digits.

    Attributes:
        methods: names in `DIGITS_METHODS`, each once.
        folder: the folder with the four IDX files of MNIST; None is scikit-learn's digits.
        Others: see `SETTINGS`.

    Raises:
        InputError: one sentence, for the first field that is wrong. What is in the folder is checked when it is read.
    """

    known = DIGITS_METHODS
    numbers = SETTINGS

    methods: tuple[str, ...] = tuple(DIGITS_METHODS)
    folder: str | None = None
    prompts: int = 100
    hidden: int = 50
    learning_rate: float = 1e-3
    eta: float = 1.0
    every: int = 200
    episodes: int = 10_000
    seeds: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.folder is not None and (not isinstance(self.folder, str) or not self.folder or "\0" in self.folder):
            raise InputError("folder", f"The folder must be a path, or null for 8x8 digits, not {shown(self.folder)}.")
