"""What a configuration is beside a preset: the settings that differ, and the command that runs it in a terminal."""

import json
import shlex
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.presets import PRESETS, Preset

LISTS = "methods"


@dataclass(frozen=True)
class Change:
    """One setting that is not the preset's."""

    name: str
    value: Any
    preset: Any

    def __str__(self) -> str:
        return f"{self.name} {written(self.value)}"


@lru_cache(maxsize=4_096)
def base_of(config: AnyConfig, preset: str = "") -> Preset:
    """The preset of that name, if it is of this kind; else the one that differs from the configuration least."""
    of_kind = [entry for entry in PRESETS.values() if type(entry.config) is type(config)]
    named = next((entry for entry in of_kind if entry.name == preset), None)
    return named or min(of_kind, key=lambda entry: len(changes(config, entry.config)))


def changes(config: AnyConfig, base: AnyConfig) -> tuple[Change, ...]:
    """The settings of a configuration that differ from those of another one of its kind."""
    pairs = ((field.name, getattr(config, field.name), getattr(base, field.name)) for field in fields(config))
    return tuple(Change(name, value, before) for name, value, before in pairs if value != before)


def command(config: AnyConfig, preset: str = "") -> str:
    """The command line that runs a configuration: `tpo-lab run PRESET`, with what differs from the preset."""
    base = base_of(config, preset)
    words = ["tpo-lab", "run", base.name]
    for change in changes(config, base.config):
        if change.name == LISTS:
            words += ["--methods", ",".join(change.value)]
        else:
            words += ["--set", f"{change.name}={written(change.value)}"]
    return shlex.join(words)


def written(value: Any) -> str:
    """A value as `--set` takes it: a word stands for itself unless it reads as something else."""
    if isinstance(value, (tuple, list)):
        return ",".join(value)
    if isinstance(value, str) and not _is_json(value) and "," not in value:
        return value
    return json.dumps(value).removesuffix(".0")


def read(text: str) -> Any:
    """The value of a text that `written` gave, or that a person typed."""
    try:
        return json.loads(text)
    except ValueError:
        return tuple(part.strip() for part in text.split(",")) if "," in text else text.strip()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
