"""How every diagnostic of a run is called and drawn. The tasks define what each of them is, under the same names."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Diagnostic:
    """What is drawn on one chart.

    Attributes:
        name: its name in the run.
        title: what people read.
        format: of its values, as Vega takes it.
        top: largest value; None: the axis follows the curves.
        floor: decade at the foot of a log axis; smaller values are drawn there. None: the axis follows the curves.
        log: whether its axis is logarithmic unless somebody asks for the other.
        threshold: where a line is drawn across.
        sparse: has a value at some steps only: its line goes from one to the next.
    """

    name: str
    title: str
    format: str = ".3~g"
    top: float | None = None
    floor: int | None = None
    log: bool = False
    threshold: float | None = None
    sparse: bool = False


def _share(name: str, title: str) -> Diagnostic:
    return Diagnostic(name, title, ".2~%", 1.0, -4)


ERROR = Diagnostic("error", "Error 1 − π(y*)", ".2~%", 1.0, -3, True, 0.01)
MISALIGNMENT = Diagnostic(
    "misalignment", "Misalignment 1 − cos(update, expected gradient)", ".1e", 2.0, floor=-8, log=True
)

_COMMON = (
    Diagnostic("reward", "Mean reward", ".3~g", 1.0, -4),
    Diagnostic("grad_norm", "Norm of the gradient", log=True),
    _share("all_fail", "Groups without a success"),
    _share("all_pass", "Groups of successes only"),
    _share("zero_variance", "Groups of equal scores"),
    _share("any_success", "Prompts with a success"),
    Diagnostic("weight_success", "Mean |weight| of successes"),
    Diagnostic("weight_failure", "Mean |weight| of failures"),
    Diagnostic("entropy", "Entropy of the policy, nats"),
    Diagnostic("kl", "KL to the policy before the step, nats", log=True),
    _share("clip_share", "Samples that a clip range cut"),
    Diagnostic("demand", "Mean |q − p before|: what the target asks for", log=True),
    Diagnostic("residual", "Mean |q − p after|: what is left of it", log=True),
)
_LOSS = Diagnostic("loss", "Loss")
_BINS = tuple((f"{low}_{low + 25}", f"concentration {low / 100:g} to {low / 100 + 0.25:g}") for low in (0, 25, 50, 75))
_TEST_ERROR = replace(ERROR, title="Test error", sparse=True, floor=-2)  # no method comes below 1 %
_SURPLUS = tuple(Diagnostic(f"surplus_{b}", f"Surplus of test errors, {text}", sparse=True) for b, text in _BINS)
_SHARES = tuple(replace(_share(f"share_{b}", f"Test errors at {text}"), sparse=True) for b, text in _BINS)

_QUANTILES = {0: "smallest", 25: "lower quartile", 50: "median", 75: "upper quartile", 100: "largest"}
_P = tuple(_share(f"p_{q}", f"π(y) of the contexts, {words}") for q, words in _QUANTILES.items())

_OF_KIND: Mapping[str, Registry[Diagnostic]] = {
    kind: Registry("diagnostic", entries)
    for kind, entries in {
        "bandit": (ERROR, MISALIGNMENT, *_COMMON),
        "multi_bandit": (
            replace(ERROR, title="Error 1 − π(y), mean over contexts"),
            replace(MISALIGNMENT, title="Misalignment 1 − cos(update, supervised update)"),
            *_COMMON,
            *_P,
        ),
        "digits": (_TEST_ERROR, *_SURPLUS, *_SHARES, _LOSS, *_COMMON),
        "reversal": (
            replace(ERROR, title="Error: wrong tokens"),
            replace(ERROR, name="exact_error", title="Outputs with a wrong token"),
            _LOSS,
            *(replace(entry, floor=-3) if entry.name == "grad_norm" else entry for entry in _COMMON),  # 0 is reached
        ),
    }.items()
}

# What a terminal reward scores is the whole output.
_TERMINAL = Registry(
    "diagnostic",
    tuple(
        replace(entry, title="Error: outputs with a wrong token") if entry.name == "error" else entry
        for entry in _OF_KIND["reversal"].values()
    ),
)


def diagnostics_of(config: AnyConfig) -> Registry[Diagnostic]:
    """The diagnostics of a configuration by name, in the order of display; the error is the first."""
    terminal = isinstance(config, ReversalConfig) and config.reward == "terminal"
    return _TERMINAL if terminal else _OF_KIND[kind_of(config)]
