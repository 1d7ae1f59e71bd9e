"""Compiling before anybody asks: `python -m tpo_lab.runs.warmth FOLDER` fills the cache on disk. Loads JAX.

It is told numbers of `ahead.live`, says when each is done, and ends with its input, whatever it is doing.
"""

import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path

import jax

from tpo_lab.runs.ahead import live
from tpo_lab.runs.lane import Lane
from tpo_lab.runs.manners import claim_standard_output, stand_back
from tpo_lab.runs.protocol import decode

COMPILED = "compiled"


def main() -> None:
    """Compile what the input asks for."""
    stand_back()
    emit = claim_standard_output()
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(numbers,), daemon=True).start()
    keep_compiled(Path(sys.argv[1]))
    while True:
        number = numbers.get()
        with suppress(Exception):  # whoever runs it is told
            Lane(*live()[number]).prepare()
        emit({"is": "compiled", "number": number})


def keep_compiled(folder: Path) -> None:
    """Keep machine code in the data folder, so that the next process need not compile it; before JAX is used."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", str(folder / COMPILED))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]


def fetch(number: int) -> None:
    """Load an entry of `live` from the cache, and take one step with it: the first is slower."""
    with suppress(Exception):  # whoever runs it is told
        lane = Lane(*live()[number])
        lane.prepare()
        lane.advance()


def _listen(numbers: "queue.SimpleQueue[int]") -> None:
    for line in sys.stdin.buffer:
        numbers.put(decode(line)["number"])
    os._exit(0)


if __name__ == "__main__":
    main()
