"""How every process behaves that computes in the background."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tpo_lab.runs.protocol import Message, encode

NICE = 10

Emit = Callable[[Message], None]


def be_modest() -> None:
    """Let everything else on the machine go first, and if memory runs out, be what the system ends."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def stand_back() -> None:
    """Be modest, and compute only while the machine has nothing else to do, where its system knows such a thing."""
    be_modest()
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def claim_standard_output() -> Emit:
    """Keep standard output for messages: whatever else prints goes to standard error."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()

    def emit(message: Message) -> None:
        with lock, suppress(BrokenPipeError):  # nobody listens any more: the input ends too
            pipe.write(encode(message))
            pipe.flush()

    return emit
