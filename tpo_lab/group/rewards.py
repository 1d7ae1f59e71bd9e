"""Several rewards for each candidate: three ways to make one target of them, and what each way forgets.

Axes: M rewards, K candidates.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.scenario import Floats
from tpo_lab.group.standardise import standardise
from tpo_lab.group.target import target

Order = Literal["sum_first", "standardise_first", "mix_targets"]
ORDERS: dict[Order, str] = {
    "sum_first": "Sum, then standardise",
    "standardise_first": "Standardise, then sum (GDPO)",
    "mix_targets": "Mix one target per reward",
}
MAX_REWARDS = 6
_SAME = 1e-9  # standard deviations: advantages closer than this are one


@dataclass(frozen=True)
class Combined:
    """What one order makes of the rewards.

    Attributes:
        order: its name.
        u: advantages, shape (K,); for mixed targets the one that gives q: eta log(q / p_old), less its mean.
        q: target, shape (K,).
        levels: how many different values u takes.
        shares: how much of u each reward accounts for, shape (M,): w_m cov(v_m, u) / var(u) with v_m what is summed;
            they add up to 1. NaN where u is constant, and for mixed targets, whose shares are their weights.
    """

    order: Order
    u: Floats
    q: Floats
    levels: int
    shares: Floats


def combine(
    rewards: Floats, weights: Floats, log_p_old: Floats, *, eta: float, rule: str, strength: float | None = None
) -> list[Combined]:
    """The three orders, on one group.

    Sum first: u = z(sum_m w_m r_m). Standardise first: u = sum_m w_m z(r_m); GDPO goes on to divide by the deviation of
    the whole batch, a constant that no group shows. Mixed: q = sum_m w_m q_m / sum_m w_m, q_m prop. to
    p_old exp(z(r_m) / eta). z is the rule, with its constant of that strength.

    Args:
        rewards: shape (M, K), finite.
        weights: shape (M,), at least one not 0; mixed targets need all of them to be at least 0.
        log_p_old: shape (K,).

    Returns:
        One result an order; without the mixed targets where a weight is negative.

    Raises:
        InputError: if the numbers of weights and rewards differ, or every weight is 0.

    Source: GDPO, arXiv 2601.05242, for the second order; the third is TPO Lab's.
    """
    check(rewards, weights)
    standardised = standardise(rewards, rule=rule, strength=strength)
    summed = standardise(weights @ rewards, rule=rule, strength=strength)
    added = weights @ standardised
    found = [
        _weighed("sum_first", summed, weights[:, None] * rewards, log_p_old, eta),
        _weighed("standardise_first", added, weights[:, None] * standardised, log_p_old, eta),
    ]
    if np.all(weights >= 0):
        q = weights / weights.sum() @ target(np.broadcast_to(log_p_old, rewards.shape), standardised, eta=eta)
        p = target(log_p_old, np.zeros_like(q))
        ratio = np.divide(q, p, out=np.ones_like(q), where=p > 0)
        u = eta * np.log(ratio)
        u -= u.mean()
        found.append(Combined("mix_targets", u, q, levels(u), weights / weights.sum()))
    return found


def check(rewards: Floats, weights: Floats) -> None:
    """Raise InputError if there are too many rewards, another number of weights, or no weight but 0."""
    m = len(rewards)
    if not 1 <= m <= MAX_REWARDS:
        raise InputError("rewards", f"A group has 1 to {MAX_REWARDS} rewards, not {m}.")
    if len(weights) != m:
        raise InputError("weights", f"There are {len(weights)} weights for {m} rewards; give one each.")
    if not np.any(weights):
        raise InputError("weights", "At least one weight must differ from 0.")


def levels(values: Floats) -> int:
    """How many different numbers there are among the values, shape (K,), or rows, shape (K, M), up to rounding."""
    unit = np.maximum(np.max(np.abs(values)), 1.0) * _SAME
    return len(np.unique(np.round(values / unit), axis=0))


def _weighed(order: Order, u: Floats, parts: Floats, log_p_old: Floats, eta: float) -> Combined:
    total = parts.sum(axis=0)
    centred = total - total.mean()
    variance = float(centred @ centred)
    with np.errstate(invalid="ignore"):
        shares = parts @ centred / (variance if levels(total) > 1 else np.nan)
    return Combined(order, u, target(log_p_old, u, eta=eta), levels(u), shares)
