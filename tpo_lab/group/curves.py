"""Every rule against the spread of the scores: where it amplifies, goes silent, jumps, leaks, explodes or turns round.

Axes: T spreads, K scored candidates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tpo_lab.group.findings import Finding, find
from tpo_lab.group.literal import Numbers, Precision, literal
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import spread
from tpo_lab.group.target import target

PER_DECADE = 10
SPREADS: Floats = np.array([float(f"{10 ** (i / PER_DECADE):.3g}") for i in range(-9 * PER_DECADE, 3 * PER_DECADE + 1)])


@dataclass(frozen=True)
class Curves:
    """What each rule makes of one group at each spread, by name of rule.

    Attributes:
        spreads: shape (T,).
        u: the followed candidate's standardised score or advantage, shape (T,).
        q: its target, shape (T,).
        followed: index of that candidate.
        findings: what happens on the way, in the order of the rules.
    """

    spreads: Floats
    u: Mapping[str, Floats]
    q: Mapping[str, Floats]
    followed: int
    findings: tuple[Finding, ...]


def rescaled(scenario: Scenario, sigma: float) -> Scenario:
    """The same group with a population standard deviation of `sigma`, its lowest score where it was.

    Equal scores stay as they are.
    """
    return with_scores(scenario, _stretched(scenario.score_array()[scenario.counted()], np.array([sigma]))[0])


def with_scores(scenario: Scenario, scored: Floats) -> Scenario:
    """The scenario with other scores of its scored candidates."""
    values = iter(scored.tolist())
    return replace(scenario, scores=tuple(None if s is None else next(values) for s in scenario.scores))


def sigma_of(scenario: Scenario) -> float:
    """The population standard deviation of the scored candidates."""
    return float(spread(scenario.score_array()).sigma_population[0])


def curves(
    scenario: Scenario,
    precision: Precision = "float64",
    rules: Mapping[str, Rule] = RULES,
    spreads: Floats = SPREADS,
    follow: int | None = None,
) -> Curves:
    """Every rule on the group at every spread, as its stack computes it.

    Args:
        scenario: the group; the strength belongs to its rule.
        precision: see `literal`.
        rules: by name.
        spreads: population standard deviations, rising, shape (T,).
        follow: index of the candidate whose u and q are kept; None: the best, the first of several.
    """
    counted = scenario.counted()
    scores = _stretched(scenario.score_array()[counted], spreads)
    log_p = scenario.log_p_old()[counted]
    index = np.flatnonzero(counted)
    followed = int(index[np.argmax(scores[-1])]) if follow is None else follow
    at = int(np.flatnonzero(index == followed)[0])
    u: dict[str, Floats] = {}
    q: dict[str, Floats] = {}
    findings: list[Finding] = []
    for name, rule in rules.items():
        tuned = rule.tuned(scenario.strength) if name == scenario.rule else rule
        found = literal(scores, tuned, precision)
        u[name] = found[:, at].astype(np.float64)
        q[name] = targets(log_p, found, scenario.eta)[:, at]
        findings += find(tuned, scores, found, spreads, precision)
    return Curves(spreads, u, q, followed, tuple(findings))


def targets(log_p: Floats, u: Numbers, eta: float) -> Floats:
    """q of each row of u, shape (..., K), under the same old policy, shape (K,); NaN where u is not finite."""
    finite = np.all(np.isfinite(u), axis=-1, keepdims=True)
    safe = np.where(finite, u, 0).astype(np.float64)
    q: Floats = np.where(finite, target(np.broadcast_to(log_p, safe.shape), safe, eta=eta), np.nan)
    return q


def _stretched(scores: Floats, sigmas: Floats) -> Floats:
    """The scores at each deviation, shape (T, K), measured from the lowest."""
    stats, low = spread(scores), scores.min()
    sigma = float(stats.sigma_population[0])
    if sigma == 0:
        return np.broadcast_to(scores, (len(sigmas), len(scores))).copy()
    stretched: Floats = low + (scores - low) / sigma * sigmas[:, None]
    return stretched
