"""Parquet and Arrow: typed columns, of which only the wanted ones are read."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.batches import Batch, Expand, Source, Table
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.limits import MAX_COLUMNS, MAX_ROWS
from tpo_lab.rollouts_io.streams import File, short

ROWS = 16_384  # of one batch
REPEATED = 16  # bytes a cell, below which the same ones are there many times


def parquet_table(file: File, stream: IO[bytes]) -> Source:
    data = file.path if file.path is not None and _plain(file) else pa.BufferReader(_whole(stream, file))
    table = pq.ParquetFile(data, thrift_string_size_limit=100 << 20, thrift_container_size_limit=1 << 20)
    schema = table.schema_arrow
    if table.metadata.num_rows > MAX_ROWS * 20 or len(schema) > MAX_COLUMNS:
        raise InputError(
            "file", f"{file.name} has {table.metadata.num_rows:,} rows in {len(schema):,} columns: too many."
        )

    def batches(wanted: Sequence[str], _: Expand | None, faults: Faults) -> Iterator[Batch]:
        def parts() -> Iterator[pa.RecordBatch]:
            words = [n for n in wanted if _is_text(schema.field(n).type)] if _repeats(table.metadata) else []
            reader = pq.ParquetFile(data, read_dictionary=words)
            yield from reader.iter_batches(ROWS, columns=list(wanted), use_threads=False)

        return _tables(file, parts(), faults)

    return Source(tuple(schema.names), _numeric(schema), batches)


def _repeats(metadata: Any) -> bool:
    """Whether few bytes of the file make many cells: texts are then kept once, or a small file could fill the memory.

    It asks for nothing of single columns: where a file is damaged, PyArrow ends the process over such a question.
    """
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    return bool(size < REPEATED * metadata.num_rows * (metadata.num_columns + 1))


def arrow_table(file: File, stream: IO[bytes], *, is_stream: bool) -> Source:
    data = pa.memory_map(str(file.path)) if file.path is not None and _plain(file) else _whole(stream, file)
    if is_stream:
        reader = pa.ipc.open_stream(data)
        schema, parts = reader.schema, iter(reader)
    else:
        whole = pa.ipc.open_file(data)
        schema, parts = whole.schema, (whole.get_batch(i) for i in range(whole.num_record_batches))

    def batches(wanted: Sequence[str], _: Expand | None, faults: Faults) -> Iterator[Batch]:
        def checked() -> Iterator[pa.RecordBatch]:
            for part in parts:
                part.validate()  # its offsets are read as they stand
                for at in range(0, part.num_rows, ROWS):
                    yield part.slice(at, ROWS).select([n for n in wanted if n in part.schema.names])

        return _tables(file, checked(), faults)

    return Source(tuple(schema.names), _numeric(schema), batches)


def _tables(file: File, parts: Iterator[pa.RecordBatch], faults: Faults) -> Iterator[Batch]:
    first = 1
    try:
        for part in parts:
            yield Table(_sound(part), first, file.name)
            first += part.num_rows
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        faults.add(
            f"the rest of the table cannot be read ({short(error)})", [f"{file.name}, after row {first - 1:,}"], 0
        )


def _sound(part: pa.RecordBatch) -> pa.RecordBatch:
    """The rows, checked to the last offset; bytes that are no text are replaced by the sign for that.

    Raises:
        ArrowInvalid: if something else is wrong with them.
    """
    try:
        part.validate(full=True)
        return part
    except pa.ArrowInvalid:
        columns = [_replaced(column) if _is_text(column.type) else column for column in part.columns]
        part = pa.record_batch(columns, names=part.schema.names)
        part.validate(full=True)
        return part


def _replaced(column: pa.Array) -> pa.Array:
    kind = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    raw = pa.Array.from_buffers(kind, len(column), column.buffers(), offset=column.offset)
    raw.validate(full=True)  # its offsets: nothing is looked at before
    cells = raw.to_pylist()
    return pa.array([None if cell is None else cell.decode("utf-8", "replace") for cell in cells], pa.large_string())


def _plain(file: File) -> bool:
    with file.open() as raw:
        return raw.read(4) in (b"PAR1", b"ARRO", b"\xff\xff\xff\xff")


def _whole(stream: IO[bytes], file: File) -> bytes:
    """All bytes of a packed or uploaded file: these formats are read from their end."""
    limit = 2 << 30
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise InputError("file", f"{file.name} unpacks to more than {limit >> 20:,} MiB: unpack it first.")
    return data


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _numeric(schema: pa.Schema) -> tuple[str, ...]:
    types = pa.types
    return tuple(
        field.name
        for field in schema
        if types.is_integer(field.type) or types.is_floating(field.type) or types.is_boolean(field.type)
        or types.is_decimal(field.type)
    )  # fmt: skip
