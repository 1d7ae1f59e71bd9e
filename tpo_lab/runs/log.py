"""The lab's log, `lab.log` in the data folder: one line per event, rotated, shared by every process of the lab."""

import logging
import os
import time
from collections import deque
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from filelock import FileLock

NAME = "lab.log"
BYTES, KEPT = 1_000_000, 3  # of one file; files besides the newest
_LOGGER = logging.getLogger("tpo_lab.runs")


def start(folder: Path) -> None:
    """Write the events of this process to the folder's log; where nothing can be written they are dropped."""
    stop()
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.propagate = False
    _LOGGER.addHandler(_Shared(folder))


def stop() -> None:
    """Write no more."""
    for handler in _LOGGER.handlers[:]:
        _LOGGER.removeHandler(handler)
        handler.close()


def event(what: str, run: str = "", lane: str = "", **facts: object) -> None:
    """Note an event on one line: when, by which process, of which run and lane, what happened, and facts by name."""
    words = [run or "-", lane or "-", what, *(f"{name}={value}" for name, value in facts.items())]
    _LOGGER.info("%s", " ".join(words).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"))


def last_lines(folder: Path, run: str, count: int = 20) -> list[str]:
    """The last lines about a run, the newest last."""
    found: deque[str] = deque(maxlen=count)
    for number in range(KEPT, -1, -1):
        with suppress(OSError):
            text = (folder / (f"{NAME}.{number}" if number else NAME)).read_text(errors="replace")
            found.extend(line for line in text.splitlines() if line.split(" ", 3)[2:3] == [run])
    return list(found)


class _Shared(RotatingFileHandler):
    """A rotated file that several processes append to: who writes holds a lock and sees whether another has rotated."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
        self._folder = folder
        self._between = FileLock(folder / f"{NAME}.lock", timeout=1, mode=0o600, poll_interval=0.002)
        self.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03dZ %(process)d %(message)s", "%Y-%m-%dT%H:%M:%S"))
        assert self.formatter
        self.formatter.converter = time.gmtime

    def emit(self, record: logging.LogRecord) -> None:
        if not self._folder.is_dir():  # deleted while the lab runs: the lock would make it anew, open to all
            return
        with suppress(OSError, TimeoutError), self._between:
            if self.stream and not self._is_open(self.stream):
                self.stream.close()
                self.stream = None
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """A log that cannot be written stops nothing."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")

    def _is_open(self, stream: TextIOWrapper) -> bool:
        """Whether the stream is still the file of that name."""
        try:
            return os.path.samestat(os.fstat(stream.fileno()), os.stat(self.baseFilename))
        except OSError:
            return False
