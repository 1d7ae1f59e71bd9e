"""The health of each training step: the same figures as of the whole file, one array of steps a name."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from tpo_lab.rollouts_io.layout import Ints
from tpo_lab.rollouts_io.lazy import Lazy
from tpo_lab.rollouts_io.numbers import Numbers
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats

PERCENTILES = (5, 25, 50, 75, 95)


def over_steps(
    table: Rollouts, numbers: Numbers, kinds: Mapping[str, Bools], logged_zero: Bools
) -> Mapping[str, Floats]:
    """The figures of each step, ascending; groups without a step are not part of it. NaN where a step has none.

    Shares are of all groups of the step; means are over its scored ones.

    Args:
        kinds: by name, the groups of the kind.
        logged_zero: the groups that a stack counts in `frac_reward_zero_std`.
    """
    known = ~np.isnan(table.group_step)
    steps, at = np.unique(table.group_step[known], return_inverse=True)
    every, n = np.ones(len(at), dtype=bool), numbers
    sizes, scored = table.sizes(), (n.n > 0)[known]

    def total(values: Any, where: Bools) -> Floats:
        sums = np.bincount(at[where], np.asarray(values, dtype=np.float64)[known][where], len(steps))
        return sums.astype(np.float64)

    def mean(values: Any, where: Bools = every) -> Floats:
        groups = np.bincount(at[where], minlength=len(steps))
        return np.where(groups > 0, total(values, where) / np.maximum(groups, 1), np.nan)

    def percentile(p: int) -> Floats:
        return spread()[p]

    @cache
    def spread() -> dict[int, Floats]:
        return _percentiles(n.sigma[known], at, len(steps), (n.n > 1)[known])

    found: Lazy[Floats] = Lazy(
        {
            "step": lambda: steps,
            "groups": lambda: total(np.ones(table.groups), every),
            "candidates": lambda: total(sizes, every),
            "k": lambda: mean(sizes),
            **{kind: partial(mean, of_kind) for kind, of_kind in kinds.items()},
            "zero_variance": lambda: found["all_fail"] + found["all_pass"] + found["other_constant"],
            "frac_reward_zero_std": lambda: mean(logged_zero),
            "reward_mean": lambda: mean(n.mean, scored),
            "reward_mean_informative": lambda: mean(n.mean, kinds["informative"][known]),
            **{f"sigma_p{p}": partial(percentile, p) for p in PERCENTILES},
            "effective_p_old": lambda: mean(np.exp(n.entropy_p_old), scored),
            "effective_q": lambda: mean(np.exp(n.entropy_q), scored),
            "entropy_p_old": lambda: mean(n.entropy_p_old, scored),
            "entropy_q": lambda: mean(n.entropy_q, scored),
            "kl_q_p": lambda: mean(n.kl, scored),
            "mean_abs_q_minus_p": lambda: mean(n.mean_abs_change, scored),
            "argmax_moved": lambda: mean(n.argmax_moved, scored),
            "peaked": lambda: mean(n.peaked, scored),
        }
    )
    return found


def _percentiles(sigma: Floats, at: Ints, steps: int, several: Bools) -> dict[int, Floats]:
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
        found[p] = values
    return found
