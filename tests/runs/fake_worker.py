"""A worker for tests that computes nothing; the first seed of a run says what happens to it.

0: two chunks, then done.  1: the process dies.  2: it hears nothing, as in a compilation.  3: one chunk, then it waits
for a stop.  4: the run fails.  5: one chunk, then the process dies.  With the argument `broken` it never starts.
"""

import os
import sys
import time
from collections.abc import Iterator

import numpy as np

from tpo_lab.runs.protocol import Message, decode, encode


def say(message: Message) -> None:
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()


def chunk(command: Message, steps: int) -> None:
    for lane in command["config"]["methods"]:
        values = np.full((steps, command["config"]["seeds"]), 0.5, np.float32)
        say({"is": "chunk", "id": command["id"], "lane": lane, "values": {"error": values, "misalignment": values}})


def compute(command: Message, inbox: Iterator[bytes]) -> None:
    run_id = command["id"]
    say({"is": "began", "id": run_id})
    match command["config"]["seed"]:
        case 0:
            chunk(command, 2)
            chunk(command, command["config"]["steps"] - 2)
            say({"is": "done", "id": run_id})
        case 2:
            time.sleep(60)
        case 3:
            chunk(command, 3)
            assert decode(next(inbox)) == {"do": "stop", "id": run_id}
            say({"is": "stopped", "id": run_id})
        case 4:
            say({"is": "failed", "id": run_id, "reason": "FloatingPointError: too hot"})
        case kind:
            if kind == 5:
                chunk(command, 3)
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)


if __name__ == "__main__":
    if "broken" in sys.argv:
        sys.exit("no such module")
    lines = iter(sys.stdin.buffer)
    say({"is": "ready"})
    for line in lines:
        if (command := decode(line))["do"] == "run":
            compute(command, lines)
