"""How much memory a run will need, before it is started. Imports no JAX.

Counts the arrays that are as large as a setting makes them; the constants are fitted to what workers were seen to take.
"""

from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig

MB = 1_000_000
WORKER = 400 * MB  # a worker that has compiled something
DIGITS = 250 * MB  # what reads the 8x8 digits, and a compilation larger than the others
MNIST = 600 * MB  # 70,000 images as they are read and as they are used
FLOAT = 4
COPIES = 4  # of the state of a lane: before and after a chunk, and as a checkpoint is put together
CGROUP = Path("/sys/fs/cgroup")


def check(config: AnyConfig, workers: int, started: int = 0) -> None:
    """Refuse a run that the free memory cannot hold.

    Args:
        workers: how many compute at once.
        started: how many of them run already, and have taken what they need to begin with.

    Raises:
        InputError: with the numbers.
    """
    needed, free = of_run(config, workers) - min(started, workers) * WORKER, available()
    if needed > free:
        raise InputError(
            "memory",
            f"This run needs about {_gigabytes(needed)} of memory, and {_gigabytes(free)} are free; "
            "fewer seeds or methods, or smaller batches, need less.",
        )


def of_run(config: AnyConfig, workers: int) -> int:
    """Bytes of all workers together, while they compute the lanes of a run side by side."""
    used = min(workers, len(config.methods))
    steps = sorted((_step(config, method) for method in config.methods), reverse=True)
    return used * WORKER + sum(steps[:used]) + len(config.methods) * COPIES * config.seeds * _state(config)


def available() -> int:
    """Bytes that are free, on the machine and within the limit of a container."""
    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):
        limit, used = (int((CGROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        free = min(free, limit - used)
    return max(free, 0)


def _state(config: AnyConfig) -> int:
    """Bytes that one seed needs to go on: parameters, and two moments of each where there are moments."""
    if isinstance(config, BanditConfig):
        return FLOAT * config.actions
    if isinstance(config, MultiBanditConfig):
        return FLOAT * config.contexts * config.actions
    if isinstance(config, DigitsConfig):
        return 3 * FLOAT * config.hidden * (_pixels(config) + config.hidden + 10)
    d = config.width
    return 3 * FLOAT * d * (12 * d * config.layers + 2 * config.length + 2 * config.vocabulary)


def _step(config: AnyConfig, method: str) -> int:
    """Bytes of the largest arrays within a step of one seed; of 25 seeds at once for the single-context bandit."""
    if isinstance(config, BanditConfig):
        return 25 * FLOAT * (20 * config.actions + 4 * config.samples)
    if isinstance(config, MultiBanditConfig):
        drawn = config.samples if config.update == "sampled" else 0
        return 20 * _state(config) + 7 * FLOAT * config.contexts * drawn
    if isinstance(config, DigitsConfig):
        images = config.prompts + 2_000
        return (MNIST if config.folder else DIGITS) + 8 * FLOAT * images * (_pixels(config) + 2 * config.hidden)
    return _rollouts(config, method)


def _rollouts(config: ReversalConfig, method: str) -> int:
    """Bytes of the keys and values of every layer and token, and of the log-probs of every token."""
    prompts, outputs, _ = config.budget(method)
    tokens = prompts * outputs * config.length
    return FLOAT * tokens * (4 * config.width * config.layers + 6 * config.vocabulary)


def _pixels(config: DigitsConfig) -> int:
    return 784 if config.folder else 64


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
