"""What is kept of single steps of a run for people to look into: a table of its own in the file of the run.

The table is made with the first of them, so that files without one, as older labs wrote them, are read as they are. A
look is written in the transaction of the step that it belongs to: a kill leaves both or neither.
"""

import io
import sqlite3
import zipfile
import zlib
from collections.abc import Callable

import numpy as np

from tpo_lab.training.guesses import Guesses
from tpo_lab.training.look import Look

Kept = Look | Guesses

# The id is what a reader has seen of the table; `data` is one .npz of plain arrays.
TABLE = """CREATE TABLE IF NOT EXISTS looks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, lane TEXT NOT NULL, step INTEGER NOT NULL, crc INTEGER NOT NULL,
    data BLOB NOT NULL, UNIQUE (lane, step))"""
_BYTES = frozenset({"prompts", "wanted", "outputs", "candidates", "rewards", "pixels", "labels"})  # whole, below 256


def put(connection: sqlite3.Connection, lane: str, step: int, data: bytes) -> None:
    """Write the look of a step, within a transaction."""
    connection.execute(TABLE)
    row = (lane, step, _crc(lane, step, data), data)
    connection.execute("INSERT INTO looks (lane, step, crc, data) VALUES (?, ?, ?, ?)", row)


def drop(connection: sqlite3.Connection, lane: str, steps: int) -> None:
    """Drop what lies beyond the first `steps` steps, within a transaction."""
    if _is_there(connection):
        connection.execute("DELETE FROM looks WHERE lane = ? AND step >= ?", (lane, steps))


def steps(connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
    """The steps that are kept of each lane, in their order."""
    found: dict[str, tuple[int, ...]] = {}
    if _is_there(connection):
        for lane, step in connection.execute("SELECT lane, step FROM looks ORDER BY lane, step"):
            found[lane] = (*found.get(lane, ()), step)
    return found


def get(connection: sqlite3.Connection, lane: str, step: int, broken: Callable[[str], Exception]) -> Kept | None:
    """The look of a step; None if it is not kept.

    Args:
        broken: the error that says how the file is damaged.
    """
    if not _is_there(connection):
        return None
    row = connection.execute("SELECT crc, data FROM looks WHERE lane = ? AND step = ?", (lane, step)).fetchone()
    if row is None:
        return None
    crc, data = row
    try:
        if _crc(lane, step, data) != crc:
            raise ValueError("another checksum")
        return from_bytes(data)
    except (ValueError, TypeError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise broken(f"the batch of step {step} of {lane} is not what was written") from error


def to_bytes(look: Kept) -> bytes:
    """A look as bytes; whole numbers have a byte each, others keep all their digits."""
    file = io.BytesIO()
    arrays = {name: np.asarray(x, np.uint8 if name in _BYTES else np.float32) for name, x in look._asdict().items()}
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def from_bytes(data: bytes) -> Kept:
    """What `to_bytes` wrote, as arrays of NumPy."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        kind: type[Kept] = Guesses if "pixels" in arrays else Look
        return kind(*(arrays[name] for name in kind._fields))


def _is_there(connection: sqlite3.Connection) -> bool:
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'looks'"
    return bool(connection.execute(query).fetchone()[0])


def _crc(lane: str, step: int, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(repr((lane, step)).encode()))
