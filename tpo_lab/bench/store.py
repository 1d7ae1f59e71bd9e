"""How fast the store of runs answers here, in a folder of its own that is removed afterwards."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.reader import Reader

CONFIG = ReversalConfig(methods=("tpo", "grpo", "ppo", "dg", "grpo_no_kl"))
DIAGNOSTICS = tuple(f"diagnostic {d}" for d in range(12))
LOOKED_AT = DIAGNOSTICS[:2]  # what a page draws of them
CHUNK = 50  # steps
RUNS_LISTED = 1_000
ROUNDS = 9
TICK = 0.3  # seconds between two looks of a page
TICKS = 20
PACE = 0.05  # seconds between two rounds of chunks of a live run
STATE = bytes(1_000_000)


@dataclass(frozen=True)
class StoreTimes:
    """Medians of the store.

    Attributes:
        open_ms: a run of 5 methods, 20 seeds, 2,000 episodes and 12 diagnostics, with its statistics over seeds.
        list_ms: the list of 1,000 runs of 5 methods, by a process that has just come.
        list_again_ms: the same by one that has the file open.
        configurations_ms: what all their configurations take in addition, the first time that they are asked for.
        append_ms: one chunk with a checkpoint of a megabyte.
        poll_percent: of a core, for looking at two diagnostics of a live run of that size every 0.3 s.
        idle_poll_percent: the same while it pauses.
        command_poll_percent: of a core, for an owner's look every 0.1 s at what is wanted.
    """

    open_ms: float
    list_ms: float
    list_again_ms: float
    configurations_ms: float
    append_ms: float
    poll_percent: float
    idle_poll_percent: float
    command_poll_percent: float

    def as_text(self) -> str:
        """One line per figure."""
        return "\n".join(
            (
                f"open a run of 5 x 20 x 2,000 x 12   {self.open_ms:6.1f} ms",
                f"list 1,000 runs                     {self.list_ms:6.1f} ms, again {self.list_again_ms:.1f} ms,"
                f" their configurations {self.configurations_ms:.1f} ms",
                f"write a chunk and a 1 MB checkpoint {self.append_ms:6.1f} ms",
                f"look at a live run every 0.3 s      {self.poll_percent:6.2f} % of a core,"
                f" paused {self.idle_poll_percent:.2f} %",
                f"look for commands every 0.1 s       {self.command_poll_percent:6.2f} % of a core",
            )
        )


def measure() -> StoreTimes:
    """Fill a store and time it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(Catalogue(folder)) as catalogue:
            run_id = _fill(catalogue)
            listed = [_milliseconds(lambda: _list(folder)) for _ in range(ROUNDS)]
            configurations = _milliseconds(lambda: [row.config for row in catalogue.list()])
            again = [_milliseconds(catalogue.list) for _ in range(ROUNDS)]
            append = list(_appends(folder))
            opened = [_milliseconds(lambda: _open(folder, run_id)) for _ in range(ROUNDS)]
            live, idle = _polling(catalogue)
            commands = statistics.median(_milliseconds(lambda: catalogue.wanted("nobody")) for _ in range(200))
        middle = statistics.median
        return StoreTimes(
            open_ms=middle(opened),
            list_ms=middle(listed),
            list_again_ms=middle(again),
            configurations_ms=configurations - middle(again),
            append_ms=middle(append),
            poll_percent=live,
            idle_poll_percent=idle,
            command_poll_percent=commands,  # ten a second: 1 ms each would be 1 %
        )


def write_live(folder: str, run_id: str, duration: str) -> None:
    """Be the worker of a live run, for some seconds: a chunk of every lane, again and again."""
    seconds = float(duration)
    end = time.monotonic() + seconds
    with RunFile.create(Path(folder), run_id, DIAGNOSTICS, CONFIG.seeds) as file:
        for method in CONFIG.methods:
            file.take(method)
        first, length = 0, max(1, round(CONFIG.episodes * PACE / seconds))
        while time.monotonic() < end:
            for method in CONFIG.methods:
                file.append(method, first, _values(length))
            first += length
            time.sleep(PACE)


def _fill(catalogue: Catalogue) -> str:
    for n in range(RUNS_LISTED):
        run_id = catalogue.add(replace(CONFIG, seed=n))
        catalogue.set_run(run_id, "done")
    with RunFile.create(catalogue.folder, run_id, DIAGNOSTICS, CONFIG.seeds) as file:
        for method in CONFIG.methods:
            file.take(method)
            for first in range(0, CONFIG.episodes, CHUNK):
                file.append(method, first, _values(CHUNK))
    return run_id


def _values(steps: int) -> "np.ndarray[tuple[int, int, int], np.dtype[np.float32]]":
    return np.random.default_rng(0).random((steps, len(DIAGNOSTICS), CONFIG.seeds), np.float32)


def _list(folder: Path) -> None:
    with closing(Catalogue(folder)) as catalogue:
        assert sum(len(row.lanes) for row in catalogue.list()) == RUNS_LISTED * len(CONFIG.methods)


def _open(folder: Path, run_id: str) -> None:
    with closing(Catalogue(folder)) as catalogue, closing(Reader(catalogue, run_id)) as reader:
        assert reader.read().steps == CONFIG.episodes


def _appends(folder: Path) -> Iterator[float]:
    with RunFile.create(folder, "appends", DIAGNOSTICS, CONFIG.seeds) as file:
        file.take("tpo")
        values = _values(CHUNK)
        for n in range(4 * ROUNDS):
            yield _milliseconds(partial(file.append, "tpo", n * CHUNK, values, STATE))


def _polling(catalogue: Catalogue) -> tuple[float, float]:
    """Percent of a core that a page's looks at a run cost: while another process writes it, and afterwards."""
    run_id = catalogue.add(CONFIG)
    seconds = TICKS * TICK + 2
    code = "import sys; from tpo_lab.bench.store import write_live; write_live(*sys.argv[1:])"
    command = [sys.executable, "-c", code, str(catalogue.folder), run_id, str(seconds)]
    with closing(Reader(catalogue, run_id)) as reader, subprocess.Popen(command) as writer:
        while not reader.read(LOOKED_AT).lanes and writer.poll() is None:
            time.sleep(0.05)
        live = _cost(reader)
        assert writer.wait() == 0
        reader.read(LOOKED_AT)
        return live, _cost(reader)


def _cost(reader: Reader) -> float:
    spent = time.process_time()
    for _ in range(TICKS):
        time.sleep(TICK)
        reader.read(LOOKED_AT)
    return 100 * (time.process_time() - spent) / (TICKS * TICK)


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1_000 * (time.perf_counter() - start)
