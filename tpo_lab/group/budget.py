"""The temperature that spends a given KL budget: eta is the multiplier of KL(q || p_old) in the objective."""

import math

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.arrays import Array
from tpo_lab.group.target import kl_of_logs, log_target

MIN_BUDGET = 1e-12  # nats; below it KL drowns in the rounding of the log-probs
_NO_MASS = 800.0  # nats: exp(-800) is 0 in float64


def eta_for_kl(log_p_old: Array, u: Array, budget: float, counted: Array | None = None) -> float:
    """The eta at which KL(q || p_old) equals the budget, for one group; the KL falls as eta grows.

    Args:
        log_p_old: old log-probs up to a constant, shape (K,).
        u: standardised scores, shape (K,).
        budget: nats, at least `MIN_BUDGET`.
        counted: bool, shape (K,). Default: all count.

    Raises:
        InputError: if the budget is too small, if the scores of the reachable candidates are equal, or if no
            eta reaches the budget: the limit for eta -> 0 is -log of the p_old mass on the best candidates.
    """
    from scipy.optimize import brentq

    if not MIN_BUDGET <= budget < math.inf:  # NaN fails too
        raise InputError("kl", f"The KL budget must be a number of nats from {MIN_BUDGET:g} up, not {budget:g}.")
    u = np.asarray(u, dtype=np.float64)
    log_p = log_target(np.asarray(log_p_old, dtype=np.float64), np.zeros_like(u), counted=counted)
    reachable = log_p > -np.inf
    log_p, u = log_p[reachable], u[reachable]
    best = float(u.max())
    if best == u.min():
        raise InputError("kl", "All scores that p_old can reach are equal, so q = p_old and KL is 0 at every eta.")

    def kl(log_eta: float) -> float:
        return float(kl_of_logs(log_target(log_p, u, eta=math.exp(log_eta)), log_p))

    # Below `cold` only the best candidates keep mass; above `hot` the KL is under the budget: the second derivative of
    # the log-partition function is at most (range of u)^2 / 4, so KL <= (range / eta)^2 / 8.
    cold = math.log(best - float(u[u < best].max())) - math.log(_NO_MASS)
    hot = math.log(best - float(u.min())) - 0.5 * math.log(8 * budget) + 0.01
    reach = kl(cold)
    if reach <= budget:
        raise InputError(
            "kl",
            f"A KL budget of {budget:g} nats is out of reach: below {reach:.4g} nats, where all of q is on the best.",
        )
    return math.exp(brentq(lambda log_eta: kl(log_eta) - budget, min(cold, hot), hot, xtol=1e-15, rtol=1e-15))
