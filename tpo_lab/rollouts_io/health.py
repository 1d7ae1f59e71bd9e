"""Health at a glance: which groups are dead, which amplify noise, and what the target does to the rest."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.numbers import Numbers, numbers_of
from tpo_lab.rollouts_io.settings import DEFAULT_THRESHOLD, Setting
from tpo_lab.rollouts_io.table import Ints, Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats

Kind = Literal["unscored", "single", "all_fail", "all_pass", "other_constant", "low_variance", "informative"]
KINDS: tuple[Kind, ...] = (
    "all_fail", "all_pass", "other_constant", "low_variance", "informative", "single", "unscored",
)  # fmt: skip
LABELS: dict[Kind, str] = {
    "all_fail": "all fail",
    "all_pass": "all pass",
    "other_constant": "other constant",
    "low_variance": "low variance",
    "informative": "informative",
    "single": "one score only",
    "unscored": "no score",
}
PERCENTILES = (5, 25, 50, 75, 95)
_CLOSE = 1e-8  # what `isclose` takes for 0
_TINY = 1e-300  # a spread that has no digits left
_RARE = 0.01  # share of the scores that a gap needs on either side


@dataclass(frozen=True)
class Health:
    """What a table of groups looks like under one setting. Shares are of all groups.

    Attributes:
        numbers: of every group.
        kinds: index into `KINDS` of every group, shape (G,).
        threshold: sigma below which a group counts as low-variance, in units of the score.
        suggested: the spread of a group in which one candidate crosses the widest gap between scores; None: no gap.
        shares: by kind.
        summary: the figures that are printed, by name; see `health`.
        steps: the same over training steps, one array a name.
    """

    setting: Setting
    numbers: Numbers
    kinds: Ints
    threshold: float
    suggested: float | None
    shares: dict[Kind, float]
    summary: dict[str, Any]
    steps: dict[str, Floats]


def health(table: Rollouts, setting: Setting | None = None, threshold: float = DEFAULT_THRESHOLD) -> Health:
    """Judge every group of a table.

    Args:
        threshold: sigma in units of the score, 0 or more; a group that varies less is low-variance.

    Raises:
        InputError: if the threshold is negative or no number.
    """
    if not 0 <= threshold < np.inf:
        raise InputError("threshold", f"The threshold must be a spread of scores from 0 up, not {threshold:g}.")
    setting = setting or Setting()
    numbers = numbers_of(table, setting)
    return judged(table, setting, numbers, threshold)


def judged(table: Rollouts, setting: Setting, numbers: Numbers, threshold: float) -> Health:
    """The health of numbers that are there already: what a moved threshold costs."""
    kinds = kinds_of(numbers, threshold)
    shares: dict[Kind, float] = {
        kind: float(np.mean(kinds == i)) if len(kinds) else 0.0 for i, kind in enumerate(KINDS)
    }
    return Health(
        setting,
        numbers,
        kinds,
        threshold,
        suggested_threshold(table),
        shares,
        _summary(table, numbers, kinds, shares),
        over_steps(table, numbers, kinds),
    )


def kinds_of(numbers: Numbers, threshold: float) -> Ints:
    """Index into `KINDS` of each group. Equal scores are found by max = min; 0 or less is a fail, 1 or more a pass."""
    constant = numbers.low == numbers.high
    conditions = [
        numbers.n == 0,
        numbers.n == 1,
        constant & (numbers.low <= 0),
        constant & (numbers.low >= 1),
        constant,
        numbers.sigma < threshold,
    ]
    names: tuple[Kind, ...] = ("unscored", "single", "all_fail", "all_pass", "other_constant", "low_variance")
    return np.select(conditions, [KINDS.index(name) for name in names], KINDS.index("informative"))


def suggested_threshold(table: Rollouts) -> float | None:
    """gap sqrt(K - 1) / K for the widest gap between neighbouring scores, and the median K of the groups.

    It is the population deviation of a group in which one candidate lies across the gap: groups that vary less differ
    only by finer shades. Both sides of the gap hold at least 1 % of the scores, so that no stray value makes it.
    """
    scores = np.sort(table.score[~np.isnan(table.score)])
    k = float(np.median(table.sizes()))
    rare = int(np.ceil(_RARE * len(scores)))
    inner = scores[max(rare - 1, 0) : len(scores) - max(rare - 1, 0)]
    if k < 2 or len(inner) < 2 or inner[0] == inner[-1]:
        return None
    spread = float(np.diff(inner).max()) * math.sqrt(k - 1) / k
    if spread < _TINY:
        return None
    unit = 10.0 ** (math.floor(math.log10(spread)) - 1)
    return float(f"{math.floor(spread / unit * (1 - 1e-9)) * unit:.3g}")  # rounded down: a group on it is not below it


def _summary(table: Rollouts, numbers: Numbers, kinds: Ints, shares: dict[Kind, float]) -> dict[str, Any]:
    scored = numbers.n > 0
    several = numbers.n > 1
    informative = kinds == KINDS.index("informative")
    sizes = table.sizes()
    sigma = numbers.sigma[several]
    percentiles = np.percentile(sigma, PERCENTILES) if len(sigma) else np.full(len(PERCENTILES), np.nan)

    def mean(values: Floats | Bools, where: Bools = scored) -> float | None:
        return float(np.mean(values[where])) if where.any() else None

    return {
        "groups": table.groups,
        "candidates": table.rows,
        "scored": int((~np.isnan(table.score)).sum()),
        "k": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
        "steps": len(np.unique(table.group_step[~np.isnan(table.group_step)])),
        "zero_variance": shares["all_fail"] + shares["all_pass"] + shares["other_constant"],
        **{kind: shares[kind] for kind in KINDS if kind != "informative"},
        "informative": shares["informative"],
        "frac_reward_zero_std": frac_reward_zero_std(table),
        "sigma": {f"p{p}": float(x) for p, x in zip(PERCENTILES, percentiles, strict=True) if np.isfinite(x)},
        "reward_mean": mean(numbers.mean),
        "reward_mean_informative": mean(numbers.mean, informative),
        "policy_known": mean(numbers.known_policy),
        "effective_p_old": mean(np.exp(numbers.entropy_p_old)),
        "effective_q": mean(np.exp(numbers.entropy_q)),
        "entropy_p_old": mean(numbers.entropy_p_old),
        "entropy_q": mean(numbers.entropy_q),
        "kl_q_p": mean(numbers.kl),
        "mean_abs_q_minus_p": mean(numbers.mean_abs_change),
        "argmax_moved": mean(numbers.argmax_moved),
        "peaked": mean(numbers.peaked),
    }


def frac_reward_zero_std(table: Rollouts) -> float:
    """The share of groups that a stack logs under this name: float32 sample deviation within 1e-8 of 0.

    A float32 mean of equal scores can round, and its deviation is then not 0; a group of one has none (NaN).
    """
    zero = np.zeros(table.groups, dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        score = table.score.astype(np.float32)
        for groups, rows in table.blocks():
            scored = ~np.isnan(score[rows])
            some, n = np.where(scored, score[rows], np.float32(0)), scored.sum(axis=-1, dtype=np.float32)
            mean = some.sum(axis=-1) / np.maximum(n, 1)
            squares = np.where(scored, (some - mean[:, None]) ** 2, np.float32(0)).sum(axis=-1)
            zero[groups] = (np.sqrt(squares / np.maximum(n - 1, 1)) <= _CLOSE) & (n > 1)
    return float(zero.mean()) if len(zero) else 0.0


def over_steps(table: Rollouts, numbers: Numbers, kinds: Ints) -> dict[str, Floats]:
    """The health of each step, one value a step, ascending; groups without a step are not part of it."""
    known = ~np.isnan(table.group_step)
    steps, at = np.unique(table.group_step[known], return_inverse=True)
    n = np.bincount(at, minlength=len(steps))

    def share(values: Any) -> Floats:
        mean: Floats = np.bincount(at, np.nan_to_num(np.asarray(values, dtype=np.float64)[known]), len(steps)) / n
        return mean

    table_of: dict[str, Floats] = {"step": steps, "groups": n.astype(np.float64)}
    for i, kind in enumerate(KINDS):
        table_of[kind] = share(kinds == i)
    table_of["zero_variance"] = table_of["all_fail"] + table_of["all_pass"] + table_of["other_constant"]
    table_of["reward_mean"] = share(numbers.mean)
    informative = share(kinds == KINDS.index("informative"))
    rewarded = share(np.where(kinds == KINDS.index("informative"), numbers.mean, 0.0))
    table_of["reward_mean_informative"] = np.where(
        informative > 0, rewarded / np.where(informative > 0, informative, 1), np.nan
    )
    for name, values in (
        ("sigma", numbers.sigma),
        ("mean_abs_q_minus_p", numbers.mean_abs_change),
        ("argmax_moved", numbers.argmax_moved),
        ("effective_p_old", np.exp(numbers.entropy_p_old)),
        ("effective_q", np.exp(numbers.entropy_q)),
        ("kl_q_p", numbers.kl),
    ):
        table_of[name] = share(values)
    return table_of
