"""The curves and checkpoints of one run: one SQLite file, `runs/<id>.db`.

Every write is one transaction, so that a kill leaves all of it or nothing. A lane belongs to whoever took it last: an
earlier writer that has not noticed its end is refused. Axes of values: T steps, D diagnostics, S seeds.
"""

import json
import re
import secrets
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError, shown
from tpo_lab.runs import home, looks
from tpo_lab.runs.database import StoreError, damaged, open_to_read, open_to_write, told, writing
from tpo_lab.runs.looks import Kept

Values = npt.NDArray[np.float32]
MIGRATIONS = (
    (
        "CREATE TABLE shape (diagnostics TEXT NOT NULL, seeds INTEGER NOT NULL, crc INTEGER NOT NULL)",
        # Ids of chunks are never used twice: a reader asks for what is newer than the last one that it has.
        """CREATE TABLE chunks (
            id INTEGER PRIMARY KEY AUTOINCREMENT, lane TEXT NOT NULL, first INTEGER NOT NULL, steps INTEGER NOT NULL,
            crc INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (lane, first))""",
        """CREATE TABLE lanes (
            lane TEXT PRIMARY KEY, writer TEXT NOT NULL, steps INTEGER NOT NULL, crc INTEGER NOT NULL,
            checkpoint BLOB)""",
    ),
)


class Checkpoint(NamedTuple):
    """Where a lane goes on: the steps taken, and the bytes of its state; None at the very start."""

    steps: int
    data: bytes | None


@dataclass(frozen=True)
class Chunk:
    """Consecutive steps of a lane, values (T, D, S) float32, the first of them step `first`, counted from 0."""

    id: int
    lane: str
    first: int
    values: Values


class RunFile:
    """The file of one run, to write or to read. Not thread-safe.

    Attributes:
        path: the file.
        diagnostics: names along axis D.
        seeds: S.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, diagnostics: tuple[str, ...], seeds: int) -> None:
        self.path, self.diagnostics, self.seeds = path, diagnostics, seeds
        self._connection = connection
        self._writer = secrets.token_hex(8)

    @classmethod
    def create(cls, folder: Path, run_id: str, diagnostics: Sequence[str], seeds: int) -> "RunFile":
        """The file of a run, to write; made if it is missing, and several processes may do so at once.

        Raises:
            StoreError: if it cannot be written, is damaged, or is there with another shape.
        """
        path = path_of(folder, run_id)
        connection = open_to_write(path, MIGRATIONS)
        with writing(connection, path):
            if connection.execute("SELECT count(*) FROM shape").fetchone() == (0,):
                names = json.dumps(list(diagnostics))
                connection.execute("INSERT INTO shape VALUES (?, ?, ?)", (names, seeds, _crc(names, seeds)))
        file = cls(path, connection, *_shape(connection, path))
        if (file.diagnostics, file.seeds) != (tuple(diagnostics), seeds):
            file.close()
            raise StoreError("store", f"{path} holds {file.seeds} seeds of {', '.join(file.diagnostics)}, not these.")
        return file

    @classmethod
    def open(cls, folder: Path, run_id: str) -> "RunFile | None":
        """The file of a run, to read; None while there is none, or one whose maker has not said yet what it holds.

        Raises:
            StoreError: if it is damaged.
        """
        path = path_of(folder, run_id)
        connection = open_to_read(path, MIGRATIONS)
        if connection is None:
            return None
        with told(path):
            if connection.execute("SELECT count(*) FROM shape").fetchone() == (0,):
                connection.close()
                return None
        return cls(path, connection, *_shape(connection, path))

    def take(self, lane: str) -> Checkpoint:
        """Take a lane over: drop what lies beyond its last checkpoint, and return that.

        Raises:
            StoreError: if it could not be written, or the checkpoint is damaged.
        """
        with writing(self._connection, self.path):
            execute = self._connection.execute
            execute("INSERT OR IGNORE INTO lanes VALUES (?, '', 0, ?, NULL)", (lane, _crc(lane, 0, data=b"")))
            execute("UPDATE lanes SET writer = ? WHERE lane = ?", (self._writer, lane))
            query = "SELECT steps, crc, checkpoint FROM lanes WHERE lane = ?"
            steps, crc, data = execute(query, (lane,)).fetchone()
            if _crc(lane, steps, data=data or b"") != crc:
                raise damaged(self.path, f"the checkpoint of {lane} is not what was written")
            execute("DELETE FROM chunks WHERE lane = ? AND first >= ?", (lane, steps))
            looks.drop(self._connection, lane, steps)
        return Checkpoint(steps, data)

    def append(
        self, lane: str, first: int, values: Values, checkpoint: bytes | None = None, look: bytes | None = None
    ) -> None:
        """Add the steps from `first` on and, if there is one, the checkpoint after them; all or nothing.

        Args:
            values: (T, D, S), the diagnostics in the file's order; T may be 0.
            look: at the batch of the last of these steps, see `looks.to_bytes`.

        Raises:
            StoreError: if it could not be written, or somebody else has taken the lane.
            ValueError: if the shape is wrong, or the steps do not follow those that are there.
        """
        data = np.ascontiguousarray(values, "<f4")
        if data.ndim != 3 or data.shape[1:] != (len(self.diagnostics), self.seeds):
            raise ValueError(f"values of shape {data.shape}, not (T, {len(self.diagnostics)}, {self.seeds})")
        if not self.path.exists():  # SQLite would go on writing to what no name leads to any more
            raise StoreError("store", f"{self.path} has been removed while the run went on.")
        with writing(self._connection, self.path):
            execute = self._connection.execute
            if execute("SELECT writer FROM lanes WHERE lane = ?", (lane,)).fetchone() != (self._writer,):
                raise StoreError("store", f"Another worker has taken over {lane} of this run.")
            (there,) = execute(
                "SELECT first + steps FROM chunks WHERE lane = ? ORDER BY first DESC LIMIT 1", (lane,)
            ).fetchone() or (0,)
            if first != there:
                raise ValueError(f"steps from {first}, where {there} are there")
            if len(data):
                blob = data.tobytes()
                row = (lane, first, len(data), _crc(lane, first, len(data), data=blob), blob)
                execute("INSERT INTO chunks (lane, first, steps, crc, data) VALUES (?, ?, ?, ?, ?)", row)
            if look is not None:
                looks.put(self._connection, lane, first + len(data) - 1, look)
            if checkpoint is not None:
                steps = first + len(data)
                changes = (steps, _crc(lane, steps, data=checkpoint), checkpoint, lane)
                execute("UPDATE lanes SET steps = ?, crc = ?, checkpoint = ? WHERE lane = ?", changes)

    def read(self, since: int = 0, lane: str | None = None) -> list[Chunk]:
        """The chunks whose id is above `since`, of one lane or of all, in the order of writing.

        A chunk that begins before the end of an earlier one of its lane replaces everything from its first step on.

        Raises:
            StoreError: if what is there is not what was written.
        """
        where, values = ("", (since,)) if lane is None else ("AND lane = ?", (since, lane))
        query = f"SELECT id, lane, first, steps, crc, data FROM chunks WHERE id > ? {where} ORDER BY id"
        with told(self.path):
            return [self._chunk(*row) for row in self._connection.execute(query, values)]

    def values(self, lane: str) -> Values:
        """Every step of a lane, (T, D, S).

        Raises:
            StoreError: if what is there is not what was written.
        """
        parts, steps = [np.empty((0, len(self.diagnostics), self.seeds), np.float32)], 0
        for chunk in self.read(lane=lane):
            self.check_follows(chunk, steps)
            parts.append(chunk.values)
            steps += len(chunk.values)
        return np.concatenate(parts)

    def looks(self) -> dict[str, tuple[int, ...]]:
        """The steps of each lane whose batches are kept.

        Raises:
            StoreError: if they cannot be read.
        """
        with told(self.path):
            return looks.steps(self._connection)

    def look(self, lane: str, step: int) -> Kept | None:
        """The batch of a step; None if it is not kept.

        Raises:
            StoreError: if what is there is not what was written.
        """
        with told(self.path):
            return looks.get(self._connection, lane, step, partial(damaged, self.path))

    def check_follows(self, chunk: Chunk, steps: int) -> None:
        """Raises StoreError if there is a gap between the first `steps` steps of a lane and a chunk."""
        if chunk.first > steps:
            raise damaged(self.path, f"steps {steps} to {chunk.first - 1} of {chunk.lane} are missing")

    def version(self) -> int:
        """Another number than before if anything may have changed."""
        with told(self.path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def compact(self) -> None:
        """Drop the checkpoints of a run that is done, and give their space back.

        Raises:
            StoreError: if there is no room to do so; nothing is lost then.
        """
        with writing(self._connection, self.path):
            self._connection.execute("UPDATE lanes SET checkpoint = NULL, writer = ''")
        with told(self.path):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> "RunFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _chunk(self, number: int, lane: str, first: int, steps: int, crc: int, data: bytes) -> Chunk:
        shape = (steps, len(self.diagnostics), self.seeds)
        if _crc(lane, first, steps, data=data) != crc or len(data) != 4 * shape[0] * shape[1] * shape[2]:
            raise damaged(self.path, f"steps {first} to {first + steps - 1} of {lane} are not what was written")
        return Chunk(number, lane, first, np.frombuffer(data, "<f4").reshape(shape))


def path_of(folder: Path, run_id: str) -> Path:
    """The file of a run.

    Raises:
        InputError: if that cannot be the id of a run.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", run_id):
        raise InputError("run", f"No run has the id {shown(run_id)}.")
    return folder / home.RUNS / f"{run_id}.db"


def remove(folder: Path, run_id: str) -> bool:
    """Remove the file of a run; False if it cannot be removed now, as when it is open on Windows."""
    path = path_of(folder, run_id)
    with suppress(OSError):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    return not path.exists()


def _shape(connection: sqlite3.Connection, path: Path) -> tuple[tuple[str, ...], int]:
    with told(path):
        names, seeds, crc = connection.execute("SELECT diagnostics, seeds, crc FROM shape").fetchone() or ("", 0, -1)
    if _crc(names, seeds) != crc:
        raise damaged(path, "it does not say what it holds")
    return tuple(json.loads(names)), seeds


def _crc(*facts: object, data: bytes = b"") -> int:
    """A checksum of a row: SQLite notices damage to its own structure, not to what is stored."""
    return zlib.crc32(data if isinstance(data, bytes) else b"", zlib.crc32(repr(facts).encode()))
