"""SQLite as the lab uses it: write-ahead logs, one sentence for whatever goes wrong, and versions of a schema."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tpo_lab.errors import InputError
from tpo_lab.runs import home

PATIENCE_MS = 5_000  # that one process waits for the write of another
Migrations = Sequence[Sequence[str]]  # the statements that lead to version 1, to version 2, ...


class StoreError(InputError):
    """The store could not be read or written; the message says why, in one sentence."""


def open_to_write(path: Path, migrations: Migrations) -> sqlite3.Connection:
    """A connection to the file, made if it is missing and brought to the newest version of its schema.

    Raises:
        StoreError: if it cannot be written, is damaged, or was made by a newer lab.
    """
    with told(path):
        connection = _connect(home.private(path).as_uri() + "?mode=rw")
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last moment, never a file
            _migrate(connection, migrations, path)
        except BaseException:
            connection.close()
            raise
        return connection


def open_to_read(path: Path, migrations: Migrations) -> sqlite3.Connection | None:
    """A connection that cannot write; None while there is no file, or one that nobody has written to yet.

    Raises:
        StoreError: if it is damaged, or of another version of the schema.
    """
    with told(path):
        if not path.exists():
            return None
        connection = _connect(path.as_uri() + "?mode=ro")
        try:
            found = _version(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if Path(f"{path}-wal").exists() or error.sqlite_errorcode not in (sqlite3.SQLITE_CANTOPEN, READONLY_FOLDER):
                raise
            # Where nothing can be written there is no place for a log; without one nobody is writing either.
            connection = _connect(path.as_uri() + "?mode=ro&immutable=1")
            found = _version(connection)
        except BaseException:
            connection.close()
            raise
        if found == len(migrations):
            return connection
        connection.close()
        if found:
            raise _other_version(path, found, len(migrations))
        return None


READONLY_FOLDER = sqlite3.SQLITE_READONLY_DIRECTORY


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """One transaction: all of it, or after an error or a kill nothing.

    Raises:
        StoreError: if it could not be written.
    """
    with told(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk has rolled back by itself
                connection.execute("ROLLBACK")
            raise


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file system as one sentence about the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError("store", _sentence(error, path)) from error
    except OSError as error:
        raise StoreError("store", f"{path} cannot be used: {error.strerror or error}.") from error


def damaged(path: Path, how: str = "") -> StoreError:
    """The error of a file that is not what was written."""
    return StoreError("store", f"{path} is damaged{how and ': '}{how}.")


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=True, timeout=PATIENCE_MS / 1_000, isolation_level=None, check_same_thread=False, cached_statements=64
    )


def _version(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def _migrate(connection: sqlite3.Connection, migrations: Migrations, path: Path) -> None:
    if _version(connection) == len(migrations):
        return
    with writing(connection, path):
        found = _version(connection)  # again: another process may have been faster
        if found > len(migrations):
            raise _other_version(path, found, len(migrations))
        for statements in migrations[found:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _other_version(path: Path, found: int, known: int) -> StoreError:
    if found > known:
        return StoreError("store", f"{path} was made by a newer TPO Lab (version {found} of the file, not {known}).")
    return StoreError("store", f"{path} is of an older TPO Lab and cannot be brought up to date without writing it.")


def _sentence(error: sqlite3.Error, path: Path) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "decode" in str(error):
        return f"{path} is damaged; to go on without it, move it away, and its -wal and -shm if they are there."
    if code == sqlite3.SQLITE_FULL:
        return f"The disk is full: nothing more can be written to {path}."
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"{path} cannot be written: the file or its folder is read-only."
    if code == sqlite3.SQLITE_IOERR:
        return (
            f"{path} cannot be read or written: the disk fails or is gone, or a limit on the size of files is reached."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{path} is in use: another process has been writing to it for {PATIENCE_MS // 1_000} s."
    return f"{path} cannot be used: {error}."
