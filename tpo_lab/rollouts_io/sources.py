"""A file as a source of rows: recognised by what it holds, never by its name alone."""

import io
from typing import IO

import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.arrow_files import arrow_table, parquet_table
from tpo_lab.rollouts_io.batches import Source
from tpo_lab.rollouts_io.csv_files import csv_table
from tpo_lab.rollouts_io.json_files import document, has_object_line, json_lines
from tpo_lab.rollouts_io.streams import CHUNK, File, as_utf8, opened, short


def source(file: File) -> Source:
    """Recognise a file by what it holds.

    Raises:
        InputError: one sentence, if it holds no rows that can be read.
    """
    kind, stream = opened(file)
    try:
        match kind:
            case "text":
                return _text(file, as_utf8(stream))
            case "parquet":
                return parquet_table(file, stream)
            case "arrow_file" | "arrow_stream":
                return arrow_table(file, stream, is_stream=kind == "arrow_stream")
    except InputError:
        raise
    except (pa.ArrowException, OSError, MemoryError, OverflowError, ValueError) as error:
        raise InputError("file", f"{file.name} is damaged: {short(error)}.") from None


def _text(file: File, stream: IO[bytes]) -> Source:
    head = _head(stream)
    start = head.lstrip()[:1]
    if start == b"{" or has_object_line(head):
        return json_lines(file, stream, head)
    if start == b"[":
        return document(file, stream)
    if not start:
        raise InputError("file", f"{file.name} holds only white space.")
    return csv_table(file, stream, head)


def _head(stream: IO[bytes]) -> bytes:
    return stream.peek(CHUNK) if isinstance(stream, io.BufferedReader) else b""
