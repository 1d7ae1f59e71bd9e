"""Who computes a run: a process that holds a lock for as long as it lives.

The operating system drops the lock when the process ends, however it ends, and no clock is asked.
"""

import re
import secrets
import time
from pathlib import Path

from filelock import FileLock, Timeout

from tpo_lab.runs import home
from tpo_lab.runs.database import StoreError

_mine: set[str] = set()
_dead: set[str] = set()  # their names are never used again


class Owner:
    """The lock of this process on its own name.

    Args:
        folder: the data folder.

    Raises:
        StoreError: if the lock cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.id = secrets.token_hex(8)
        self._lock = _lock_of(folder, self.id)
        try:
            home.private(Path(self._lock.lock_file))
            self._lock.acquire()
        except OSError as error:
            raise StoreError("store", f"{folder} cannot be written: {error.strerror or error}.") from error
        _mine.add(self.id)

    def release(self) -> None:
        """Give the lock back: the runs of this owner are nobody's now."""
        _mine.discard(self.id)
        Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()


def alive(folder: Path, owner: str) -> bool:
    """Whether the process of that name still runs."""
    if owner in _mine:
        return True
    if owner in _dead or not re.fullmatch("[0-9a-f]{16}", owner):
        return False
    lock = _lock_of(folder, owner)
    if not Path(lock.lock_file).exists():
        return False
    try:
        with lock:
            Path(lock.lock_file).unlink(missing_ok=True)
    except Timeout:
        time.sleep(0.001)  # it may be the lock of somebody who asks the same and has not yet taken the file away
        return Path(lock.lock_file).exists()
    except OSError:  # nothing can be written here, so nobody computes here
        return False
    _dead.add(owner)
    return False


def _lock_of(folder: Path, owner: str) -> FileLock:
    return FileLock(folder / home.OWNERS / f"{owner}.lock", timeout=0, mode=0o600, thread_local=False)
