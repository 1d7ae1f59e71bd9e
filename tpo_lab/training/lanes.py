"""A whole run: every seed of every method, one after the other, keeping what is done when it is stopped.

A lane is one (method, seed). Seeds go round in the outer loop, so that a run that is stopped compares its methods on
the same seeds.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.tasks import bandit, multi_bandit
from tpo_lab.training import digits, reversal

Record = dict[str, npt.NDArray[np.float32]]
AnyConfig = BanditConfig | ReversalConfig | MultiBanditConfig | DigitsConfig


class _OneSeedOfABandit:
    """The bandit, which computes seeds by the block, as a task of one seed."""

    CHUNK = 150
    DIAGNOSTICS = bandit.DIAGNOSTICS
    SHOWS_DIVERGENCE = "error"

    @staticmethod
    def init(config: BanditConfig, method: str, seed: int) -> bandit.State:  # noqa: ARG004
        return bandit.init(config, seed, 1)

    @classmethod
    def chunk(cls, config: BanditConfig, method: str, state: bandit.State, n: int) -> tuple[bandit.State, Record]:
        state, record = bandit.chunk(config, method, state, n, cls.CHUNK)
        return state, {name: values[:, 0] for name, values in record.items()}

    @classmethod
    def warm(cls, config: BanditConfig, method: str) -> None:
        cls.chunk(config, method, bandit.init(config, 0, 1), 0)


# What trains a configuration: a module with init, chunk, warm, CHUNK, DIAGNOSTICS and SHOWS_DIVERGENCE.
TASKS: dict[type, Any] = {
    BanditConfig: _OneSeedOfABandit,
    ReversalConfig: reversal,
    MultiBanditConfig: multi_bandit,
    DigitsConfig: digits,
}


@dataclass(frozen=True)
class Lane:
    """What one seed of one method left behind.

    Attributes:
        record: each diagnostic of the task, (episodes done,) float32.
        seconds: of training, without compilation.
        compile_seconds: until this method could start; 0 but for its first seed.
        diverged_at: the first episode at which the policy was no longer finite, or None.
    """

    method: str
    seed: int
    record: Record
    seconds: float
    compile_seconds: float
    diverged_at: int | None

    @property
    def episodes(self) -> int:
        """Episodes done."""
        return len(self.record["error"])


@dataclass(frozen=True)
class Progress:
    """Where a run is: the lane that is running, its error so far, and the share of all episodes done."""

    method: str
    seed: int
    error: float
    share: float


def run(config: AnyConfig, report: Callable[[Progress], None] = lambda _: None) -> Iterator[Lane]:
    """Train every lane of the configuration; yields each when it ends.

    On KeyboardInterrupt the lane that was running is yielded as far as it came, and the run ends.

    Args:
        report: called after every chunk.
    """
    task = TASKS[type(config)]
    compiled: dict[str, float] = {}
    total, done = config.seeds * len(config.methods) * config.episodes, 0
    for seed in range(config.seeds):
        for method in config.methods:
            parts: list[Record] = []
            error = np.nan  # the digits are tested now and then
            first = method not in compiled
            seconds = 0.0
            try:
                if first:
                    compiled[method] = _timed(task.warm, config, method)[1]
                state: Any = task.init(config, method, seed)
                left = config.episodes
                while left > 0:
                    n = min(left, task.CHUNK)
                    (state, part), took = _timed(task.chunk, config, method, state, n)
                    parts, left, done, seconds = [*parts, part], left - n, done + n, seconds + took
                    known = part["error"][~np.isnan(part["error"])]
                    error = float(known[-1]) if known.size else error
                    report(Progress(method, seed, error, done / total))
            except KeyboardInterrupt:
                if parts:
                    yield _lane(task, method, seed, parts, seconds, compiled[method] if first else 0.0)
                return
            yield _lane(task, method, seed, parts, seconds, compiled[method] if first else 0.0)


def keep_compiled(folder: Path) -> None:
    """Keep machine code on disk, so that the next process need not compile it; before the first use of JAX."""
    jax.config.update("jax_compilation_cache_dir", str(folder))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)  # type: ignore[no-untyped-call]


def _lane(task: Any, method: str, seed: int, parts: list[Record], seconds: float, compile_seconds: float) -> Lane:
    record = {name: np.concatenate([part[name] for part in parts]) for name in task.DIAGNOSTICS}
    broken = np.flatnonzero(~np.isfinite(record[task.SHOWS_DIVERGENCE]))
    return Lane(method, seed, record, seconds, compile_seconds, int(broken[0]) if broken.size else None)


def _timed(call: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call(*args)
    return result, time.perf_counter() - start
