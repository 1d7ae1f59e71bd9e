"""The process that computes runs: `python -m tpo_lab.runs.worker`, spoken to by the lines of `protocol`.

It lowers its own priority, compiles the paper's bandit before anybody asks, and ends when its input ends, so that it
cannot outlive the process that started it.
"""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.protocol import Message, decode, encode

NICE = 10
CAPACITY = 50  # steps that one message may hold
CHUNK_SECONDS = 0.02  # of one lane: short, so that the curves advance together and a stop is seen

Emit = Callable[[Message], None]


def main() -> None:
    """Answer the commands on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end ends this process
    if hasattr(os, "nice"):
        os.nice(NICE)
    emit = _claim_standard_output()
    inbox = Inbox()
    threading.Thread(target=inbox.fill, args=(sys.stdin.buffer,), daemon=True).start()
    _warm_up()
    emit({"is": "ready"})
    while True:
        command = inbox.next_run()
        emit({"is": "began", "id": command["id"]})
        try:
            finished = run(BanditConfig.from_mapping(command["config"]), command["id"], emit, inbox.was_stopped)
            emit({"is": "done" if finished else "stopped", "id": command["id"]})
        except Exception as error:  # the run fails, with its reason on the page; the worker goes on
            emit({"is": "failed", "id": command["id"], "reason": f"{type(error).__name__}: {error}"})


def run(config: BanditConfig, run_id: str, emit: Emit, stopped: Callable[[str], bool]) -> bool:
    """Compute every lane of a run, a chunk of each in turn; returns whether it ran to its end."""
    from tpo_lab.tasks import bandit

    states = {method: bandit.init(config) for method in config.methods}
    length, done = 1, 0  # a single step first: of the largest settings one takes seconds
    while done < config.steps:
        length = min(length, config.steps - done)
        began = time.perf_counter()
        for method in config.methods:
            if stopped(run_id):
                return False
            states[method], values = bandit.chunk(config, method, states[method], length, CAPACITY)
            emit({"is": "chunk", "id": run_id, "lane": method, "values": values})
        done += length
        seconds = (time.perf_counter() - began) / len(config.methods)
        length = max(1, min(CAPACITY, 2 * length, round(length * CHUNK_SECONDS / seconds)))
    return True


class Inbox:
    """Commands as they arrive: runs wait in line, stops are known at once, the end of input ends the process."""

    def __init__(self) -> None:
        self._runs: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._stopped: set[str] = set()

    def fill(self, source: BinaryIO) -> None:
        for line in source:
            command = decode(line)
            if command["do"] == "stop":
                self._stopped.add(command["id"])
            else:
                self._runs.put(command)
        os._exit(0)  # also in the middle of a compilation

    def next_run(self) -> Message:
        return self._runs.get()

    def was_stopped(self, run_id: str) -> bool:
        return run_id in self._stopped


def _claim_standard_output() -> Emit:
    """Keep standard output for messages: whatever else prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def emit(message: Message) -> None:
        pipe.write(encode(message))
        pipe.flush()

    return emit


def _warm_up() -> None:
    """Import JAX and compile the default shapes; a run of no steps is enough."""
    from tpo_lab.tasks import bandit

    config = BanditConfig()
    bandit.chunk(config, config.methods[0], bandit.init(config), 0, CAPACITY)


if __name__ == "__main__":
    main()
