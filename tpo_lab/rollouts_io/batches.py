"""Some rows of a file at a time, whatever the file is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.values import Column

Expand = Callable[[dict[str, Any]], Iterator[dict[str, Any]]]


class Batch(Protocol):
    """Some rows in the order of the file."""

    def __len__(self) -> int: ...

    def column(self, name: str) -> Column | None:
        """The cells of one column; None where no row has it."""

    def place(self, row: int) -> str:
        """Where a row stands, for a message."""


@dataclass(frozen=True)
class Objects:
    """Rows of JSON objects."""

    rows: list[dict[str, Any]]
    lines: list[int]
    file: str

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Column | None:
        cells = [row.get(name) for row in self.rows]
        return cells if any(cell is not None for cell in cells) else None

    def place(self, row: int) -> str:
        return f"{self.file}, line {self.lines[row]:,}"


@dataclass(frozen=True)
class Table:
    """Rows of an Arrow table.

    Attributes:
        first: number of the first row among those that were read, from 1.
        lost: numbers of the rows in between that were not, ascending.
    """

    batch: pa.RecordBatch
    first: int
    file: str
    lost: Sequence[int] = ()

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def column(self, name: str) -> Column | None:
        where = self.batch.schema.get_field_index(name)
        return None if where < 0 else self.batch.column(where)

    def place(self, row: int) -> str:
        number = self.first + row
        for lost in self.lost:
            number += lost <= number
        return f"{self.file}, row {number:,}"


@dataclass(frozen=True)
class Source:
    """One file, looked into but not yet read.

    Attributes:
        names: its columns, or the fields of its first objects.
        numeric: those that hold numbers.
        batches: reads it, given the columns to read and how an object is expanded.
    """

    names: tuple[str, ...]
    numeric: tuple[str, ...]
    batches: Callable[[Sequence[str], Expand | None, Faults], Iterator[Batch]]
