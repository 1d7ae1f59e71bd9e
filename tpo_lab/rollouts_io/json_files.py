"""JSON: one object a line, or one document; each line stands by itself, so that a broken one costs no other."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO, Any

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.batches import Batch, Expand, Objects, Source
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.limits import MAX_BRACKETS, MAX_COLUMNS, MAX_LINE
from tpo_lab.rollouts_io.streams import File, lines, short

ROWS, BYTES = 4_096, 8 << 20  # of one batch
_DECODER = json.JSONDecoder()
EARLY, MOST_EARLY = 20, 1_000  # objects that are looked at for fields, and lines until they are found


def json_lines(file: File, stream: IO[bytes], head: bytes) -> Source:
    """JSON lines; or one object over several lines, which is a document."""
    first, newline, _ = head.lstrip().partition(b"\n")
    if newline and _loads(first) is None and not has_object_line(head):
        return document(file, stream)
    early: list[tuple[int, bytes | None]] = []
    rest = lines(stream)
    seen: list[dict[str, Any]] = []
    for number, line in rest:
        early.append((number, line))
        row = _loads(line) if line else None
        if isinstance(row, dict):
            seen.append(row)
        if len(seen) >= EARLY or len(early) >= MOST_EARLY:
            break
    if not seen:
        raise InputError("file", f"{file.name}: none of its first lines is a JSON object.")

    def batches(_: Sequence[str], expand: Expand | None, faults: Faults) -> Iterator[Batch]:
        def numbered() -> Iterator[tuple[int, Any, int]]:
            try:
                for number, line in chain(early, rest):
                    yield number, *_parsed(line)
            except OSError as error:
                faults.add(f"the file breaks off ({short(error)})", [file.name], 0)

        return _objects(file, numbered(), expand, faults)

    return Source(*_fields(seen), batches)


def _fields(rows: list[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of the objects among the rows, and those that hold a number in one of them."""
    fields: dict[str, bool] = {}
    for row in rows:
        for name, cell in row.items() if isinstance(row, dict) else ():
            fields[name] = fields.get(name, False) or isinstance(cell, int | float)
    return tuple(fields)[:MAX_COLUMNS], tuple(name for name, is_number in fields.items() if is_number)


def has_object_line(head: bytes) -> bool:
    """Whether a later one of the first lines is an object of its own: then these are lines, and the first is broken."""
    return any(isinstance(_loads(line), dict) for line in head.split(b"\n")[1:50] if line.startswith(b"{"))


def _parsed(line: bytes | None) -> tuple[Any, int]:
    return (None, 0) if line is None else (_loads(line), len(line))


def _loads(text: bytes) -> Any:
    """The JSON of a line, bare NaN and Infinity included; None where it is none, or has too many brackets."""
    if len(text) > MAX_BRACKETS and text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
        return None
    try:
        return _DECODER.decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _objects(
    file: File, numbered: Iterator[tuple[int, Any, int]], expand: Expand | None, faults: Faults
) -> Iterator[Batch]:
    rows: list[dict[str, Any]] = []
    at: list[int] = []
    held = 0
    for number, value, size in numbered:
        if not isinstance(value, dict):
            faults.add(_no_object(value, size), [f"{file.name}, line {number:,}"])
            continue
        try:
            found = [value] if expand is None else list(expand(value))
        except (OverflowError, RecursionError):
            faults.add("it holds a number or a nesting that is too large", [f"{file.name}, line {number:,}"])
            continue
        rows += found
        at += [number] * len(found)
        held += size
        if len(rows) >= ROWS or held >= BYTES:
            yield Objects(rows, at, file.name)
            rows, at, held = [], [], 0
    if rows:
        yield Objects(rows, at, file.name)


def _no_object(value: Any, size: int) -> str:
    if value is not None:
        return "it is JSON, but no object with fields"
    return "it is no JSON: cut off or damaged" if size else f"the line is longer than {MAX_LINE >> 20} MiB"


def document(file: File, stream: IO[bytes]) -> Source:
    """One document: a list of objects, or an object."""
    text = stream.read(MAX_LINE + 1)
    if len(text) > MAX_LINE:
        raise InputError(
            "file",
            f"{file.name} is one JSON document of more than {MAX_LINE >> 20} MiB, which has to be read at once. Write "
            "one object a line (JSON lines) or Parquet.",
        )
    if text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
        raise InputError("file", f"{file.name} has more than {MAX_BRACKETS:,} brackets: write one object a line.")
    try:
        whole = json.loads(text.decode("utf-8", "replace"))
    except RecursionError:
        raise InputError("file", f"{file.name}: its brackets are nested too deeply.") from None
    except ValueError as error:
        raise InputError("file", f"{file.name} is no JSON: {short(error)}.") from None
    rows = whole if isinstance(whole, list) else [whole]
    names, numeric = _fields(rows[:EARLY])
    if not names:
        raise InputError("file", f"{file.name} is JSON, but holds no objects with fields.")

    def batches(_: Sequence[str], expand: Expand | None, faults: Faults) -> Iterator[Batch]:
        return _objects(file, ((i, row, 1) for i, row in enumerate(rows, 1)), expand, faults)

    return Source(names, numeric, batches)
