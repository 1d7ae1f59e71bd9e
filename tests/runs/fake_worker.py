"""A worker for tests that computes nothing; the first seed of a run says what happens to each of its lanes.

0: two chunks, then done.  1: the process dies.  2: it hears nothing, as in a compilation.  3: one chunk, then it waits
to be told to leave.  4: the lane fails.  5: one chunk with a checkpoint, then the process dies.  With the argument
`broken` it never starts; with `ahead` it compiles one thing ahead and then takes its time.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

from tpo_lab.experiments.kinds import config_from, steps_of
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.protocol import Message, decode, encode

DIAGNOSTICS = ("error", "misalignment")


def say(message: Message) -> None:
    sys.stdout.buffer.write(encode(message))
    sys.stdout.buffer.flush()


class Lane:
    """One lane of a run, and the file that its values go to."""

    def __init__(self, folder: Path, command: Message) -> None:
        self.key = {"id": command["id"], "lane": command["lane"]}
        self.config = config_from(command["kind"], command["config"])
        self.file = RunFile.create(folder, command["id"], DIAGNOSTICS, self.config.seeds)
        self.done = self.file.take(command["lane"]).steps

    def say(self, what: str, **facts: object) -> None:
        say({"is": what, **self.key, **facts})

    def chunk(self, steps: int) -> None:
        """Write steps with a checkpoint, and say so."""
        values = np.full((steps, len(DIAGNOSTICS), self.config.seeds), 0.5, np.float32)
        self.file.append(self.key["lane"], self.done, values, b"all")
        self.done += steps
        self.say("at", steps=self.done, seconds=0.1, compile_seconds=0.1, rate=10.0, diverged=[[1, 2]])

    def leave(self, how: str, **facts: object) -> None:
        self.file.close()
        self.say(how, **facts)


def compute(lane: Lane) -> bool:
    """Play what the first seed says; returns whether the lane stays."""
    lane.say("on")
    match lane.config.seed:
        case 0:
            lane.chunk(2)
            lane.chunk(steps_of(lane.config) - lane.done)
            lane.leave("done")
            return False
        case 2:
            time.sleep(60)
        case 3:
            if not lane.done:
                lane.chunk(3)
        case 4:
            lane.leave("failed", reason="FloatingPointError: too hot")
            return False
        case kind:
            if kind == 5:
                lane.chunk(1)
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(3)
    return True


def main() -> None:
    lanes: dict[tuple[str, str], Lane] = {}
    say({"is": "ready"})
    for line in sys.stdin.buffer:
        command = decode(line)
        if command["do"] == "fetch":
            say({"is": "fetched", "number": command["number"]})
            continue
        key = (command["id"], command["lane"])
        if command["do"] == "take":
            lane = Lane(Path(sys.argv[-1]), command)
            if compute(lane):
                lanes[key] = lane
        elif key in lanes:
            lanes.pop(key).leave("left")


if __name__ == "__main__":
    if "ahead" in sys.argv:
        say({"is": "compiled", "number": decode(sys.stdin.buffer.readline())["number"]})
        time.sleep(60)
    if "broken" in sys.argv:
        sys.exit("no such module")
    main()
