"""What could not be read: counted by reason, with the first places of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field

FIRST_PLACES = 5


@dataclass
class Fault:
    """One reason: how many rows it cost, 0 where nobody knows, and where it was met first."""

    rows: int = 0
    places: list[str] = field(default_factory=list)


@dataclass
class Faults:
    """Rows that were left out, by reason. A reason holds no value of the file, so there are few of them."""

    by_reason: dict[str, Fault] = field(default_factory=dict)

    def add(self, reason: str, places: Iterable[str] = (), rows: int = 1) -> None:
        """Count rows for a reason."""
        fault = self.by_reason.setdefault(reason, Fault())
        fault.rows += rows
        for place in places:
            if len(fault.places) >= FIRST_PLACES:
                break
            fault.places.append(place)

    @property
    def rows(self) -> int:
        """Rows that were left out, all reasons together."""
        return sum(fault.rows for fault in self.by_reason.values())

    def sentences(self) -> list[str]:
        """One sentence a reason, most rows first."""
        ordered = sorted(self.by_reason.items(), key=lambda item: -item[1].rows)
        return [_sentence(reason, fault) for reason, fault in ordered]


def _sentence(reason: str, fault: Fault) -> str:
    rows = "1 row" if fault.rows == 1 else f"{fault.rows:,} rows"
    more = ", ..." if fault.rows > len(fault.places) > 0 else ""
    where = f" ({', '.join(fault.places)}{more})" if fault.places else ""
    return f"{rows}: {reason}{where}" if fault.rows else f"{reason[:1].upper()}{reason[1:]}{where}"
