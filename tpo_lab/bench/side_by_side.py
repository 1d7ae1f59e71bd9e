"""Two lanes on two processes of one thread each, against one lane after the other on all threads.

Run as a module it is one of the processes: it gets ready, waits for a line, trains, and prints what it timed.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

THREADS = "PJRT_NPROC"  # how many threads XLA computes on
EPOCHS = 12


@dataclass(frozen=True)
class Lane:
    """What one process timed: seconds of an episode and of a gradient epoch, and its rate of matrix products."""

    episode: float
    epoch: float
    rate: float


@dataclass(frozen=True)
class SideBySide:
    """The comparison.

    Attributes:
        times_as_fast: two lanes side by side against one after the other, the same episodes.
        of_matrix_rate: the model's own products in gradient epochs, both lanes together, as a share of the machine's
            rate on all threads; and of one lane on all threads.
    """

    times_as_fast: float
    of_matrix_rate: float
    alone_of_matrix_rate: float


def measure(products: int, folder: str) -> SideBySide:
    """Time both ways; `products` are the operations of one gradient epoch, `folder` keeps compiled programs."""
    cache = {"JAX_COMPILATION_CACHE_DIR": folder}
    (alone,) = _together([cache])
    pair = _together([cache | {THREADS: "1"}] * 2)
    return SideBySide(
        times_as_fast=2 * alone.episode / max(lane.episode for lane in pair),
        of_matrix_rate=sum(products / lane.epoch for lane in pair) / alone.rate,
        alone_of_matrix_rate=products / alone.epoch / alone.rate,
    )


def _together(environments: list[dict[str, str]]) -> list[Lane]:
    """Processes that start training at one time, each with its own variables of the environment."""
    usual = {name: value for name, value in os.environ.items() if name != THREADS}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**usual, **environment},
        )
        for environment in environments
    ]
    try:
        for process in processes:
            assert process.stdout
            process.stdout.readline()
        for process in processes:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=60)[0] for process in processes]
        return [Lane(**json.loads(answer)) for answer in answers]
    finally:
        for process in processes:
            process.kill()


def _train() -> None:
    import jax.numpy as jnp

    from tpo_lab.bench.engine import rate_of_products, seconds, settings
    from tpo_lab.training import reversal
    from tpo_lab.training.plan import plan_of

    config, method = settings()[0][1:]
    plan, numbers = plan_of(config, method)
    state = reversal.init(config, method)
    run = reversal.compiled(plan, numbers, state)
    products = rate_of_products()

    def once(epochs: int) -> float:
        return seconds(lambda: run(numbers._replace(epochs=jnp.int32(epochs)), state))

    once(1)
    products()
    print("ready", flush=True)
    sys.stdin.readline()
    found = [(once(1), once(4), once(EPOCHS)) for _ in range(3)]
    one, four, many = (min(column) for column in zip(*found, strict=True))
    print(
        json.dumps({"episode": four, "epoch": (many - one) / (EPOCHS - 1), "rate": max(products() for _ in range(3))})
    )


if __name__ == "__main__":
    _train()
