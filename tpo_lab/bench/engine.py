"""How fast the engine trains here, against the obvious version and against the machine's own matrix products.

Everything is timed in one process, in turns, and the best of several rounds is kept: on a busy machine the ratios hold
where the seconds do not.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import jax
import jax.numpy as jnp

from tpo_lab.bench import obvious
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.training import reversal
from tpo_lab.training.plan import Plan, plan_of

SIDE = 1024  # of the square matrices whose product sets the machine's rate
PRODUCTS = 10
START = """
import time; start = time.perf_counter()
import sys
from pathlib import Path
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.training import lanes, reversal
lanes.keep_compiled(Path(sys.argv[1]))
reversal.warm(ReversalConfig(methods=("tpo",)), "tpo")
print(time.perf_counter() - start)
"""


@dataclass(frozen=True)
class Pace:
    """One setting of the engine, timed.

    Attributes:
        episode_seconds, obvious_seconds: one episode with its epochs, of the engine and of the obvious version.
        times_as_fast: the second over the first.
        of_matrix_rate: the model's own products in one gradient epoch, as a share of the machine's rate.
        compile_seconds, obvious_compile_seconds: tracing and compiling, nothing cached.
    """

    name: str
    episode_seconds: float
    obvious_seconds: float
    times_as_fast: float
    of_matrix_rate: float
    compile_seconds: float
    obvious_compile_seconds: float


def settings() -> dict[str, tuple[ReversalConfig, str]]:
    """What is timed: the terminal lane of Table 3, the per-token lane of Table 1."""
    return {
        "TPO, terminal, H = 10, V = 2": (ReversalConfig(methods=("tpo",)), "tpo"),
        "TPO per token, H = 10, V = 16": (
            ReversalConfig(methods=("tpo_token",), reward="bag", vocabulary=16),
            "tpo_token",
        ),
    }


def products(plan: Plan) -> int:
    """Floating-point operations of the matrix products that one gradient epoch of the model needs."""
    shape, h = plan.shape, plan.shape.length
    written = plan.outputs * (h - 1)
    linear = (h + written) * shape.layers * 12 * shape.width**2 + plan.outputs * h * shape.width * shape.vocabulary
    attention = shape.layers * 2 * shape.width * (h * h + written * (h + h - 1))
    return 3 * 2 * plan.prompts * (linear + attention)


def measure(rounds: int = 5) -> dict[str, Any]:
    """Time everything; a JSON object."""
    key = jax.random.key(0)
    square = jax.random.normal(key, (SIDE, SIDE))
    multiply = jax.jit(lambda a: jax.lax.fori_loop(0, PRODUCTS, lambda _, x: (x @ a) / SIDE, a))
    best_rate = 0.0
    paces = []
    for name, (config, method) in settings().items():
        calls, compile_seconds = _calls(config, method)
        calls["products"] = lambda: multiply(square)
        best = dict.fromkeys(calls, float("inf"))
        for call in calls.values():
            jax.block_until_ready(call())  # type: ignore[no-untyped-call]
        for _ in range(rounds):
            for which, call in calls.items():
                best[which] = min(best[which], _seconds(call))
        rate = 2 * SIDE**3 * PRODUCTS / best["products"]
        best_rate = max(best_rate, rate)
        epoch = (best["five epochs"] - best["one epoch"]) / 4
        paces.append(
            Pace(
                name,
                best["engine"],
                best["obvious"],
                best["obvious"] / best["engine"],
                products(plan_of(config, method)[0]) / epoch / rate,
                *compile_seconds,
            )
        )
    return {
        "matrix_products_per_second": best_rate,
        "paces": [asdict(pace) for pace in paces],
        "first_step_seconds": _first_steps(),
        "devices": [str(device) for device in jax.devices()],
    }


def as_text(result: dict[str, Any]) -> str:
    """The figures as a few lines."""
    lines = [f"Matrix products: {result['matrix_products_per_second'] / 1e9:.0f} GFLOP/s in float32"]
    for p in result["paces"]:
        lines += [
            f"{p['name']}:",
            f"  episode {p['episode_seconds']:.3f} s, {p['times_as_fast']:.1f} times as fast as the obvious version",
            f"  gradient epochs at {100 * p['of_matrix_rate']:.0f} % of the matrix rate",
            f"  compiles in {p['compile_seconds']:.1f} s; the obvious version in {p['obvious_compile_seconds']:.1f} s",
        ]
    cold, warm = result["first_step_seconds"]
    return "\n".join([*lines, f"A process is ready to train in {cold:.1f} s; with the cache on disk in {warm:.1f} s"])


def _calls(config: ReversalConfig, method: str) -> tuple[dict[str, Callable[[], Any]], tuple[float, float]]:
    """What is timed in one setting, compiled, and how long the two compilations took."""
    plan, numbers = plan_of(config, method)
    state = reversal.init(config, method)
    key = jax.random.fold_in(state.key, 0)
    start = time.perf_counter()
    engine = reversal.compiled(plan, numbers, state)
    between = time.perf_counter()
    plain = (
        jax.jit(obvious.episode, static_argnums=0).lower(plan, numbers, state.params, state.optimiser, key).compile()
    )
    end = time.perf_counter()

    def with_epochs(n: int) -> Callable[[], Any]:
        return lambda: engine(numbers._replace(epochs=jnp.int32(n)), state, jnp.int32(1))

    calls = {
        "engine": lambda: engine(numbers, state, jnp.int32(1)),
        "obvious": lambda: plain(numbers, state.params, state.optimiser, key),
        "one epoch": with_epochs(1),
        "five epochs": with_epochs(5),
    }
    return calls, (between - start, end - between)


def _first_steps() -> tuple[float, float]:
    """Seconds until a fresh process is ready to train, with an empty and then with a filled cache on disk."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", START, folder]
        cold, warm = (
            float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(2)
        )
    return cold, warm


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())  # type: ignore[no-untyped-call]
    return time.perf_counter() - start
