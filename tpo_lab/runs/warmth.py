"""What a worker compiles before anybody asks, and where machine code is kept between processes. Loads JAX."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import jax

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.runs.lane import Lane

PAUSE = 0.1  # seconds before each compilation ahead, for a lane to come first
COMPILED = "compiled"


def keep_compiled(folder: Path) -> None:
    """Keep machine code in the data folder, so that the next process need not compile it; before JAX is used."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", str(folder / COMPILED))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]


def live() -> list[tuple[AnyConfig, str]]:
    """What is likely to be run in front of an audience: the page's bandit and every method of the live presets."""
    bandit = BanditConfig()
    presets = [preset.config for preset in PRESETS.values() if preset.name.startswith("live-")]
    return [(bandit, bandit.methods[0])] + [(config, method) for config in presets for method in config.methods]


def start(index: int, of: int, idle: threading.Event, then: Callable[[], None]) -> None:
    """Compile what `live` lists on a thread of its own; it begins nothing while there are lanes.

    Its priority is that of the others: at a lower one, on a busy machine, it would hold the interpreter's lock without
    running, and a lane would wait for it.

    Args:
        index, of: the share that this worker compiles first; what others have compiled it only has to fetch.
        idle: set while there are no lanes.
        then: called at the end.
    """
    threading.Thread(target=_warm_up, args=(index, of, idle, then), daemon=True).start()


def _warm_up(index: int, of: int, idle: threading.Event, then: Callable[[], None]) -> None:
    found = live()
    first, others = found[index::of], [entry for i, entry in enumerate(found) if i % of != index]
    for config, method in first + others:
        time.sleep(PAUSE)
        idle.wait()
        with suppress(Exception):  # whoever runs it is told
            lane = Lane(config, method)
            lane.prepare()
            lane.advance(lambda: not idle.is_set())
    then()
