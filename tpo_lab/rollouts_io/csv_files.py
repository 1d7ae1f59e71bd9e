"""Tables of text with a header: commas, tabs, semicolons or bars between the cells."""

import csv as dialects
import io
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv as pa_csv  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.batches import Batch, Expand, Source, Table
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.limits import MAX_COLUMNS, MAX_LINE
from tpo_lab.rollouts_io.streams import CHUNK, File, short
from tpo_lab.rollouts_io.values import numbers

BLOCK = 4 << 20  # bytes read at a time
ROWS = 16_384  # of one batch
_TRIES = 20_000  # line ends of one cell, from the end of a block backwards


def csv_table(file: File, stream: IO[bytes], head: bytes) -> Source:
    """A table of text with a header; cells are read as text and made numbers later, so that none stops the rest."""
    delimiter = _delimiter(head)
    names = _header(head, delimiter)
    numeric = _numeric_of_head(head, delimiter, names)

    blank = head[: len(head) - len(head.lstrip())].count(b"\n")

    def batches(wanted: Sequence[str], _: Expand | None, faults: Faults) -> Iterator[Batch]:
        lost: list[int] = []  # numbers of the rows that were passed over
        read = 0
        for i, block in enumerate(_blocks(stream, file, faults)):
            header = 1 + blank if i == 0 else 0
            before = read + len(lost) - header

            def skip(row: Any, before: int = before) -> str:
                lost.append(before + row.number)
                return "skip"

            try:
                table = _parsed(block, names, delimiter, wanted, skip, header)
            except pa.ArrowInvalid as error:
                faults.add(
                    f"a part of the table cannot be read ({short(error)})",
                    [f"{file.name}, from row {read + len(lost) + 1:,}"],
                    0,
                )
                continue
            for batch in table.to_batches(ROWS):
                yield Table(batch, read + 1, file.name, lost)
                read += batch.num_rows
        if lost:
            places = (f"{file.name}, row {number:,}" for number in lost)
            faults.add(f"it has not the {len(names)} cells of the header", places, len(lost))

    return Source(names, numeric, batches)


def _parsed(
    block: bytes, names: Sequence[str], delimiter: str, wanted: Sequence[str], skip: Callable[[Any], str], header: int
) -> pa.Table:
    """The rows of a block, every cell as text; `header` lines at its beginning are none.

    It is parsed here and now: a reader that runs ahead in a thread of its own may still read when Python ends.
    """
    if not block.isascii():
        block = block.decode("utf-8", "replace").encode()
    return pa_csv.read_csv(
        pa.BufferReader(block),
        pa_csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names, skip_rows=header),
        pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=skip),
        pa_csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, pa.string()),
            include_columns=list(wanted),
            strings_can_be_null=True,
            null_values=[""],
        ),
    )


def _blocks(stream: IO[bytes], file: File, faults: Faults) -> Iterator[bytes]:
    """The file in blocks of whole rows: cut at the last line end with an even number of quotes before it.

    Where there is none in a block, a quote is not closed, or stands by itself: it is then cut at the last line end.
    """
    rest = b""
    while True:
        try:
            data = stream.read(BLOCK)
        except OSError as error:
            faults.add(f"the file breaks off ({short(error)})", [file.name], 0)
            data = b""
        if not data:
            break
        rest += data
        end = _row_end(rest)
        if not end and len(rest) > 2 * BLOCK:
            end = rest.rfind(b"\n") + 1
            if not end and len(rest) > MAX_LINE:
                faults.add(f"the rest of the table is one line of more than {MAX_LINE >> 20} MiB", [file.name], 0)
                return
            if end:
                faults.add(_OPEN, [file.name], 0)
        if end:
            if rest[:end].strip():
                yield rest[:end]
            rest = rest[end:]
    if rest.count(b'"') % 2:
        faults.add(_OPEN, [file.name], 0)
    if rest.strip():
        yield rest


_OPEN = "a quote is not closed: lines after it may have been taken for a part of its text"


def _row_end(block: bytes) -> int:
    """Where the last whole row of a block ends; 0 if none is found near its end."""
    end, quotes = len(block), block.count(b'"')
    for _ in range(_TRIES):
        line = block.rfind(b"\n", 0, end)
        quotes -= block.count(b'"', line + 1, end)
        if line < 0 or quotes % 2 == 0:
            return line + 1
        end = line
    return 0


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
