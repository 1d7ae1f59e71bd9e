"""Compiling before anybody asks: `python -m tpo_lab.runs.warmth FOLDER NUMBER ...` fills the cache on disk. Loads JAX.

The numbers are those of `ahead.live`. It says when each is done, and ends with its input.
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import jax

from tpo_lab.runs.ahead import live
from tpo_lab.runs.lane import Lane
from tpo_lab.runs.manners import claim_standard_output, stand_back

COMPILED = "compiled"


def main() -> None:
    """Compile what the command line lists."""
    stand_back()
    emit = claim_standard_output()
    threading.Thread(target=_end_with_input, daemon=True).start()
    keep_compiled(Path(sys.argv[1]))
    for number in map(int, sys.argv[2:]):
        prepare(number)
        emit({"is": "compiled", "number": number})
    os._exit(0)


def keep_compiled(folder: Path) -> None:
    """Keep machine code in the data folder, so that the next process need not compile it; before JAX is used."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        jax.config.update("jax_compilation_cache_dir", str(folder / COMPILED))  # type: ignore[no-untyped-call]
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)  # type: ignore[no-untyped-call]


def prepare(number: int) -> None:
    """Compile an entry of `live`, or fetch it from the cache, and take one step with it: the first is slower."""
    with suppress(Exception):  # whoever runs it is told
        lane = Lane(*live()[number])
        lane.prepare()
        lane.advance()


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
