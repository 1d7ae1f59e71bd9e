"""The process that computes lanes: `python -m tpo_lab.runs.worker FOLDER`, spoken to by the lines of `protocol`.

Values and checkpoints go straight into the store in the data folder. It lowers its own priority, compiles the live
presets before anybody asks (with `--warm I/N`, beginning with the I-th of N shares), and ends when its input ends, so
that it cannot outlive the process that started it.
"""

import argparse
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tpo_lab.runs.process import LAST_WORDS
from tpo_lab.runs.protocol import Message, decode, encode

NICE = 10

Emit = Callable[[Message], None]
Key = tuple[str, str]  # run, lane


def main() -> None:
    """Obey standard input until it ends."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--warm")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end ends this process
    _be_modest()
    emit = _claim_standard_output()
    inbox = Inbox()
    threading.Thread(target=inbox.fill, args=(sys.stdin.buffer,), daemon=True).start()
    from tpo_lab.runs import warmth  # JAX is loaded here; the end of the input is seen meanwhile
    from tpo_lab.runs.seats import Seats

    warmth.keep_compiled(arguments.folder)
    seats = Seats(arguments.folder, emit, inbox.halts)
    emit({"is": "ready"})
    if arguments.warm:
        index, of = map(int, arguments.warm.split("/"))
        warmth.start(index, of, seats.empty, lambda: emit({"is": "warm"}))
    while not inbox.ended:
        for command in inbox.take(wait=not seats):
            key = (command["id"], command["lane"])
            if command["do"] == "take":
                seats.take(key, command["kind"], command["config"])
            else:
                seats.leave(key)
                inbox.forget(key)
        seats.advance()
    seats.close()
    os._exit(0)


class Inbox:
    """Commands as they arrive. That a lane is to be left is known at once, also in the middle of a chunk."""

    def __init__(self) -> None:
        self._commands: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._leaving: set[Key] = set()
        self.ended = False

    def fill(self, source: BinaryIO) -> None:
        """Read commands until they end; then the process ends soon, whatever it is doing."""
        for line in source:
            command = decode(line)
            if command["do"] == "leave":
                self._leaving.add((command["id"], command["lane"]))
            self._commands.put(command)
        self.ended = True
        self._commands.put(None)
        time.sleep(LAST_WORDS)
        os._exit(0)  # in the middle of a compilation

    def take(self, wait: bool) -> Iterator[Message]:
        """What has arrived; waits for the first of it if there is nothing else to do."""
        with suppress(queue.Empty):
            while (command := self._commands.get(wait)) is not None:
                yield command
                wait = False

    def halts(self, key: Key) -> bool:
        """Whether no more of a lane is to be computed."""
        return self.ended or key in self._leaving

    def forget(self, key: Key) -> None:
        """The lane has been left."""
        self._leaving.discard(key)


def _be_modest() -> None:
    """Let everything else on the machine go first, and if memory runs out, be what the system ends."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def _claim_standard_output() -> Emit:
    """Keep standard output for messages: whatever else prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()

    def emit(message: Message) -> None:
        with lock, suppress(BrokenPipeError):  # nobody listens any more: the input ends too
            pipe.write(encode(message))
            pipe.flush()

    return emit


if __name__ == "__main__":
    main()
