"""The bytes of a file: what they are by their first signs, decompressed within limits, and cut into lines."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.limits import MAX_FILE, MAX_LINE, MAX_PLAIN, MAX_RATIO, RATIO_FROM

Kind = Literal["parquet", "arrow_file", "arrow_stream", "text"]
CHUNK = 1 << 20
_PIECE = 1 << 14

_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\x04\x22\x4d\x18": "lz4"}
_CONVERT = (
    "It is never opened here: unpickling a file can run any program. Convert it where you trust it, with the library "
    "that wrote it, for example: rows = [...one dict a candidate: group, step, score, text...]; "
    "pandas.DataFrame(rows).to_parquet('rollouts.parquet')."
)
_TEXT_BEGINS = 512  # bytes without a zero; later ones are what a crash leaves in a text
_BINARY = {b"\x89HDF": "an HDF5 file", b"SQLite": "an SQLite database", b"\x93NUMPY": "a NumPy array", b"%PDF": "a PDF"}


@dataclass(frozen=True)
class File:
    """One file to read: a path on this machine, or bytes that were uploaded.

    Attributes:
        name: what messages and the step are read from; relative to the folder that was opened.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None

    def size(self) -> int:
        """Bytes on disk."""
        return len(self.data) if self.data is not None else self._path().stat().st_size

    def open(self) -> IO[bytes]:
        """The bytes, unpacked no further."""
        return io.BytesIO(self.data) if self.data is not None else self._path().open("rb")

    def _path(self) -> Path:
        assert self.path is not None
        return self.path


class Unpacked(io.RawIOBase):
    """The decompressed bytes of a stream, refused where they grow beyond the limits."""

    def __init__(self, raw: IO[bytes], codec: str | None, size: int, name: str) -> None:
        super().__init__()
        self._raw, self._size, self._name, self._read = raw, max(size, 1), name, 0
        self._source: Any = raw
        self._broken: OSError | None = None
        if codec is not None:
            self._source = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer)) if self._source is self._raw else self._unpacked(len(buffer))
        self._read += len(data)
        if self._read > MAX_PLAIN or (self._read > RATIO_FROM and self._read > MAX_RATIO * self._size):
            raise InputError(
                "file",
                f"{self._name} unpacks to more than {self._read >> 20:,} MiB from {self._size:,} bytes. No rollouts "
                "pack so well; it is refused.",
            )
        buffer[: len(data)] = data
        return len(data)

    def _unpacked(self, size: int) -> bytes:
        """In small pieces: of a stream that breaks off, the piece with the break is lost, and no more."""
        data = bytearray()
        while len(data) < size and self._broken is None:
            try:
                piece = self._source.read(min(_PIECE, size - len(data)))
            except OSError as error:
                self._broken = error
                break
            if not piece:
                break
            data += piece
        if self._broken is not None and not data:
            raise self._broken
        return bytes(data)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


def opened(file: File) -> tuple[Kind, IO[bytes]]:
    """What the file holds and its plain bytes, from the start.

    Raises:
        InputError: for an empty file, a pickle, another binary format, or a size beyond the limits.
    """
    size = file.size()
    if size == 0:
        raise InputError("file", f"{file.name} is empty.")
    if size > MAX_FILE:
        raise InputError("file", f"{file.name} has {size >> 20:,} MiB; the limit is {MAX_FILE >> 20:,} MiB.")
    raw = file.open()
    first = raw.read(8)
    raw.seek(0)
    codec = next((codec for magic, codec in _PACKED.items() if first.startswith(magic)), None)
    stream = io.BufferedReader(Unpacked(raw, codec, size, file.name), CHUNK)
    try:
        head = stream.peek(CHUNK)[:CHUNK]
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("file", f"{file.name} cannot be unpacked: {short(error)}.") from None
    return _kind(head, file.name), stream


def _kind(head: bytes, name: str) -> Kind:
    if not head:
        raise InputError("file", f"{name} is empty once unpacked.")
    pickled = head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05" and len(head) > 1
    if pickled or name.lower().endswith((".pt", ".pth", ".pkl", ".pickle")) or b"/data.pkl" in head[:4096]:
        raise InputError("file", f"{name} is a pickle. {_CONVERT}")
    if head.startswith(b"PK\x03\x04"):
        raise InputError("file", f"{name} is a zip archive: unpack it and open the folder.")
    if head.startswith((b"PAR1", b"PARE")):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "arrow_file"
    if head.startswith(b"\xff\xff\xff\xff"):
        return "arrow_stream"
    for magic, what in _BINARY.items():
        if head.startswith(magic):
            raise InputError("file", f"{name} is {what}; readable are JSON lines, JSON, CSV, TSV, Parquet and Arrow.")
    if b"\0" in head[:_TEXT_BEGINS] and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("file", f"{name} holds binary data; readable are JSON lines, JSON, CSV, TSV, Parquet, Arrow.")
    return "text"


def as_utf8(stream: IO[bytes]) -> IO[bytes]:
    """The stream as UTF-8 without a byte order mark; UTF-16 with one is converted."""
    head = stream.peek(4)[:4] if isinstance(stream, io.BufferedReader) else b""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return io.BufferedReader(_Recoded(io.TextIOWrapper(stream, "utf-16", errors="replace", newline="")), CHUNK)
    if head.startswith(b"\xef\xbb\xbf"):
        stream.read(3)
    return stream


class _Recoded(io.RawIOBase):
    """Text as UTF-8 bytes."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        super().__init__()
        self._text, self._left = text, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._left or self._text.read(CHUNK // 4).encode("utf-8", "replace")
        n = min(len(buffer), len(data))
        buffer[:n], self._left = data[:n], data[n:]
        return n

    def close(self) -> None:
        if not self.closed:
            self._text.close()
        super().close()


def lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Line numbers from 1 and lines without their ends; None for a line above `MAX_LINE`. Empty lines are passed over.

    Raises:
        OSError: where the stream breaks off; the lines before have been given.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(CHUNK)
            yield number, None
        elif stripped := line.strip():
            yield number, stripped


def short(error: Exception) -> str:
    """The first line of an error of a library, as the end of a sentence."""
    text = (str(error).splitlines() or ["unknown"])[0].rstrip(".")
    return text if len(text) <= 160 else f"{text[:157]}..."
