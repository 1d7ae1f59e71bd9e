"""How far to trust a target: the same group scored again and again, by a seeded simulation with its standard error.

Axes: N draws, T spreads, K scored candidates. TV is the total variation, half the sum of absolute differences.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tpo_lab.group.curves import rescaled, sigma_of
from tpo_lab.group.noise import Noise, best_is_not_best, half_noise_spread
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import standardise
from tpo_lab.group.target import target

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SEED = 20260419
_NUMBERS, _DRAWS = 40_000, 4_000  # at most, for one question: a few milliseconds


@dataclass(frozen=True)
class Trust:
    """What new scores would do to the target of a group. Standard errors are those of the simulation.

    Attributes:
        q: the shown target, shape (K,).
        quantiles: of each q_i under new scores, at `QUANTILES`, shape (5, K).
        tv, tv_error: expected TV between the target of new scores and the shown one.
        moved: TV between the shown target and the old policy: what the scores move.
        argmax_wrong, argmax_wrong_error: probability that another candidate gets the largest target.
        best_wrong: probability that another candidate is scored highest, in closed form.
        half_spread: the spread at which half of the scores' variance is noise, in closed form.
        draws: N.
    """

    q: Floats
    quantiles: Floats
    tv: float
    tv_error: float
    moved: float
    argmax_wrong: float
    argmax_wrong_error: float
    best_wrong: float
    half_spread: float
    draws: int

    @property
    def mostly_noise(self) -> bool:
        """Noise moves the target more than half as far as the scores do."""
        return self.tv > 0.5 * self.moved


def draws_for(k: int, rule: Rule) -> int:
    """How many draws a question about K candidates gets; leave-one-out rules compare every pair."""
    return min(_DRAWS, max(200, _NUMBERS // (k * k if rule.scale == "leave_one_out" else k)))


def trust(scenario: Scenario, noise: Noise, *, seed: int = SEED) -> Trust:
    """Score the group again `draws_for` times under the noise."""
    scores, log_p, rule = _inputs(scenario)
    n = draws_for(len(scores), rule)
    shown = _target(scenario, rule, log_p, scores)
    again = _target(scenario, rule, log_p, scores + noise.draw(np.random.default_rng(seed), (n, len(scores))))
    tv = _tv(again, shown)
    top = again.max(axis=-1)
    wrong = np.all(again[:, shown == shown.max()] < top[:, None], axis=-1)
    share = float(np.mean(wrong))
    return Trust(
        q=shown,
        quantiles=np.quantile(again, QUANTILES, axis=0),
        tv=float(np.mean(tv)),
        tv_error=float(np.std(tv, ddof=1)) / math.sqrt(n),
        moved=float(_tv(shown, target(log_p, np.zeros_like(log_p)))),
        argmax_wrong=share,
        # By Laplace's rule: no draw out of n is no certainty.
        argmax_wrong_error=math.sqrt((share * n + 1) * ((1 - share) * n + 1) / (n + 2) ** 2 / (n + 3)),
        best_wrong=best_is_not_best(scores, noise),
        half_spread=half_noise_spread(len(scores), noise),
        draws=n,
    )


@dataclass(frozen=True)
class Threshold:
    """The spread below which the target of a group is mostly noise.

    Attributes:
        spreads: population deviations, rising, shape (T,).
        tv: expected TV between the target of new scores and that of the true ones, shape (T,).
        tv_error: its standard error, shape (T,).
        moved: TV between the target of the true scores and the old policy, shape (T,).
        spread: the largest spread at which tv is half of moved; None: none is.
    """

    spreads: Floats
    tv: Floats
    tv_error: Floats
    moved: Floats
    spread: float | None


def threshold(scenario: Scenario, noise: Noise, *, points: int = 33, seed: int = SEED) -> Threshold:
    """Where noise moves the target half as far as the scores do: TV(q again, q) = TV(q, p_old) / 2.

    Rules that divide by the deviation depend on spread / tau alone, so the answer is a multiple of tau for each shape
    of scores. The same draws serve every spread: the curve is smooth, its error common to neighbours.

    Args:
        scenario: the group; its scores give the shape.
        noise: of one score, more than 0.
        points: T, from a hundredth of tau to a thousand.
    """
    scores, log_p, rule = _inputs(scenario)
    k, sd = len(scores), noise.sd
    n = max(100, draws_for(k, rule) // 8)
    spreads = sd * np.logspace(-2, 3, points)
    if sigma_of(scenario) == 0:
        true = np.broadcast_to(scores, (points, k))
    else:
        true = np.array([_inputs(rescaled(scenario, sigma))[0] for sigma in spreads.tolist()])
    shown = _target(scenario, rule, log_p, true)
    noisy = true[:, None, :] + noise.draw(np.random.default_rng(seed), (n, k))
    tv = _tv(_target(scenario, rule, log_p, noisy), shown[:, None, :])
    moved = _tv(shown, target(log_p, np.zeros_like(log_p)))
    mean = tv.mean(axis=-1)
    below = np.flatnonzero(mean > 0.5 * moved)
    at = None
    if len(below) and below[-1] + 1 < points:
        i = int(below[-1])
        excess = mean[i : i + 2] - 0.5 * moved[i : i + 2]
        at = float(spreads[i] * (spreads[i + 1] / spreads[i]) ** (excess[0] / (excess[0] - excess[1])))
    return Threshold(spreads, mean, tv.std(axis=-1, ddof=1) / math.sqrt(n), moved, at)


@dataclass(frozen=True)
class Tradeoff:
    """What a rule gains in calm and loses in truth on one group; everything is a TV.

    Attributes:
        rule: its name.
        bias: between its target of the true scores and the paper's.
        noise: expected, between its target of new scores and of the true ones.
        total, total_error: expected, between its target of new scores and the paper's of the true ones.
    """

    rule: str
    bias: float
    noise: float
    total: float
    total_error: float


def tradeoffs(scenario: Scenario, noise: Noise, rules: Sequence[str], *, seed: int = SEED) -> list[Tradeoff]:
    """Bias against noise of some rules on the same draws; the paper's rule without noise is the truth."""
    scores, log_p, _ = _inputs(scenario)
    truth = target(log_p, standardise(scores), eta=scenario.eta)
    n = max(200, draws_for(len(scores), RULES["tpo_paper"]) // 4)
    noisy = scores + noise.draw(np.random.default_rng(seed), (n, len(scores)))
    found = []
    for name in rules:
        rule = RULES[name].tuned(scenario.strength) if name == scenario.rule else RULES[name]
        shown, again = (_target(scenario, rule, log_p, s) for s in (scores, noisy))
        total = _tv(again, truth)
        error = float(total.std(ddof=1)) / math.sqrt(n)
        found.append(
            Tradeoff(name, float(_tv(shown, truth)), float(_tv(again, shown).mean()), float(total.mean()), error)
        )
    return found


def _inputs(scenario: Scenario) -> tuple[Floats, Floats, Rule]:
    """Scores and log-probs of the scored candidates, and the rule with its strength."""
    counted = scenario.counted()
    rule = RULES[scenario.rule].tuned(scenario.strength)
    return scenario.score_array()[counted], scenario.log_p_old()[counted], rule


def _target(scenario: Scenario, rule: Rule, log_p: Floats, scores: Floats) -> Floats:
    u = standardise(scores, rule=replace(rule, single="zero"))
    q: Floats = target(np.broadcast_to(log_p, u.shape), u, eta=scenario.eta)
    return q


def _tv(a: Floats, b: Floats) -> Floats:
    total: Floats = 0.5 * np.sum(np.abs(a - b), axis=-1)
    return total
