"""The process that computes lanes: `python -m tpo_lab.runs.worker FOLDER`, spoken to by the lines of `protocol`.

Values and checkpoints go straight into the store in the data folder. It lowers its own priority, loads what was
compiled ahead while it has no lane, and ends when its input ends, so that it cannot outlive who started it.
"""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tpo_lab.runs.manners import be_modest, claim_standard_output
from tpo_lab.runs.process import LAST_WORDS
from tpo_lab.runs.protocol import Message, decode

Key = tuple[str, str]  # run, lane


def main() -> None:
    """Obey standard input until it ends."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end ends this process
    be_modest()
    emit = claim_standard_output()
    inbox = Inbox()
    threading.Thread(target=inbox.fill, args=(sys.stdin.buffer,), daemon=True).start()
    from tpo_lab.runs import warmth  # JAX is loaded here; the end of the input is seen meanwhile
    from tpo_lab.runs.seats import Seats

    warmth.keep_compiled(folder)
    seats = Seats(folder, emit, inbox.halts)
    emit({"is": "ready"})
    to_fetch: list[int] = []
    while not inbox.ended:
        for command in inbox.take(wait=not seats and not to_fetch):
            if command["do"] == "fetch":
                to_fetch.append(command["number"])
            elif command["do"] == "take":
                seats.take((command["id"], command["lane"]), command["kind"], command["config"])
            else:
                seats.leave((command["id"], command["lane"]))
                inbox.forget((command["id"], command["lane"]))
        if seats:
            seats.advance()
        elif to_fetch:
            number = to_fetch.pop(0)
            warmth.fetch(number)
            emit({"is": "fetched", "number": number})
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


if __name__ == "__main__":
    main()
