"""The same answer sampled twice: it counts twice in the mean, the deviation and the target, or is merged into one.

Axes: K candidates, D different answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Floats, Scenario


@dataclass(frozen=True)
class Merged:
    """One group with its copies kept and merged. Vectors have shape (D,), in order of first appearance.

    Attributes:
        answers: the names.
        copies: how often each was sampled.
        p_kept, p_merged: old policy over the answers; kept, each copy has its share.
        q_kept, q_merged: target over the answers.
        u_kept, u_merged: standardised score of each answer.
        scenario: the merged group.
    """

    answers: tuple[str, ...]
    copies: tuple[int, ...]
    p_kept: Floats
    p_merged: Floats
    q_kept: Floats
    q_merged: Floats
    u_kept: Floats
    u_merged: Floats
    scenario: Scenario


def merge(scenario: Scenario, answers: Sequence[str]) -> Merged:
    """Keep against merge.

    Kept, an answer that was sampled n times has n equal shares of p_old among the candidates, so its odds against the
    others are n times those of its probability; its score enters mean and deviation n times. Merged, it enters once,
    with the mean of its scores (copies of a noisy scorer differ) and of its log-probs.

    Args:
        scenario: the group.
        answers: a name a candidate, shape (K,); equal names are copies.

    Raises:
        InputError: if there is not one name a candidate.
    """
    if len(answers) != scenario.k:
        raise InputError("answers", f"There are {len(answers)} answers for {scenario.k} scores; name one a candidate.")
    names = tuple(dict.fromkeys(answers))
    index = np.array([names.index(answer) for answer in answers])
    member = index == np.arange(len(names))[:, None]  # (D, K)
    counted = scenario.counted()
    scores = scenario.score_array()
    with np.errstate(invalid="ignore"):
        log_p = [float(np.mean(scenario.log_p_old()[row])) for row in member]
    merged = Scenario(
        scores=tuple(float(np.mean(scores[row & counted])) if np.any(row & counted) else None for row in member),
        policy=tuple(np.exp(np.array(log_p) - max(log_p)).tolist()),
        eta=scenario.eta,
        rule=scenario.rule,
        strength=scenario.strength,
    )
    kept, one = report(scenario), report(merged)
    first = [int(np.argmax(row & counted)) if np.any(row & counted) else int(np.argmax(row)) for row in member]
    return Merged(
        answers=names,
        copies=tuple(int(n) for n in member.sum(axis=1)),
        p_kept=member @ kept.p_old,
        p_merged=one.p_old,
        q_kept=member @ kept.q,
        q_merged=one.q,
        u_kept=kept.u[first],
        u_merged=one.u,
        scenario=merged,
    )


def equal_names(scenario: Scenario) -> tuple[str, ...]:
    """A name a candidate, a, b, c and so on: candidates with the same score and log-prob share one."""
    keys = list(zip(scenario.scores, scenario.log_p_old().tolist(), strict=True))
    order = list(dict.fromkeys(keys))
    return tuple(_letters(order.index(key)) for key in keys)


def distinct_names(k: int) -> tuple[str, ...]:
    """K different names."""
    return tuple(_letters(i) for i in range(k))


def _letters(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else chr(ord("a") + i // 26 - 1) + chr(ord("a") + i % 26)
