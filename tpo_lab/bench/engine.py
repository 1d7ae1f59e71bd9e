"""How fast the engine trains here, against the obvious version and against the machine's own matrix products.

All but the last figures are of one process on one thread, which is how workers train: it is timed in turns, and the
best of several rounds is kept, so that on a busy machine the ratios hold where the seconds do not.
"""

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp

from tpo_lab.bench import obvious, side_by_side
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
from tpo_lab.runs import warmth
from tpo_lab.training import reversal
warmth.keep_compiled(Path(sys.argv[1]))
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


def settings() -> list[tuple[str, ReversalConfig, str]]:
    """What is timed: the terminal lane of Table 3, the per-token lane of Table 1."""
    token = ReversalConfig(methods=("tpo_token",), reward="bag", vocabulary=16)
    return [
        ("TPO, terminal, H = 10, V = 2", ReversalConfig(methods=("tpo",)), "tpo"),
        ("TPO per token, H = 10, V = 16", token, "tpo_token"),
    ]


def products(plan: Plan) -> int:
    """Floating-point operations of the matrix products that one gradient epoch of the model needs."""
    shape, h = plan.shape, plan.shape.length
    written = plan.outputs * (h - 1)
    linear = (h + written) * shape.layers * 12 * shape.width**2 + plan.outputs * h * shape.width * shape.vocabulary
    attention = shape.layers * 2 * shape.width * (h * h + written * (h + h - 1))
    return 3 * 2 * plan.prompts * (linear + attention)


def measure(rounds: int = 3) -> dict[str, Any]:
    """Time everything; a JSON object. Call it before JAX has computed anything: it sets the number of threads."""
    os.environ[side_by_side.THREADS] = "1"
    paces, best_rate = [], 0.0
    for name, config, method in settings():
        pace, rate = _pace(name, config, method, rounds)
        paces.append(pace)
        best_rate = max(best_rate, rate)
    _, config, method = settings()[0]
    with tempfile.TemporaryDirectory() as folder:
        first_steps = _first_steps(folder)
        side = side_by_side.measure(products(plan_of(config, method)[0]), folder)
    return {
        "matrix_products_per_second": best_rate,
        "paces": [asdict(pace) for pace in paces],
        "exponents": _exponents(config, method, rounds),
        "side_by_side": asdict(side),
        "first_step_seconds": first_steps,
        "devices": [str(device) for device in jax.devices()],
    }


def as_text(result: dict[str, Any]) -> str:
    """The figures as a few lines."""
    lines = [f"Matrix products: {result['matrix_products_per_second'] / 1e9:.0f} GFLOP/s in float32 on one thread"]
    for p in result["paces"]:
        lines += [
            f"{p['name']}:",
            f"  episode {p['episode_seconds']:.3f} s, {p['times_as_fast']:.1f} times as fast as the obvious version",
            f"  gradient epochs at {100 * p['of_matrix_rate']:.0f} % of the matrix rate",
            f"  compiles in {p['compile_seconds']:.1f} s; the obvious version in {p['obvious_compile_seconds']:.1f} s",
        ]
    of, side, (cold, warm) = result["exponents"], result["side_by_side"], result["first_step_seconds"]
    return "\n".join(
        [
            *lines,
            f"Seconds of the terminal lane grow as K^{of['K']:.2f}, H^{of['H']:.2f} and S^{of['S']:.2f} (seeds)",
            f"Two lanes at once, a thread each: {side['times_as_fast']:.2f} times as fast as in turn on all threads,",
            f"  gradient epochs at {100 * side['of_matrix_rate']:.0f} % of the matrix rate of all threads; "
            f"one lane on all threads: {100 * side['alone_of_matrix_rate']:.0f} %",
            f"A process is ready to train in {cold:.1f} s; with the cache on disk in {warm:.1f} s",
        ]
    )


def rate_of_products() -> Callable[[], float]:
    """What measures the machine's rate of float32 matrix products, in operations per second; compiled."""
    square = jax.random.normal(jax.random.key(0), (SIDE, SIDE))
    multiply = jax.jit(lambda a: jax.lax.fori_loop(0, PRODUCTS, lambda _, x: (x @ a) / SIDE, a))
    seconds(lambda: multiply(square))
    return lambda: 2 * SIDE**3 * PRODUCTS / seconds(lambda: multiply(square))


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes until its arrays are there."""
    start = time.perf_counter()
    jax.block_until_ready(call())  # type: ignore[no-untyped-call]
    return time.perf_counter() - start


def _pace(name: str, config: ReversalConfig, method: str, rounds: int) -> tuple[Pace, float]:
    """One setting, and the rate of matrix products meanwhile."""
    calls, compile_seconds = _calls(config, method)
    rate_now, rate = rate_of_products(), 0.0
    best = {which: seconds(call) for which, call in calls.items()}
    for _ in range(rounds):
        best = {which: min(best[which], seconds(call)) for which, call in calls.items()}
        rate = max(rate, rate_now())
    epoch = (best["five epochs"] - best["one epoch"]) / 4
    share = products(plan_of(config, method)[0]) / epoch / rate
    faster = best["obvious"] / best["engine"]
    return Pace(name, best["engine"], best["obvious"], faster, share, *compile_seconds), rate


def _exponents(config: ReversalConfig, method: str, rounds: int) -> dict[str, float]:
    """By which power the seconds of an episode grow where K, H or the number of seeds is doubled."""

    def lane(config: ReversalConfig, seeds: int = 1) -> Callable[[], Any]:
        states = [reversal.init(config, method, seed) for seed in range(seeds)]
        return lambda: [reversal.chunk(config, method, state, 1)[0] for state in states]

    lanes = {
        "1": lane(config),
        "K": lane(replace(config, candidates=2 * config.candidates)),
        "H": lane(replace(config, length=2 * config.length)),
        "S": lane(config, seeds=2),
    }
    for call in lanes.values():
        call()
    best = dict.fromkeys(lanes, math.inf)
    for _ in range(rounds):
        best = {which: min(best[which], seconds(call)) for which, call in lanes.items()}
    return {which: math.log2(best[which] / best["1"]) for which in ("K", "H", "S")}


def _calls(config: ReversalConfig, method: str) -> tuple[dict[str, Callable[[], Any]], tuple[float, float]]:
    """What is timed in one setting, compiled, and how long the two compilations took."""
    plan, numbers = plan_of(config, method)
    state = reversal.init(config, method)
    key = jax.random.fold_in(state.key, 0)
    start = time.perf_counter()
    engine = reversal.compiled(plan, numbers, state)
    between = time.perf_counter()
    plain = (
        jax.jit(obvious.episode, static_argnums=(0, 1))
        .lower(plan, method, numbers, state.params, state.optimiser, key)
        .compile()
    )
    end = time.perf_counter()

    def with_epochs(n: int) -> Callable[[], Any]:
        return lambda: engine(numbers._replace(epochs=jnp.int32(n)), state)

    calls = {
        "engine": lambda: engine(numbers, state),
        "obvious": lambda: plain(numbers, state.params, state.optimiser, key),
        "one epoch": with_epochs(1),
        "five epochs": with_epochs(5),
    }
    return calls, (between - start, end - between)


def _first_steps(folder: str) -> tuple[float, float]:
    """Seconds until a fresh process is ready to train, with an empty folder and then with what the first left in it."""
    command = [sys.executable, "-c", START, folder]
    cold, warm = (float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(2))
    return cold, warm
