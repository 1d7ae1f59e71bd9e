"""What is compiled before anybody asks, and the processes that do it, which end at once when there is a run to compute.

They are processes of their own because a thread that compiles keeps all others of its process waiting. Imports no JAX.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.process import Worker
from tpo_lab.runs.protocol import Message
from tpo_lab.training.families import family_of

COMMAND = (sys.executable, "-m", "tpo_lab.runs.warmth")  # and the data folder
# What the pages open on, with the page's bandit. The order keeps two processes busy for the same time.
OPENED = ("live-digits", "live-terminal", "live-why")


def live() -> list[tuple[AnyConfig, str]]:
    """What is likely to be run in front of an audience, the page's bandit and the live presets: each program once.

    What the pages open on comes first, see `opening`.
    """
    names = (*OPENED, *(name for name in PRESETS if name.startswith("live-")))
    found: dict[AnyConfig, tuple[AnyConfig, str]] = {}
    for config in (BanditConfig(), *(PRESETS[name].config for name in names)):
        for program, method in _programs(config):
            found.setdefault(program, (config, method))
    return [*found.values()]


def opening() -> int:
    """How many of them the pages open on."""
    return sum(config in {BanditConfig(), *(PRESETS[name].config for name in OPENED)} for config, _ in live())


def _programs(config: AnyConfig) -> Iterator[tuple[AnyConfig, str]]:
    """The programs of a configuration, each as one that stands for all that share it, and a method that has it."""
    if not isinstance(config, ReversalConfig):  # its methods share theirs, or compile at once
        yield config, config.methods[0]
        return
    for methods in dict.fromkeys(family_of(config, method) for method in config.methods):
        yield replace(config, methods=methods, episodes=1, seeds=1), methods[0]


class Ahead:
    """Has everything of `live` compiled into the cache on disk. Not thread-safe: the service holds its lock.

    Args:
        count: how many processes at once; 0: nothing is compiled ahead.
        folder: the data folder.
        hear, bury: callbacks of `Worker`; what they are told is to come to `hear` and `bury` here.

    Attributes:
        compiled: the numbers of what is done.
    """

    def __init__(
        self,
        count: int,
        folder: Path,
        hear: Callable[[Worker, Message], None],
        bury: Callable[[Worker, str], None],
    ) -> None:
        self.compiled: list[int] = []
        self._count, self._folder, self._callbacks = count, folder, (hear, bury)
        self._at: dict[Worker, int] = {}  # what each process compiles
        self._todo = list(range(len(live()))) if count else []
        self._opening = range(opening())

    @property
    def to_fetch(self) -> Sequence[int]:
        """What workers are to load: nothing until what the pages open on is compiled, as that would take longer."""
        left = {*self._todo, *self._at.values()}
        return [] if left & {*self._opening} else self.compiled

    def go_on(self) -> None:
        """Compile what is left, unless that is under way."""
        if not self._at:
            for _ in range(min(self._count, len(self._todo))):
                self._next(Worker((*COMMAND, str(self._folder)), *self._callbacks))

    def give_way(self) -> None:
        """End the processes at once; what they were compiling has to begin again."""
        for worker in self._at:
            worker.kill()
        self._todo = sorted([*self._todo, *self._at.values()])
        self._at = {}

    def hear(self, worker: Worker, message: Message) -> None:
        """A process has compiled something, and goes on with the next."""
        if worker in self._at and message["is"] == "compiled":
            self.compiled.append(self._at.pop(worker))
            self._next(worker)

    def bury(self, worker: Worker) -> None:
        """A process has ended; what it had not compiled is left to whoever runs it."""
        self._at.pop(worker, None)

    def _next(self, worker: Worker) -> None:
        if not self._todo:
            worker.dismiss()
            return
        self._at[worker] = self._todo.pop(0)
        worker.send({"do": "compile", "number": self._at[worker]})
