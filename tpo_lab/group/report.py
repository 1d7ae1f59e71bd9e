"""Every number that is shown about one group, computed once: the page, the command line and the tests read this."""

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import spread, standardise
from tpo_lab.group.target import (
    cross_entropy,
    entropy,
    kl_of_logs,
    log_odds_factor,
    log_target,
    objective_maximum,
)

_LOG_LARGEST = math.log(sys.float_info.max)


@dataclass(frozen=True)
class Report:
    """The target of a scenario and what describes it. Vectors have shape (K,); information is in nats.

    Attributes:
        best: index of the candidate with the highest score; the first of several.
        log_odds_factor: log of the factor by which the odds of `best` grow from p_old to q.
        odds_factor: its exponential, at most the largest float.
        effective_p_old, effective_q: exp of the entropy: how many candidates the distribution is spread over.
        argmax_moved: whether the most probable candidate of q was not among the most probable of p_old.
        objective_p_old, objective_q: J at p_old and its maximum, reached at q.
        loss_at_p_old: cross-entropy of p_old under q, where the first epoch starts.
    """

    scenario: Scenario
    counted: Any
    u: Floats
    log_p_old: Floats
    p_old: Floats
    log_q: Floats
    q: Floats
    q_minus_p: Floats
    n_counted: int
    mean: float
    sigma_population: float
    sigma_sample: float
    zero_variance: bool
    kl_q_p: float
    entropy_p_old: float
    entropy_q: float
    effective_p_old: float
    effective_q: float
    best: int
    log_odds_factor: float
    odds_factor: float
    argmax_moved: bool
    objective_p_old: float
    objective_q: float
    loss_at_p_old: float


def report(scenario: Scenario) -> Report:
    """Standardise, tilt and describe one group in float64."""
    scores, counted, eta = scenario.score_array(), scenario.counted(), scenario.eta
    raw_log_p = scenario.log_p_old()
    u = standardise(scores, counted=counted, rule=scenario.rule, strength=scenario.strength)
    stats = spread(scores, counted=counted)
    log_p_old = log_target(raw_log_p, np.zeros_like(u), counted=counted)
    p_old = np.exp(log_p_old)
    log_q = log_target(raw_log_p, u, eta=eta, counted=counted)
    q = np.exp(log_q)
    best = int(np.argmax(np.where(counted, scores, -np.inf)))
    log_odds = float(log_odds_factor(log_p_old, log_q, best))
    return Report(
        scenario=scenario,
        counted=counted,
        u=u,
        log_p_old=log_p_old,
        p_old=p_old,
        log_q=log_q,
        q=q,
        q_minus_p=q - p_old,
        n_counted=int(counted.sum()),
        mean=float(stats.mean[0]),
        sigma_population=float(stats.sigma_population[0]),
        sigma_sample=float(stats.sigma_sample[0]),
        zero_variance=bool(stats.zero_variance[0]),
        kl_q_p=float(kl_of_logs(log_q, log_p_old)),
        entropy_p_old=float(entropy(p_old)),
        entropy_q=float(entropy(q)),
        effective_p_old=float(np.exp(entropy(p_old))),
        effective_q=float(np.exp(entropy(q))),
        best=best,
        log_odds_factor=log_odds,
        odds_factor=math.exp(log_odds) if log_odds < _LOG_LARGEST else sys.float_info.max,
        argmax_moved=bool(p_old[np.argmax(q)] < p_old.max()),
        objective_p_old=float(np.sum(p_old * u)),
        objective_q=float(objective_maximum(raw_log_p, u, eta=eta, counted=counted)),
        loss_at_p_old=float(cross_entropy(raw_log_p, q, counted=counted)),
    )


def advantages(scenario: Scenario) -> dict[str, Floats | None]:
    """What every rule of the registry makes of the scores, by name, shape (K,).

    The scenario's own rule has its strength, the other robust rules their defaults. None where the stack refuses a
    group with a single scored candidate.
    """
    scores, counted = scenario.score_array(), scenario.counted()
    few = int(counted.sum()) < 2

    def under(rule: Rule) -> Floats | None:
        if few and rule.single == "refused":
            return None
        strength = scenario.strength if rule.name == scenario.rule else None
        u: Floats = standardise(scores, counted=counted, rule=rule, strength=strength)
        return u

    return {name: under(rule) for name, rule in RULES.items()}
