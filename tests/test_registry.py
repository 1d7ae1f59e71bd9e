"""Registries: in order, without duplicates, and never a silent fallback."""

from dataclasses import dataclass
from typing import Any

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BANDIT_METHODS, SETTINGS
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.rules import RULES
from tpo_lab.group.snippets import LANGUAGES
from tpo_lab.methods.registry import METHODS
from tpo_lab.registry import Registry

ALL: list[Registry[Any]] = [RULES, PRESETS, LANGUAGES, METHODS, BANDIT_METHODS, SETTINGS]


@dataclass(frozen=True)
class Thing:
    name: str


def test_entries_come_in_the_order_of_display() -> None:
    things = Registry("thing", (Thing("b"), Thing("a")))
    assert list(things) == ["b", "a"]
    assert things["a"] == Thing("a")
    assert len(things) == 2
    assert "a" in things
    assert "c" not in things


def test_duplicates_raise() -> None:
    with pytest.raises(ValueError, match="duplicate thing 'a'"):
        Registry("thing", (Thing("a"), Thing("a")))


@pytest.mark.parametrize("registry", ALL, ids=lambda registry: registry.kind)
@pytest.mark.parametrize("name", ["nonsense", "", "TPO", 3, None, [1], "x" * 10_000])
def test_unknown_names_raise_and_list_the_known(registry: Registry[Any], name: Any) -> None:
    with pytest.raises(InputError) as caught:
        registry[name]
    message = str(caught.value)
    assert caught.value.field == registry.kind
    assert all(known in message for known in registry)
    assert len(message) < 1000


@pytest.mark.parametrize("registry", ALL, ids=lambda registry: registry.kind)
def test_names_are_keys_and_labels_are_for_people(registry: Registry[Any]) -> None:
    for name, entry in registry.items():
        assert name == entry.name
        assert name.isidentifier()
        assert entry.label
    assert len({entry.label for entry in registry.values()}) == len(registry)
