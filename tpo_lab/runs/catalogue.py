"""The list of all runs: what they are, how far they are and what is wanted of them. One SQLite file, `catalogue.db`.

Every process has its own `Catalogue` of the same file; what one writes the others read at once. Thread-safe.
"""

import json
import math
import secrets
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.kinds import AnyConfig, kind_of, steps_of
from tpo_lab.runs import curves, owner, rows
from tpo_lab.runs.database import StoreError, damaged, open_to_read, open_to_write, told, writing
from tpo_lab.runs.facts import host, versions
from tpo_lab.runs.rows import FINISHED, RunRow, Status, Wanted

MIGRATIONS = (
    (
        """CREATE TABLE runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
            preset TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'queued', wanted TEXT NOT NULL DEFAULT 'run',
            owner TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', pinned INTEGER NOT NULL DEFAULT 0,
            deleted REAL, created REAL NOT NULL, began REAL, ended REAL, seconds REAL NOT NULL DEFAULT 0,
            reason TEXT NOT NULL DEFAULT '', config TEXT NOT NULL, versions TEXT NOT NULL, host TEXT NOT NULL)""",
        "CREATE INDEX runs_owner ON runs (owner)",
        """CREATE TABLE lanes (
            run INTEGER NOT NULL REFERENCES runs (number), place INTEGER NOT NULL, method TEXT NOT NULL,
            status TEXT NOT NULL DEFAULT 'queued', steps INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL,
            seconds REAL NOT NULL DEFAULT 0, compile_seconds REAL NOT NULL DEFAULT 0, rate REAL NOT NULL DEFAULT 0,
            diverged TEXT NOT NULL DEFAULT '{}', reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (run, place)) WITHOUT ROWID""",
    ),
)
LANE_CHANGES = frozenset(rows.LANE_COLUMNS.split(", ")) - {"method", "total"}
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # of ids: one case, nothing that looks like something else
LONGEST = {"name": 100, "note": 10_000}


class Catalogue:
    """The runs of one data folder.

    Args:
        folder: the data folder, see `tpo_lab.runs.home`.

    Raises (every method): StoreError, one sentence, if the file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "catalogue.db"
        # Reading has a connection of its own, so that a page never waits for a write.
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._reading, self._writing = threading.RLock(), threading.RLock()

    def add(self, config: AnyConfig, preset: str = "", name: str = "", owner_id: str = "") -> str:
        """Put a run in line and return its id."""
        name = _text("name", name)
        run_id = "".join(secrets.choice(ALPHABET) for _ in range(8))
        columns = {
            "id": run_id,
            "kind": kind_of(config),
            "preset": preset,
            "owner": owner_id,
            "name": name,
            "created": time.time(),
            "config": config.to_json(),
            "versions": json.dumps(versions()),
            "host": json.dumps(host()),
        }
        with self._writing, writing(self._open_writer(), self.path):
            write = self._open_writer().execute
            marks = ", ".join("?" * len(columns))
            number = write(f"INSERT INTO runs ({', '.join(columns)}) VALUES ({marks})", (*columns.values(),)).lastrowid
            for place, method in enumerate(config.methods):
                lane = (number, place, method, steps_of(config))
                write("INSERT INTO lanes (run, place, method, total) VALUES (?, ?, ?, ?)", lane)
        return run_id

    def get(self, run_id: str) -> RunRow:
        """One run.

        Raises:
            InputError: if there is no such run (any more).
        """
        found = self._rows("WHERE id = ?", (run_id,))
        if not found:
            raise _unknown(run_id)
        return found[0]

    def list(self, deleted: bool = False, most: int = -1) -> tuple[RunRow, ...]:
        """Every run that is deleted, or is not, or the latest `most` of them; the newest first."""
        return self._rows(f"WHERE deleted IS {'NOT NULL' if deleted else 'NULL'} ORDER BY number DESC LIMIT ?", (most,))

    def version(self) -> int:
        """Another number than before if anything may have changed."""
        with self._reading, told(self.path):
            connection = self._open_reader()
            return int(connection.execute("PRAGMA data_version").fetchone()[0]) if connection else 0

    def wanted(self, owner_id: str) -> dict[str, Wanted]:
        """What is wanted of the runs of an owner that have not ended."""
        with self._reading, told(self.path):
            connection = self._open_reader()
            query = "SELECT id, wanted FROM runs WHERE owner = ? AND status IN ('queued', 'running', 'paused')"
            return dict(connection.execute(query, (owner_id,))) if connection else {}

    def want(self, run_id: str, wanted: Wanted) -> bool:
        """Ask the owner of a run for something; returns whether there is an owner who will hear it.

        A run that was paused by a process that is gone can be stopped nevertheless: there is nothing to wait for.
        """
        row = self.get(run_id)
        if row.finished or not owner.alive(self.folder, row.owner):
            if (row.status, wanted) == ("paused", "stop"):
                self.set_run(run_id, "stopped")
            return False
        self._update(run_id, wanted=wanted)
        return True

    def claim(self, run_id: str, owner_id: str) -> bool:
        """Become the owner of a run that nobody computes, to put it in line again; False if another one has it."""
        with self._writing, writing(self._open_writer(), self.path):
            execute = self._open_writer().execute
            found = execute("SELECT status, owner FROM runs WHERE id = ? AND deleted IS NULL", (run_id,)).fetchone()
            if not found:
                raise _unknown(run_id)
            status, current = found
            free = status in ("stopped", "failed") or current == owner_id or not owner.alive(self.folder, current)
            if status == "done" or not free:
                return False
            execute(
                "UPDATE runs SET owner = ?, status = 'queued', wanted = 'run', reason = '', ended = NULL WHERE id = ?",
                (owner_id, run_id),
            )
            return True

    def set_run(self, run_id: str, status: Status, reason: str = "", seconds: float | None = None) -> None:
        """Say how a run is; the first time that it runs and the time that it ends are noted."""
        self._write(
            "UPDATE runs SET status = ?, reason = ?, seconds = COALESCE(?, seconds), began = COALESCE(began, ?), "
            "ended = ? WHERE id = ?",
            (
                status,
                reason,
                seconds,
                time.time() if status == "running" else None,
                time.time() if status in FINISHED else None,
                run_id,
            ),
        )

    def set_lane(self, run_id: str, method: str, **changes: Any) -> None:
        """Change columns of a lane: status, steps, seconds, compile_seconds, rate, diverged, reason, attempts."""
        if not changes:
            return
        if unknown := changes.keys() - LANE_CHANGES:
            raise InputError("lane", f"Unknown lane columns: {', '.join(sorted(unknown))}.")
        if "diverged" in changes:
            changes["diverged"] = json.dumps(changes["diverged"])
        columns = ", ".join(f"{name} = ?" for name in changes)
        self._write(
            f"UPDATE lanes SET {columns} WHERE method = ? AND run = (SELECT number FROM runs WHERE id = ?)",
            (*changes.values(), method, run_id),
        )

    def rename(self, run_id: str, name: str) -> None:
        """Give a run a name."""
        self._update(run_id, name=_text("name", name))

    def note(self, run_id: str, note: str) -> None:
        """Keep a note with a run."""
        self._update(run_id, note=_text("note", note))

    def pin(self, run_id: str, pinned: bool) -> None:
        """Pin a run, or no longer."""
        self._update(run_id, pinned=int(pinned))

    def delete(self, run_id: str) -> None:
        """Take a run off the list; it ends, and can come back until it is purged."""
        self._update(run_id, deleted=time.time(), wanted="stop")

    def undelete(self, run_id: str) -> None:
        """Put a deleted run back on the list."""
        self._update(run_id, deleted=None)

    def purge(self, older: float = 0.0, only: str = "") -> tuple[str, ...]:
        """Remove for good what was deleted at least `older` seconds ago and has ended; returns the ids.

        Args:
            only: one run, and no other.
        """
        limit = time.time() - older if older else math.inf  # whatever the clock has done since
        found = self._rows("WHERE deleted <= ?", (limit,))
        found = tuple(row for row in found if row.finished and only in ("", row.id))
        gone = tuple(row.id for row in found if curves.remove(self.folder, row.id))
        for run_id in gone:
            self._write("DELETE FROM lanes WHERE run = (SELECT number FROM runs WHERE id = ?)", (run_id,))
            self._write("DELETE FROM runs WHERE id = ?", (run_id,))
        return gone

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._reading, self._writing:
            for connection in (self._reader, self._writer):
                if connection:
                    connection.close()
            self._reader = self._writer = None

    def _update(self, run_id: str, **changes: Any) -> None:
        columns = ", ".join(f"{name} = ?" for name in changes)
        if not self._write(f"UPDATE runs SET {columns} WHERE id = ?", (*changes.values(), run_id)):
            raise _unknown(run_id)

    def _write(self, statement: str, values: tuple[Any, ...]) -> int:
        with self._writing, writing(self._open_writer(), self.path):
            return self._open_writer().execute(statement, values).rowcount

    def _rows(self, where: str, values: tuple[Any, ...] = ()) -> tuple[RunRow, ...]:
        with self._reading, told(self.path):
            connection = self._open_reader()
            if connection is None:
                return ()
            connection.execute("BEGIN")  # both queries see the same moment
            try:
                runs = connection.execute(f"SELECT {rows.RUN_COLUMNS} FROM runs {where}", values).fetchall()
                chosen = f"WHERE run IN (SELECT number FROM runs {where})"
                query = f"SELECT run, {rows.LANE_COLUMNS} FROM lanes {chosen} ORDER BY run, place"
                lanes = rows.lanes(connection.execute(query, values))
            finally:
                connection.execute("COMMIT")
        alive = {row[rows.OWNER]: True for row in runs if row[rows.STATUS] in ("queued", "running")}
        alive = {name: owner.alive(self.folder, name) for name in alive}
        try:
            return tuple(rows.run(row, lanes.get(row[0], ()), alive) for row in runs)
        except (TypeError, ValueError):
            raise damaged(self.path) from None

    def _open_reader(self) -> sqlite3.Connection | None:
        if self._reader is None:
            with suppress(StoreError):  # makes the file, or brings it up to date, where that is possible
                self._open_writer()
            self._reader = open_to_read(self.path, MIGRATIONS)
        return self._reader

    def _open_writer(self) -> sqlite3.Connection:
        with self._writing:
            if self._writer is None:
                self._writer = open_to_write(self.path, MIGRATIONS)
            return self._writer


def _unknown(run_id: str) -> InputError:
    return InputError("run", f"This run is not here any more, or never was: {shown(run_id)}.")


def _text(field: str, text: str) -> str:
    if len(text) > LONGEST[field] or "\0" in text:
        raise InputError(field, f"A {field} has at most {LONGEST[field]:,} characters; this one has {len(text):,}.")
    return text.strip()
