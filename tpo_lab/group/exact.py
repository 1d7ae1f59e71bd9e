"""Exact expected updates on one-hot rewards: every method moves the logits by beta(p) (e_y - pi), p = pi(y).

Source: arXiv 2604.06159, section on the multi-context bandit. p: probabilities of the right action, any shape.
"""

import math
from typing import Any

from tpo_lab.group.arrays import Array, as_arrays


def lam(k: int, eta: float = 1.0) -> float:
    """exp(K / (eta sqrt(K - 1))): the factor by which one success among K candidates grows its odds under TPO."""
    return math.exp(k / math.sqrt(k - 1) / eta)


def beta_ce(p: Array) -> Array:
    """Supervised cross-entropy: 1."""
    xp, (p,) = as_arrays(p)
    return xp.ones_like(p)


def beta_pg(p: Array) -> Array:
    """Policy gradient: p."""
    _, (p,) = as_arrays(p)
    return p


def beta_dg(p: Array, *, eta: Any = 1.0) -> Array:
    """Delightful policy gradient: p sigmoid(-log p / eta) = p / (1 + p^(1/eta)); p / (1 + p) at eta = 1."""
    _, (p, eta) = as_arrays(p, eta)
    return p / (1 + p ** (1 / eta))


def beta_grpo(p: Array) -> Array:
    """GRPO: sqrt(p / (1 - p)); 0 at p = 1, where every reward is equal."""
    xp, (p,) = as_arrays(p)
    some_fail = p < 1
    return xp.where(some_fail, xp.sqrt(p / xp.where(some_fail, 1 - p, xp.ones_like(p))), xp.zeros_like(p))


def beta_tpo(p: Array, *, k: int, eta: Any = 1.0) -> Array:
    """TPO with all K actions as candidates: p (lam - 1) / (1 - p + lam p), lam = exp(K / (eta sqrt(K - 1)))."""
    xp, (p, eta) = as_arrays(p, eta)
    # Divided by lam, so that no eta overflows.
    shrink = xp.exp(-k / math.sqrt(k - 1) / eta)
    total = (1 - p) * shrink + p
    return xp.where(p > 0, p * (1 - shrink) / xp.where(p > 0, total, xp.ones_like(p)), xp.zeros_like(p))


def beta(method: str, p: Array, *, k: int, eta: Any = 1.0) -> Array:
    """beta(p) of a method by its name; those without a temperature leave eta alone."""
    match method:
        case "tpo":
            return beta_tpo(p, k=k, eta=eta)
        case "dg":
            return beta_dg(p, eta=eta)
        case "grpo":
            return beta_grpo(p)
        case "pg":
            return beta_pg(p)
        case "ce":
            return beta_ce(p)
    raise ValueError(f"{method} has no beta(p)")
