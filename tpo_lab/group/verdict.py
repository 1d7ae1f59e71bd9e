"""What the numbers of one group mean, in sentences: what is the case, and what the update will do about it.

Scores are read with 0 as a fail and 1 as a pass; every sentence that needs this reading says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Floats
from tpo_lab.group.standardise import standardise
from tpo_lab.group.wording import figure, many, percent

LOW_SIGMA = 0.1
"""Below this spread a group is called low-variance: scores of 0 and 1 that differ spread more at every K up to 64,
because one success among 64 has sigma = sqrt(63) / 64 = 0.124."""

FAR_FROM_PASS = 0.1
"""No score above this: a tenth of a pass, which shaping can give to a failure."""

STILL_SMALL = 0.1
"""A best candidate whose target stays below this probability, under a policy that spreads wider than the tilt."""

Kind = Literal[
    "single",
    "all_fail",
    "all_pass",
    "zero_variance",
    "unreachable",
    "silent_rule",
    "inverted_rule",
    "peaked_policy",
    "missing",
    "low_variance",
    "shaped_all_fail",
    "one_winner",
    "ordinary",
]


@dataclass(frozen=True)
class Verdict:
    """One finding about a group.

    Attributes:
        kind: the key.
        title: a few words.
        text: one to three sentences with the live numbers: the finding, and what the update does about it.
    """

    kind: Kind
    title: str
    text: str


def verdicts(report: Report) -> tuple[Verdict, ...]:
    """Everything to say about the group, most important first; `ordinary` when nothing stands out."""
    found = tuple(verdict for check in _CHECKS if (verdict := check(report)) is not None)
    return found or (_ordinary(report),)


def _single(r: Report) -> Verdict | None:
    if r.n_counted > 1:
        return None
    title = "Only one candidate" if r.scenario.k == 1 else "Only one candidate is scored"
    return Verdict(
        "single",
        title,
        "There is nothing to compare it with: q = p_old = 1 for it, and the gradient is exactly 0.",
    )


def _equal(r: Report) -> Verdict | None:
    if not r.zero_variance or r.n_counted < 2:
        return None
    score = _scores(r)[0]
    update = (
        "so u = 0 and q = p_old: the first gradient is exactly 0, and a policy that has moved since is pulled back to "
        "p_old."
    )
    if score <= 0:
        return Verdict("all_fail", "All fail", f"Every score is {figure(score)}, no better than a fail, {update}")
    if score >= 1:
        return Verdict("all_pass", "All pass", f"Every score is {figure(score)}, at least a pass, {update}")
    return Verdict("zero_variance", "Zero variance", f"Every score is {figure(score)}, {update}")


def _unreachable(r: Report) -> Verdict | None:
    if r.zero_variance or np.any(r.log_p_old[_best(r)] > -np.inf):
        return None
    return Verdict(
        "unreachable",
        "The best is out of reach",
        f"p_old gives {_names(_best(r))} probability 0, and q is p_old times a finite tilt: its target is 0 too. The "
        "update ranks the others only.",
    )


def _silent(r: Report) -> Verdict | None:
    if r.zero_variance or np.any(r.u != 0):
        return None
    return Verdict(
        "silent_rule",
        "The rule is silent",
        f"The scores differ, but {_label(r)} gives u = 0 to all of them, so q = p_old and the first gradient is 0.",
    )


def _inverted(r: Report) -> Verdict | None:
    scores, u = _scores(r), r.u[r.counted]
    if not u[np.argmax(scores)] < u[np.argmin(scores)]:
        return None
    return Verdict(
        "inverted_rule",
        "The rule turns the order round",
        f"{_label(r)} divides by the mean of the scores, {figure(r.mean)}: the best candidate gets "
        f"u = {figure(u[np.argmax(scores)])} and the worst {figure(u[np.argmin(scores)])}, so the update moves away "
        "from the best.",
    )


def _peaked(r: Report) -> Verdict | None:
    best, reachable = _best(r), r.log_p_old > -np.inf
    spread, tilt = float(np.ptp(r.log_p_old[reachable])), float(np.ptp(r.u[reachable])) / r.scenario.eta
    if spread <= tilt or r.q[best].sum() >= STILL_SMALL or not _gains(r, best):
        return None
    return Verdict(
        "peaked_policy",
        "The policy is too peaked for the tilt",
        f"log p_old spreads over {figure(spread)} nats, the tilt u / eta over {figure(tilt)}: {_go(r, best)} only, and "
        "the update hardly lifts the best. Log-probs summed over long answers do this; so does a large eta.",
    )


def _missing(r: Report) -> Verdict | None:
    missing = r.scenario.k - r.n_counted
    if missing == 0:
        return None
    one = missing == 1
    text = (
        f"{missing} of {many(r.scenario.k, 'candidate')} {'has' if one else 'have'} no score and "
        f"{'leaves' if one else 'leave'} the group here, whatever a stack does: u, q and the gradient are "
        f"exactly 0 there, and p_old is shared among the other {r.n_counted}."
    )
    scores = np.where(r.counted, r.scenario.score_array(), 0.0)
    as_zero = standardise(scores, rule=r.scenario.rule, strength=r.scenario.strength)[~r.counted][0]
    text += f" Counted as a score of 0 instead, {'it' if one else 'each'} would get u = {figure(as_zero)}."
    return Verdict("missing", "A score is missing" if one else "Scores are missing", text)


def _low_variance(r: Report) -> Verdict | None:
    if r.zero_variance or r.sigma_population >= LOW_SIGMA:
        return None
    scores = _scores(r)
    span = float(scores.max()) - float(scores.min())
    amplified = min(float(np.ptp(r.u[r.counted])) / span, float(np.finfo(np.float64).max))
    found = (
        f"The scores spread by sigma = {figure(r.sigma_population)} only; scores of 0 and 1 that are not all equal "
        "spread by at least 0.12. "
    )
    if amplified > 1 / LOW_SIGMA:
        update = (
            f"The rule amplifies them {figure(amplified)} times: a gap of {figure(span)} becomes "
            f"{figure(amplified * span)}, and the target moves {percent(_moved(r))} of the probability. If the gap is "
            "noise, the update learns noise."
        )
    else:
        update = (
            f"This rule multiplies gaps by {figure(amplified)}, so the target moves {percent(_moved(r))} of the "
            "probability."
        )
    return Verdict("low_variance", "Low variance", found + update)


def _shaped(r: Report) -> Verdict | None:
    top, levels = float(_scores(r).max()), len(np.unique(_scores(r)))
    if r.zero_variance or top > FAR_FROM_PASS or not _gains(r, _best(r)):
        return None
    if levels == 2 and r.sigma_population < LOW_SIGMA:
        return None  # one small bump: low variance says it all; shaping grades
    return Verdict(
        "shaped_all_fail",
        "No score comes near a pass",
        f"The best score is {figure(top)}. If 1 is a pass, every candidate failed and only shaping ranks them, yet the "
        f"update follows that ranking: {_go(r, _best(r))}.",
    )


def _one_winner(r: Report) -> Verdict | None:
    scores = np.sort(_scores(r))
    if r.n_counted < 2 or scores[-1] <= FAR_FROM_PASS or not scores[0] == scores[-2] < scores[-1]:
        return None
    if not _gains(r, [r.best]):
        return None
    formula = ""
    if r.scenario.rule == "tpo_paper":
        formula = " = exp(K / sqrt(K - 1))" if r.scenario.eta == 1 else " = exp(K / (eta sqrt(K - 1)))"
    others, losses = f"the other {r.n_counted - 1}, which tie", " The others lose in proportion to p_old."
    if r.n_counted == 2:
        others, losses = "the other one", ""
    return Verdict(
        "one_winner",
        "One winner",
        f"{_names(_best(r)).capitalize()} beats {others}. Its odds grow by a factor of "
        f"{figure(r.odds_factor)}{formula}, its probability from {_sum(r.log_p_old[[r.best]])} to "
        f"{_sum(r.log_q[[r.best]])}.{losses}",
    )


def _ordinary(r: Report) -> Verdict:
    top, before, best = int(np.argmax(r.q)), np.flatnonzero(r.p_old == r.p_old.max()), _best(r)
    if len(best) > 1:
        order = f"{_go(r, best).capitalize()}."
    elif len(before) == 1 and r.argmax_moved:
        order = f"The most probable candidate changes from {before[0] + 1} to {top + 1}."
    else:
        verb = "stays" if list(before) == [top] else "becomes"
        order = f"Candidate {top + 1} {verb} the most probable, from {figure(r.p_old[top])} to {figure(r.q[top])}."
    return Verdict(
        "ordinary",
        "A working group",
        f"The scores differ by sigma = {figure(r.sigma_population)} and the policy leaves room: the target moves "
        f"{percent(_moved(r))} of the probability, {figure(r.kl_q_p)} nats from p_old. {order}",
    )


_CHECKS: tuple[Callable[[Report], Verdict | None], ...] = (
    _single,
    _equal,
    _unreachable,
    _silent,
    _inverted,
    _peaked,
    _missing,
    _shaped,
    _low_variance,
    _one_winner,
)


def _scores(r: Report) -> Floats:
    """The scores that count."""
    scores: Floats = r.scenario.score_array()[r.counted]
    return scores


def _best(r: Report) -> list[int]:
    """Indices of all candidates with the highest score."""
    return [i for i, score in enumerate(r.scenario.scores) if score is not None and score == _scores(r).max()]


def _gains(r: Report, candidates: list[int]) -> bool:
    """Whether the target gives the candidates more than p_old did."""
    return bool(np.any(r.log_q[candidates] > r.log_p_old[candidates]))


def _go(r: Report, candidates: list[int]) -> str:
    verb = "goes" if len(candidates) == 1 else "go"
    return f"{_names(candidates)} {verb} from {_sum(r.log_p_old[candidates])} to {_sum(r.log_q[candidates])}"


def _sum(log_probs: Floats) -> str:
    """The sum of the probabilities; as a power of e where it is too small for a float."""
    total = float(np.exp(log_probs).sum())
    return f"exp({log_probs.max():.0f})" if total == 0 and log_probs.max() > -np.inf else figure(total)


def _moved(r: Report) -> float:
    """Total variation between q and p_old: the share of probability that changes its candidate."""
    return float(np.abs(r.q_minus_p).sum()) / 2


def _names(candidates: list[int]) -> str:
    if len(candidates) == 1:
        return f"candidate {candidates[0] + 1}"
    return f"the {len(candidates)} best together"


def _label(r: Report) -> str:
    return RULES[r.scenario.rule].label
