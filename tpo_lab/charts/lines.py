"""What curves are drawn of, and how a person wants to see them: lines, axes and bands by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.points import MAX_POINTS
from tpo_lab.experiments import costs
from tpo_lab.experiments.kinds import AnyConfig, steps_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS

OVER = {"steps": "Steps", "rollouts": "Rollouts", "gradients": "Gradient steps", "seconds": "Seconds"}
BANDS = {"error": "± 1 s.e.", "quartiles": "Quartiles", "range": "Min to max"}
MOST_SEEDS, MOST_THIN = 20, 60  # of a line, and of a chart: more take a browser too long several times a second


@dataclass(frozen=True)
class Look:
    """How a person wants to see curves.

    Attributes:
        log: a logarithmic axis, or a linear one; None: as the diagnostic usually has it.
        over: what the curves run over, a name in `OVER`.
        band: what is drawn around the mean, a name in `BANDS`.
        seeds: whether single seeds are drawn as thin lines.
    """

    log: bool | None = None
    over: str = "steps"
    band: str = "error"
    seeds: bool = False

    @property
    def needs_seeds(self) -> bool:
        """Whether it takes the values of every seed, not their statistics alone."""
        return self.seeds or self.band == "quartiles"

    def is_log(self, diagnostic: Diagnostic) -> bool:
        """Whether the axis of a diagnostic is logarithmic."""
        return diagnostic.log if self.log is None else self.log


USUAL = Look()


@dataclass(frozen=True)
class Line:
    """A method of a run.

    Attributes:
        run: how its run is called beside the others of the chart; empty where there is one.
        place: of the run among them.
    """

    method: str
    config: AnyConfig
    run: str = ""
    place: int = 0

    @property
    def key(self) -> str:
        """Its name in the data."""
        return f"{self.method}_{self.place}" if self.run else self.method

    @property
    def label(self) -> str:
        """Its name for people."""
        label = METHODS[self.method].label
        return f"{label} · {self.run}" if self.run else label

    @property
    def steps(self) -> int:
        """How many it takes in all."""
        return steps_of(self.config)

    def length(self, over: str, pace: float = 0.0) -> float:
        """What one of its steps is long.

        Args:
            pace: seconds per step.

        Raises:
            InputError: if its steps have no such length.
        """
        if over == "rollouts":
            return costs.rollouts(self.config, self.method)
        if over == "gradients":
            return costs.gradient_steps(self.config, self.method)
        return pace if over == "seconds" else 1


def lines_of(configs: Mapping[str, AnyConfig] | AnyConfig) -> tuple[Line, ...]:
    """The lines of one run, or of several by name."""
    if not isinstance(configs, Mapping):
        return tuple(Line(method, configs) for method in configs.methods)
    return tuple(Line(m, config, name, i) for i, (name, config) in enumerate(configs.items()) for m in config.methods)


def runs_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """The names of the runs; none where there is one."""
    return tuple(dict.fromkeys(line.run for line in lines if line.run))


def methods_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """The methods, each once."""
    return tuple(dict.fromkeys(line.method for line in lines))


def together(lines: Sequence[Line], look: Look) -> bool:
    """Whether all lines have a point at every step, so that one column holds the steps of them all."""
    return look.over == "steps" and max(line.steps for line in lines) <= MAX_POINTS


def thin(lines: Sequence[Line]) -> int:
    """How many seeds of each line are drawn, the first ones."""
    return min(MOST_SEEDS, max(1, MOST_THIN // len(lines)), max(line.config.seeds for line in lines))


def unit(lines: Sequence[Line], over: str) -> str:
    """What the axis is called."""
    if over == "steps":
        return "episodes" if all(isinstance(line.config, ReversalConfig) for line in lines) else "updates taken"
    return {"seconds": "seconds of computing", "gradients": "gradient steps"}.get(over, over)
