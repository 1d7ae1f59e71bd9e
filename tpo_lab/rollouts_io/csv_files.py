"""Tables of text with a header: commas, tabs, semicolons or bars between the cells."""

import codecs
import csv as dialects
import io
from collections.abc import Iterator, Sequence
from typing import IO, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv as pa_csv  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.batches import Batch, Expand, Source, Table
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.limits import MAX_COLUMNS
from tpo_lab.rollouts_io.streams import CHUNK, File, short
from tpo_lab.rollouts_io.values import numbers

BLOCK = 4 << 20  # bytes read at a time; a row is not longer


def csv_table(file: File, stream: IO[bytes], head: bytes) -> Source:
    """A table of text with a header; cells are read as text and made numbers later, so that none stops the rest."""
    delimiter = _delimiter(head)
    names = _header(head, delimiter)
    numeric = _numeric_of_head(head, delimiter, names)

    blank = head[: len(head) - len(head.lstrip())].count(b"\n")

    def batches(wanted: Sequence[str], _: Expand | None, faults: Faults) -> Iterator[Batch]:
        lost: list[int] = []

        def skip(row: Any) -> str:
            lost.append(row.number - 1)  # the header is none
            return "skip"

        first = 1
        try:
            reader = pa_csv.open_csv(
                pa.PythonFile(_Valid(stream), mode="r"),
                pa_csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=names, skip_rows=1 + blank),
                pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=skip),
                pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(wanted, pa.string()),
                    include_columns=list(wanted),
                    strings_can_be_null=True,
                    null_values=[""],
                ),
            )
            for batch in reader:
                if batch.num_rows:
                    yield Table(batch, first, file.name, lost)
                    first += batch.num_rows
        except (pa.ArrowInvalid, OSError) as error:
            why = short(error)
            if "straddl" in why:
                why = f"a row of more than {BLOCK >> 20} MiB: a quote that is not closed?"
            faults.add(f"the rest of the table cannot be read ({why})", [f"{file.name}, after row {first - 1:,}"], 0)
        if lost:
            places = (f"{file.name}, row {number:,}" for number in lost)
            faults.add(f"it has not the {len(names)} cells of the header", places, len(lost))

    return Source(names, numeric, batches)


class _Valid(io.RawIOBase):
    """A stream whose bytes are all UTF-8: others become the sign for what cannot be shown."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while data := self._stream.read(max(size, 1)):
            if text := self._decode.decode(data):
                return bytes(text.encode())
        return bytes(self._decode.decode(b"", True).encode())


def _delimiter(head: bytes) -> str:
    """The sign that cuts the header into most parts; a comma where none does."""
    header = head.lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    return max(",\t;|", key=lambda sign: (header.count(sign), sign == ","))


def _rows_of_head(head: bytes, delimiter: str, n: int) -> list[list[str]]:
    text = io.StringIO(head.lstrip()[: CHUNK // 4].decode("utf-8", "replace"), newline="")
    found: list[list[str]] = []
    try:
        for row in dialects.reader(text, delimiter=delimiter):
            found.append(row)
            if len(found) >= n:
                break
    except dialects.Error:  # one huge cell: what came before it is enough
        pass
    return found


def _header(head: bytes, delimiter: str) -> tuple[str, ...]:
    rows = _rows_of_head(head, delimiter, 1)
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) > MAX_COLUMNS:
        raise InputError("file", f"The table has {len(names):,} columns; the limit is {MAX_COLUMNS:,}.")
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        names[i] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return tuple(names)


def _numeric_of_head(head: bytes, delimiter: str, names: tuple[str, ...]) -> tuple[str, ...]:
    rows = [row for row in _rows_of_head(head, delimiter, 51)[1:] if len(row) == len(names)][:50]
    found = []
    for i, name in enumerate(names):
        values, bad = numbers([row[i] for row in rows])
        if rows and not bad.any() and (values == values).any():
            found.append(name)
    return tuple(found)
