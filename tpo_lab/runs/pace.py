"""How long a run will take on this machine, from the runs of its kind that it has computed."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from statistics import median

from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig, kind_of, steps_of
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.facts import host
from tpo_lab.runs.rows import RunRow

LEAST = 5  # steps of a lane that say how fast it is
RECENT = 8  # runs that are asked


def seconds_of(config: AnyConfig, rows: Iterable[RunRow], workers: int) -> float | None:
    """Seconds of the whole run, all lanes side by side on the workers; None if nothing like it was computed here.

    It is taken to grow with the `work` of a step; what a unit of work takes is the median over the method's latest
    lanes, or over those of all methods.
    """
    paces: dict[str, list[float]] = {}
    recent = islice((row for row in rows if row.kind == kind_of(config) and row.host == host()), RECENT)
    for row in recent:
        for method, pace in _paces(row):
            paces.setdefault(method, []).append(pace)
    if not paces:
        return None
    any_method = median(pace for found in paces.values() for pace in found)
    lanes = [
        steps_of(config) * config.seeds * work(config, m) * (median(paces[m]) if m in paces else any_method)
        for m in config.methods
    ]
    return max(sum(lanes) / workers, max(lanes))


def _paces(row: RunRow) -> Iterator[tuple[str, float]]:
    """Method and seconds of a unit of work, for each lane of a run that has been computed for a while."""
    with suppress(InputError):  # settings that this lab does not know
        config = row.config
        for lane in row.lanes:
            if lane.steps >= LEAST and lane.seconds > 0:
                yield lane.method, lane.seconds / lane.steps / (config.seeds * work(config, lane.method))


def work(config: AnyConfig, method: str) -> float:
    """Multiplications of one step of one seed, up to a constant of its kind."""
    if isinstance(config, ReversalConfig):
        return _of_reversal(config, method)
    if isinstance(config, DigitsConfig):
        pixels, test = (784, 10_000) if config.folder else (64, 500)
        images = 4 * config.prompts + test / config.every  # a pass before the step, two of it, and one after
        return images * config.hidden * (pixels + config.hidden + 10)
    samples = config.samples if config.update == "sampled" else 0
    contexts = config.contexts if isinstance(config, MultiBanditConfig) else 1
    return contexts * (20 * config.actions + samples)  # about twenty passes over the logits


def _of_reversal(config: ReversalConfig, method: str) -> float:
    """Prompts x outputs x tokens x parameters x passes: one to sample, three for each epoch."""
    prompts, outputs, _ = config.budget(method)
    passes = 1 + 3 * config.epochs_of(method)
    return (
        prompts * outputs * 2 * config.length * config.layers * config.width * (config.width + config.length) * passes
    )
