"""Every kind of configuration by name, as the store and files write it. Importing this loads no JAX."""

from collections.abc import Mapping
from functools import lru_cache

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig

AnyConfig = BanditConfig | ReversalConfig | MultiBanditConfig | DigitsConfig

KINDS: Mapping[str, type[AnyConfig]] = {
    "bandit": BanditConfig,
    "reversal": ReversalConfig,
    "multi_bandit": MultiBanditConfig,
    "digits": DigitsConfig,
}


def kind_of(config: AnyConfig) -> str:
    """The name of a configuration's kind."""
    return next(name for name, kind in KINDS.items() if type(config) is kind)


@lru_cache(maxsize=4_096)
def config_from(kind: str, text: str) -> AnyConfig:
    """The configuration of a kind that a JSON object holds.

    Raises:
        InputError: if the kind or a field is unknown or wrong.
    """
    if kind not in KINDS:
        raise InputError("kind", f"Unknown kind {shown(kind)}; known: {', '.join(KINDS)}.")
    return KINDS[kind].from_json(text)


def steps_of(config: AnyConfig) -> int:
    """Updates (bandit) or episodes that each method of a configuration takes."""
    return config.steps if isinstance(config, BanditConfig) else config.episodes
