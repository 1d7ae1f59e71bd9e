"""A worker process seen from its owner: lines in, messages out, and one last word when it ends."""

import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import IO

from tpo_lab.runs.protocol import Message, decode, encode
from tpo_lab.runs.shortage import of_memory

COMMAND = (sys.executable, "-m", "tpo_lab.runs.worker")  # and the data folder
LAST_WORDS = 2.0  # seconds that a worker has to write checkpoints in, after the end of its input
# One thread of computation a worker: the rest of the machine is for the pages. Nobody's GPU is probed or reserved.
ENVIRONMENT = {"JAX_PLATFORMS": "cpu", "PJRT_NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Worker:
    """One child process, started at once.

    Args:
        command: the program and its arguments.
        on_message: called with (worker, message) for each message, on a thread of the worker.
        on_end: called with (worker, reason) once, after the last message, on the same thread.
    """

    def __init__(
        self,
        command: Sequence[str],
        on_message: Callable[["Worker", Message], None],
        on_end: Callable[["Worker", str], None],
    ) -> None:
        self._on_message, self._on_end = on_message, on_end
        self._last_words: deque[str] = deque(maxlen=20)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._stdin = self._process.stdin
        errors = threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True)
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout, errors), daemon=True)
        errors.start()
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message) -> None:
        """Write one message; a worker that has ended does not hear it, and says so through `on_end`."""
        with suppress(BrokenPipeError, ValueError):  # ended, or its input was closed
            self._stdin.write(encode(message))
            self._stdin.flush()

    def dismiss(self) -> None:
        """Ask the process to end, by ending its input."""
        with suppress(BrokenPipeError):
            self._stdin.close()

    def kill(self) -> None:
        """End the process now."""
        self._process.kill()

    def join(self, seconds: float) -> None:
        """Wait until the process and its threads have ended, but not longer than that."""
        if threading.current_thread() is not self._reader:
            self._reader.join(timeout=seconds)

    def _read(self, source: IO[bytes], errors: threading.Thread) -> None:
        with source:
            for line in source:
                try:
                    message = decode(line)
                except ValueError:  # a line cut off by the end of the process
                    break
                self._on_message(self, message)
        self._process.kill()  # a process without output is of no use
        code = self._process.wait()
        errors.join(timeout=1)
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._on_end(self, self._reason(code))

    def _read_errors(self, source: IO[bytes]) -> None:
        with source:
            for line in source:
                self._last_words.append(line.decode(errors="replace").rstrip())

    def _reason(self, code: int) -> str:
        if code == -9:
            return "The worker process was killed; the machine may have run out of memory."
        if shortage := of_memory("\n".join(self._last_words)):
            return shortage
        last = next((line for line in reversed(self._last_words) if line.strip()), "")
        return f"The worker process ended with code {code}." + (f" It printed: {last}" if last else "")


def end(workers: Iterable[Worker]) -> None:
    """Wait until workers that were dismissed have ended; those that take too long are killed."""
    last = time.monotonic() + LAST_WORDS
    for worker in workers:
        worker.join(max(0.0, last - time.monotonic()))
        worker.kill()
        worker.join(1.0)
