"""Several configurations beside each other: in what they differ, and what each is called among the others."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tpo_lab.experiments.differences import LISTS, written
from tpo_lab.experiments.kinds import AnyConfig, kind_of

MOST = 2  # settings in a name
SYMBOLS = {
    "candidates": "K",
    "actions": "K",
    "prompts": "B",
    "samples": "B",
    "contexts": "N",
    "length": "H",
    "vocabulary": "V",
    "eta": "η",
    "alpha": "α",
    "steps": "steps",
}  # what people write; any other setting goes by its name


def symbol(name: str) -> str:
    """How a setting is called where there is little room."""
    return SYMBOLS.get(name, name.replace("_", " "))


def differing(configs: Sequence[AnyConfig]) -> dict[str, tuple[Any, ...]]:
    """The settings that not all have alike, each with every configuration's value; None where there is none."""
    fields = dict.fromkeys(name for config in configs for name in vars(config))
    table: dict[str, tuple[Any, ...]] = {"task": tuple(kind_of(config) for config in configs)}
    table |= {name: tuple(getattr(config, name, None) for config in configs) for name in fields}
    return {name: values for name, values in table.items() if any(value != values[0] for value in values)}


def said(value: Any) -> str:
    """A value of a setting as people read it."""
    return "not set" if value is None else written(value).replace("_", " ").replace(",", ", ")


def names(configs: Sequence[AnyConfig]) -> tuple[str, ...]:
    """What each is called among the others: "K = 16"; those that differ in nothing are numbered."""
    differ = differing(configs)
    told = [name for name in differ if name != LISTS] or list(differ)
    found = [
        ", ".join(f"{symbol(name)} = {said(differ[name][i])}" for name in told[:MOST]) for i in range(len(configs))
    ]
    again = Counter(found)
    if all(n == 1 for n in again.values()):
        return tuple(found)
    return tuple(f"{i}: {name}" if name else f"run {i}" for i, name in enumerate(found, 1))
