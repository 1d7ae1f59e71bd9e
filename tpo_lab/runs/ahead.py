"""What is compiled before anybody asks, and the processes that do it, which end at once when there is a run to compute.

They are processes of their own because a thread that compiles keeps all others of its process waiting. Imports no JAX.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.process import Worker
from tpo_lab.runs.protocol import Message
from tpo_lab.training.families import family_of

COMMAND = (sys.executable, "-m", "tpo_lab.runs.warmth")  # and the data folder, and numbers of `live`


def live() -> list[tuple[AnyConfig, str]]:
    """What is likely to be run in front of an audience, the page's bandit and the live presets: each program once.

    What a page opens with, the first of each kind, comes first.
    """
    configs = [BanditConfig(), *(preset.config for preset in PRESETS.values() if preset.name.startswith("live-"))]
    opens = {type(config): config for config in reversed(configs)}
    configs.sort(key=lambda config: config is not opens[type(config)])
    return [(config, methods[0]) for config in configs for methods in _programs(config)]


def _programs(config: AnyConfig) -> list[tuple[str, ...]]:
    """The methods of a configuration, those together that share their machine code."""
    if isinstance(config, ReversalConfig):
        return [*dict.fromkeys(family_of(config, method) for method in config.methods)]
    return [config.methods]  # they share theirs, or compile at once


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
        self._left: dict[Worker, list[int]] = {}
        self._todo = list(range(len(live()))) if count else []

    @property
    def done(self) -> bool:
        """Whether there is nothing left to compile."""
        return not self._todo and not self._left

    def go_on(self) -> None:
        """Compile what is left, unless that is under way."""
        if not self._left and self._todo:
            shares = [self._todo[place :: self._count] for place in range(self._count)]
            for share in filter(None, shares):
                command = (*COMMAND, str(self._folder), *map(str, share))
                self._left[Worker(command, *self._callbacks)] = share
            self._todo = []

    def give_way(self) -> None:
        """End the processes at once; what they were compiling has to begin again."""
        for worker in self._left:
            worker.kill()
        self._todo = sorted(self._todo + [number for share in self._left.values() for number in share])
        self._left = {}

    def hear(self, worker: Worker, message: Message) -> None:
        """A process has compiled something."""
        if worker in self._left and message["is"] == "compiled":
            self._left[worker].remove(message["number"])
            self.compiled.append(message["number"])

    def bury(self, worker: Worker) -> None:
        """A process has ended; what it had not compiled is left to whoever runs it."""
        self._left.pop(worker, None)
