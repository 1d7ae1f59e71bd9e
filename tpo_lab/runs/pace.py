"""How long a token-reversal run will take on this machine, from the runs that it has computed."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from statistics import median

from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.facts import host
from tpo_lab.runs.rows import RunRow

LEAST = 5  # steps of a lane that say how fast it is
RECENT = 8  # runs that are asked


def seconds_of(config: ReversalConfig, rows: Iterable[RunRow], workers: int) -> float | None:
    """Seconds of the whole run, all lanes side by side on the workers; None if nothing like it was computed here.

    The work of an episode is taken to grow with prompts x outputs x tokens, with the parameters, and with the passes
    over them; what a unit of work takes is the median over the method's latest lanes, or over those of all methods.
    """
    paces: dict[str, list[float]] = {}
    recent = islice((row for row in rows if row.kind == "reversal" and row.host == host()), RECENT)
    for row in recent:
        for method, pace in _paces(row):
            paces.setdefault(method, []).append(pace)
    if not paces:
        return None
    any_method = median(pace for found in paces.values() for pace in found)
    lanes = [
        config.episodes * config.seeds * work(config, m) * (median(paces[m]) if m in paces else any_method)
        for m in config.methods
    ]
    return max(sum(lanes) / workers, max(lanes))


def _paces(row: RunRow) -> Iterator[tuple[str, float]]:
    """Method and seconds of a unit of work, for each lane of a run that has been computed for a while."""
    with suppress(InputError):  # settings that this lab does not know
        config = row.config
        if isinstance(config, ReversalConfig):
            for lane in row.lanes:
                if lane.steps >= LEAST and lane.seconds > 0:
                    yield lane.method, lane.seconds / lane.steps / (config.seeds * work(config, lane.method))


def work(config: ReversalConfig, method: str) -> float:
    """Multiplications of one episode of one seed, up to a constant: a pass to sample, three for each epoch."""
    prompts, outputs, _ = config.budget(method)
    passes = 1 + 3 * config.epochs_of(method)
    return (
        prompts * outputs * 2 * config.length * config.layers * config.width * (config.width + config.length) * passes
    )
