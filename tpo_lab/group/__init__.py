"""One group of K scored candidates: standardisation rules, the target, and what is said about it.

Everything here takes NumPy or JAX arrays and imports only NumPy (and SciPy when a root is asked for).
"""

from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.standardise import Spread, spread, standardise
from tpo_lab.group.target import (
    cross_entropy,
    cross_entropy_gradient,
    entropy,
    kl,
    kl_of_logs,
    log_odds_factor,
    log_target,
    objective,
    objective_maximum,
    policy,
    target,
)

__all__ = [
    "RULES",
    "Rule",
    "Spread",
    "cross_entropy",
    "cross_entropy_gradient",
    "entropy",
    "kl",
    "kl_of_logs",
    "log_odds_factor",
    "log_target",
    "objective",
    "objective_maximum",
    "policy",
    "spread",
    "standardise",
    "target",
]
