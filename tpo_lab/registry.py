"""One typed registry per kind of thing. Unknown and duplicate names raise and list what exists; nothing falls back."""

from collections.abc import Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from tpo_lab.errors import InputError, shown


class Named(Protocol):
    """Anything with a unique name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T], Generic[T]):
    """An ordered, read-only mapping from name to entry; the order is the order of display.

    Args:
        kind: what an entry is, in the words of an error message ("rule", "method").
        entries: the entries, each with a unique `name`.

    Raises:
        ValueError: if two entries share a name.
    """

    def __init__(self, kind: str, entries: tuple[T, ...]) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}
        for entry in entries:
            if entry.name in self._entries:
                raise ValueError(f"duplicate {kind} {entry.name!r}")
            self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> T:
        """The entry of that name.

        Raises:
            InputError: if the name is unknown; the message lists the known ones.
        """
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            known = ", ".join(self._entries)
            raise InputError(self.kind, f"Unknown {self.kind} {shown(name)}; known: {known}.") from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
