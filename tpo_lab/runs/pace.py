"""How long a token-reversal run will take on this machine, from the runs that it has computed."""

import statistics
from collections.abc import Iterable

from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.facts import host
from tpo_lab.runs.rows import RunRow

LEAST = 5  # steps of a lane that say how fast it is
RECENT = 8  # runs that are asked


def seconds_of(config: ReversalConfig, rows: Iterable[RunRow], workers: int) -> float | None:
    """Seconds of the whole run, all lanes side by side on the workers; None if nothing like it was computed here.

    The work of an episode is taken to grow with prompts x outputs x tokens, with the parameters, and with the passes
    over them; what a unit of work takes is the median over the lanes of the latest runs.
    """
    paces = []
    for row in rows:
        if row.kind != "reversal" or row.host != host():
            continue
        try:
            done = row.config
        except InputError:
            continue
        if isinstance(done, ReversalConfig):
            paces += [
                lane.seconds / lane.steps / (done.seeds * work(done, lane.method))
                for lane in row.lanes
                if lane.steps >= LEAST and lane.seconds > 0
            ]
        if len(paces) >= 4 * RECENT:
            break
    if not paces:
        return None
    lanes = [config.episodes * config.seeds * work(config, m) * statistics.median(paces) for m in config.methods]
    return max(sum(lanes) / workers, max(lanes))


def work(config: ReversalConfig, method: str) -> float:
    """Multiplications of one episode of one seed, up to a constant: a pass to sample, three for each epoch."""
    prompts, outputs, _ = config.budget(method)
    passes = 1 + 3 * config.epochs_of(method)
    return (
        prompts * outputs * 2 * config.length * config.layers * config.width * (config.width + config.length) * passes
    )
