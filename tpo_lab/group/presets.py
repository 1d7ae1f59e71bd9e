"""Groups worth looking at, each with the reason why."""

from dataclasses import dataclass

from tpo_lab.group.scenario import Scenario
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Preset:
    """A scenario with a name.

    Attributes:
        name: the key, as in URLs.
        label: the name that people read.
        why: one sentence: what there is to see.
    """

    name: str
    label: str
    why: str
    scenario: Scenario


PRESETS: Registry[Preset] = Registry(
    "preset",
    (
        Preset(
            "one_success",
            "One success of 8",
            "Sparse reward: one success among eight grows its odds 21-fold, and the failures lose alike.",
            Scenario((1, 0, 0, 0, 0, 0, 0, 0)),
        ),
        Preset(
            "all_fail",
            "All fail, skewed policy",
            "With equal scores the target is the old policy itself, so nothing moves, however skewed it is.",
            Scenario((0, 0, 0, 0), policy=(0.7, 0.15, 0.1, 0.05)),
        ),
        Preset(
            "all_pass",
            "All pass",
            "When every candidate passes there is nothing to compare: the gradient is exactly zero.",
            Scenario((1, 1, 1, 1), policy=(0.4, 0.3, 0.2, 0.1)),
        ),
        Preset(
            "low_variance",
            "Low-variance trap",
            "A difference of 0.001 becomes the same target as a difference of 1: dividing by σ amplifies noise.",
            Scenario((0.001, 0, 0)),
        ),
        Preset(
            "scale_1",
            "(1, 0, -1)",
            "Compare with (100, 0, -100): standardised scores forget the unit, so both give the same target.",
            Scenario((1, 0, -1)),
        ),
        Preset(
            "scale_100",
            "(100, 0, -100)",
            "Compare with (1, 0, -1): standardised scores forget the unit, so both give the same target.",
            Scenario((100, 0, -100)),
        ),
        Preset(
            "constant",
            "Constant 0.7",
            "In float32 the mean of eight 0.7s rounds, and code that divides by a rounded deviation learns from it.",
            Scenario((0.7,) * 8),
        ),
        Preset(
            "shaped_all_fail",
            "Shaped all-fail",
            "No candidate passed, yet shaping rewards of a few hundredths rank them as firmly as real successes would.",
            Scenario((0, 0.01, 0.02, 0.03)),
        ),
        Preset(
            "summed_log_probs",
            "Summed log-probs",
            "Log-probs of long answers spread over 40 nats and swallow the tilt: the success stays out of reach.",
            Scenario((1, 0, 0, 0), policy=(-120, -80, -85, -90), kind="log_probs"),
        ),
        Preset(
            "mean_log_probs",
            "Mean log-probs",
            "The same answers of 240, 150, 165 and 180 tokens with their log-probs per token: the tilt decides again.",
            Scenario((1, 0, 0, 0), policy=(-120 / 240, -80 / 150, -85 / 165, -90 / 180), kind="log_probs"),
        ),
        Preset(
            "missing_score",
            "A missing score",
            "A candidate without a score leaves the group; counted as 0 it would become the winner.",
            Scenario((-1, -1, -0.5, None)),
        ),
        Preset(
            "peaked_policy",
            "Peaked policy",
            "The old policy is so sure of a failure that one target cannot lift the success above a few per cent.",
            Scenario((0, 1, 0, 0), policy=(0.995, 0.003, 0.001, 0.001)),
        ),
        Preset(
            "three_of_32",
            "3 successes of 32",
            "Three successes share the gain, so each of them moves less than a lone winner would.",
            Scenario((1, 1, 1, *(0,) * 29)),
        ),
        Preset(
            "tie",
            "A tie",
            "Two candidates tie at the top: the target splits between them as the old policy did.",
            Scenario((1, 1, 0, 0), policy=(0.1, 0.4, 0.3, 0.2)),
        ),
    ),
)
