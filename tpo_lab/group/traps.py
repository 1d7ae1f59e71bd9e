"""Groups on which a stack goes wrong, each with the wrong value that it gives and the right one."""

from dataclasses import dataclass, replace

import numpy as np

from tpo_lab.group.literal import Precision, literal
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import standardise
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Trap:
    """A group and the rule that goes wrong on it.

    Attributes:
        name: the key, as in URLs.
        label: the name that people read.
        why: one sentence: what goes wrong.
        scenario: the group.
        rule: the rule that goes wrong.
        candidate: index of the candidate whose value is named.
        right_rule: the rule whose exact arithmetic is right.
        precision: in which it goes wrong.
        as_zero: whether a missing score is counted as 0; right is to leave it out.
        right: one sentence after the right value.
        instead: how the right value is announced.
    """

    name: str
    label: str
    why: str
    right: str
    scenario: Scenario
    rule: Rule
    candidate: int = 0
    right_rule: str = "tpo_paper"
    precision: Precision = "float32"
    as_zero: bool = False
    instead: str = "right is"

    def wrong_value(self) -> float:
        """u of the candidate as the stack gives it."""
        scores = scores_seen(self.scenario, self.as_zero)
        counted = ~np.isnan(scores)
        index = int(counted[: self.candidate].sum())
        return float(literal(scores[counted], self.rule, self.precision)[index])

    def right_value(self) -> float:
        """u of the candidate as it should be."""
        return float(standardise(self.scenario.score_array(), rule=self.right_rule)[self.candidate])


def scores_seen(scenario: Scenario, as_zero: bool) -> Floats:
    """The scores that a rule gets, shape (K,): NaN where there is none, or 0 instead."""
    scores = scenario.score_array()
    if as_zero:
        scores[~scenario.counted()] = 0.0
    return scores


_NEMO = RULES["nemo_rl"]
NEMO_UNGUARDED = replace(_NEMO, name="nemo_rl_unguarded", label="NeMo-RL before its guard", guard="add")
VARIANCE_FLOOR = replace(RULES["robust_floor"], name="variance_floor", label="Variance floor of 1e-6", amount=1e-3)

TRAPS: Registry[Trap] = Registry(
    "trap",
    (
        Trap(
            "constant_2",
            "Constant 0.2, eight times",
            "The float32 mean of equal scores rounds, and OpenRLHF divides what is left by 1e-9.",
            "Equal scores are found by max = min, never by a rounded deviation.",
            Scenario((0.2,) * 8),
            RULES["openrlhf_group_norm"],
        ),
        Trap(
            "constant_7",
            "Constant 0.7, seven times",
            "The deviation rounds with the mean, so that their quotient is near 1: the size of a real advantage.",
            "Equal scores carry no preference.",
            Scenario((0.7,) * 7),
            RULES["reference_grpo"],
        ),
        Trap(
            "constant_1000",
            "Constant 1000.1, eight times",
            "The larger the score, the more its mean rounds: an epsilon of 1e-6 makes tens of it.",
            "Equal scores carry no preference.",
            Scenario((1000.1,) * 8),
            RULES["verl_grpo"],
        ),
        Trap(
            "constant_64",
            "Constant 0.1 in float64",
            "A test for std == 0 misses a deviation of 1.4e-17: a dead group is kept and counted as alive.",
            "Equal scores are found by max = min.",
            Scenario((0.1,) * 7),
            RULES["open_instruct_standard"],
            precision="float64",
        ),
        Trap(
            "lone_winner",
            "A lone winner, left out",
            "Without the winner the others are equal, their deviation is 0, and only epsilon divides the advantage.",
            "NeMo-RL now leaves it undivided where the deviation of the others is 0.",
            Scenario((1, 0, 0, 0)),
            NEMO_UNGUARDED,
            right_rule="nemo_rl",
        ),
        Trap(
            "lone_loser",
            "A lone loser of 0.95s",
            "mean(s²) − mean(s)² of seven 0.95s rounds to 2e-7 in float32: the guard for 0 lets it pass.",
            "The deviation of equal others is 0, so the advantage stays undivided.",
            Scenario((0, *(0.95,) * 7)),
            _NEMO,
            right_rule="nemo_rl",
        ),
        Trap(
            "missing_as_zero",
            "A missing score as 0",
            "Where the scores are negative, a candidate that was never scored becomes the winner.",
            "It leaves the group: its advantage and gradient are 0.",
            Scenario((-1, -1, -0.5, None)),
            RULES["verl_grpo"],
            candidate=3,
            as_zero=True,
        ),
        Trap(
            "variance_floor",
            "A variance floor on a fine scale",
            "A floor of 1e-6 on the variance is 1e-3 on the deviation: it silences scores that differ by 1e-5.",
            "If the gap is real the paper's rule keeps it; a floor belongs in units of the scorer's noise.",
            Scenario((1.00001, 1)),
            VARIANCE_FLOOR,
            precision="float64",
        ),
        Trap(
            "negative_mean",
            "A negative mean",
            "Dividing by a negative mean turns the order round: the best of the failures is pushed down.",
            "MaxRL is defined for positive means; prime-rl gives 0 to every candidate here.",
            Scenario((-1, -3, -2)),
            RULES["skyrl_max_rl"],
            right_rule="prime_rl_max_rl",
            precision="float64",
        ),
        Trap(
            "cut_off",
            "Just under the cut-off",
            "The reference code does not divide up to sigma = 1e-6; a hair above it, u is 1.41.",
            "The paper's rule has no cut-off: u does not depend on the unit of the score.",
            Scenario((2.1e-6, 0, 0)),
            RULES["tpo_reference"],
            precision="float64",
        ),
        Trap(
            "low_variance",
            "The low-variance trap",
            "A difference of 0.001 gives the target of a difference of 1, be it a difference or noise.",
            "Which of the two is right depends on the noise of the scorer: see how far to trust it.",
            Scenario((0.001, 0, 0)),
            RULES["tpo_paper"],
            right_rule="robust_floor",
            precision="float64",
            instead="a floor of 0.05 on σ gives",
        ),
        Trap(
            "alone",
            "Alone in its group",
            "Of one scored candidate verl takes the raw score for the advantage: there is nothing to compare it with.",
            "One candidate carries no preference.",
            Scenario((0.7, None, None)),
            RULES["verl_grpo"],
            precision="float64",
        ),
        Trap(
            "shaped_constant",
            "A constant shaping reward",
            "Every answer failed and earned the same 0.1 for its format: no score is 0, so a count of all-fail groups "
            "misses it, while a rounded mean may still leak.",
            "The group is as dead as one of zeros.",
            Scenario((0.1,) * 7),
            RULES["openrlhf_group_norm"],
        ),
    ),
)
