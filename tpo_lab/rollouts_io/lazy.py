"""Figures by name, each computed when it is first asked for: a page shows a few of them, an export all."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")


class Lazy(Mapping[str, V], Generic[V]):
    """A mapping that makes its values.

    Args:
        makers: by name, what makes the value.
    """

    def __init__(self, makers: Mapping[str, Callable[[], V]]) -> None:
        self._makers = makers
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        """The value; KeyError for an unknown name."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
