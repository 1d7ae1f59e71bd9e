"""The health of each training step: the same figures as of the whole file, one array of steps a name."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tpo_lab.rollouts_io.layout import Ints
from tpo_lab.rollouts_io.numbers import Numbers
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats

PERCENTILES = (5, 25, 50, 75, 95)


def over_steps(table: Rollouts, numbers: Numbers, kinds: Mapping[str, Bools], logged_zero: Bools) -> dict[str, Floats]:
    """The figures of each step, ascending; groups without a step are not part of it. NaN where a step has none.

    Shares are of all groups of the step; means are over its scored ones.

    Args:
        kinds: by name, the groups of the kind.
        logged_zero: the groups that a stack counts in `frac_reward_zero_std`.
    """
    known = ~np.isnan(table.group_step)
    steps, at = np.unique(table.group_step[known], return_inverse=True)
    every, n = np.ones(len(at), dtype=bool), numbers

    def total(values: Any, where: Bools) -> Floats:
        sums = np.bincount(at[where], np.asarray(values, dtype=np.float64)[known][where], len(steps))
        return sums.astype(np.float64)

    def mean(values: Any, where: Bools = every) -> Floats:
        groups = np.bincount(at[where], minlength=len(steps))
        return np.where(groups > 0, total(values, where) / np.maximum(groups, 1), np.nan)

    sizes, scored = table.sizes(), (n.n > 0)[known]
    found: dict[str, Floats] = {"step": steps, "groups": total(np.ones(table.groups), every)}
    found |= {"candidates": total(sizes, every), "k": mean(sizes)}
    found |= {kind: mean(of_kind) for kind, of_kind in kinds.items()}
    found["zero_variance"] = found["all_fail"] + found["all_pass"] + found["other_constant"]
    found["frac_reward_zero_std"] = mean(logged_zero)
    found["reward_mean"] = mean(n.mean, scored)
    found["reward_mean_informative"] = mean(n.mean, kinds["informative"][known])
    found |= _percentiles(n.sigma[known], at, len(steps), (n.n > 1)[known])
    for name, values in (
        ("effective_p_old", np.exp(n.entropy_p_old)),
        ("effective_q", np.exp(n.entropy_q)),
        ("entropy_p_old", n.entropy_p_old),
        ("entropy_q", n.entropy_q),
        ("kl_q_p", n.kl),
        ("mean_abs_q_minus_p", n.mean_abs_change),
        ("argmax_moved", n.argmax_moved),
        ("peaked", n.peaked),
    ):
        found[name] = mean(values, scored)
    return found


def _percentiles(sigma: Floats, at: Ints, steps: int, several: Bools) -> dict[str, Floats]:
    """Percentiles of sigma over the groups of a step with two scores or more, as `numpy.percentile` has them."""
    sigma, at = sigma[several], at[several]
    ordered = sigma[np.lexsort((sigma, at))]
    n = np.bincount(at, minlength=steps)
    first = np.cumsum(n) - n
    found = {}
    for p in PERCENTILES:
        place = p / 100 * np.maximum(n - 1, 0)
        low = np.floor(place).astype(np.int64)
        values = np.full(steps, np.nan)
        some = n > 0
        if some.any():
            below = ordered[(first + low)[some]]
            above = ordered[(first + np.minimum(low + 1, np.maximum(n - 1, 0)))[some]]
            values[some] = below + (above - below) * (place - low)[some]
        found[f"sigma_p{p}"] = values
    return found
