"""Health at a glance: which groups are dead, which amplify noise, and what the target does to the rest."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.layout import Block, Ints
from tpo_lab.rollouts_io.lazy import Lazy
from tpo_lab.rollouts_io.numbers import Numbers, numbers_of
from tpo_lab.rollouts_io.settings import DEFAULT_THRESHOLD, Setting
from tpo_lab.rollouts_io.steps import PERCENTILES, over_steps
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats
from tpo_lab.rollouts_io.workings import Scores, Workings

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
        summary: the figures that are printed, by name.
        steps: the same over training steps, one array a name.
    """

    setting: Setting
    numbers: Numbers
    kinds: Ints
    threshold: float
    suggested: float | None
    shares: dict[Kind, float]
    summary: Mapping[str, Any]
    steps: Mapping[str, Floats]


def health(table: Rollouts, setting: Setting | None = None, threshold: float = DEFAULT_THRESHOLD) -> Health:
    """Judge every group of a table.

    Args:
        threshold: sigma in units of the score, 0 or more; a group that varies less is low-variance.

    Raises:
        InputError: if the threshold is negative or no number.
    """
    return judged(Workings(table), setting or Setting(), threshold)


def judged(workings: Workings, setting: Setting, threshold: float) -> Health:
    """The same of workings that may be there already: a moved threshold then costs little."""
    if not 0 <= threshold < np.inf:
        raise InputError("threshold", f"The threshold must be a spread of scores from 0 up, not {threshold:g}.")
    table, numbers = workings.table, numbers_of(workings, setting)
    kinds = kinds_of(numbers, threshold)
    shares: dict[Kind, float] = {
        kind: float(np.mean(kinds == i)) if len(kinds) else 0.0 for i, kind in enumerate(KINDS)
    }
    suggested = workings.once("suggested", make=lambda: suggested_threshold(table))
    logged_zero = workings.once("logged zero", setting.missing_is_zero, make=lambda: reward_zero_std(workings, setting))
    return Health(
        setting,
        numbers,
        kinds,
        threshold,
        suggested,
        shares,
        _summary(workings, numbers, kinds, shares, logged_zero),
        over_steps(table, numbers, {kind: kinds == i for i, kind in enumerate(KINDS)}, logged_zero),
    )


def kinds_of(numbers: Numbers | Scores, threshold: float) -> Ints:
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


def _summary(
    workings: Workings, n: Numbers, kinds: Ints, shares: Mapping[Kind, float], logged_zero: Bools
) -> Mapping[str, Any]:
    table, scored, informative = workings.table, n.n > 0, kinds == KINDS.index("informative")

    def mean(values: Floats | Bools, where: Bools = scored) -> float | None:
        return float(np.mean(values[where])) if where.any() else None

    of_table: Mapping[str, Any] = workings.once("table", make=lambda: _of_table(table))
    return Lazy(
        {
            **{name: partial(of_table.__getitem__, name) for name in of_table},
            "zero_variance": lambda: shares["all_fail"] + shares["all_pass"] + shares["other_constant"],
            **{kind: partial(shares.__getitem__, kind) for kind in KINDS if kind != "informative"},
            "informative": lambda: shares["informative"],
            "sigma": lambda: _sigma(n),
            "reward_mean": lambda: mean(n.mean),
            "reward_mean_informative": lambda: mean(n.mean, informative),
            "policy_known": lambda: mean(n.known_policy),
            "effective_p_old": lambda: mean(np.exp(n.entropy_p_old)),
            "effective_q": lambda: mean(np.exp(n.entropy_q)),
            "entropy_p_old": lambda: mean(n.entropy_p_old),
            "entropy_q": lambda: mean(n.entropy_q),
            "kl_q_p": lambda: mean(n.kl),
            "mean_abs_q_minus_p": lambda: mean(n.mean_abs_change),
            "argmax_moved": lambda: mean(n.argmax_moved),
            "peaked": lambda: mean(n.peaked),
            "frac_reward_zero_std": lambda: float(np.mean(logged_zero)),
        }
    )


def _of_table(table: Rollouts) -> dict[str, Any]:
    sizes = table.sizes()
    return {
        "groups": table.groups,
        "candidates": table.rows,
        "scored": int((~np.isnan(table.score)).sum()),
        "k": {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
        "steps": len(np.unique(table.group_step[~np.isnan(table.group_step)])),
    }


def _sigma(n: Numbers) -> dict[str, float]:
    """Percentiles of sigma over the groups with two scores or more; none where there is no such group."""
    sigma = n.sigma[n.n > 1]
    if not len(sigma):
        return {}
    return {f"p{p}": float(x) for p, x in zip(PERCENTILES, np.percentile(sigma, PERCENTILES), strict=True)}


def reward_zero_std(workings: Workings, setting: Setting) -> Bools:
    """The groups that a stack counts in `frac_reward_zero_std`: float32 sample deviation within 1e-8 of 0, shape (G,).

    A float32 mean of equal scores can round, and its deviation is then not 0; a group of one has none (NaN).
    """
    zero = np.zeros(workings.table.groups, dtype=bool)
    with np.errstate(over="ignore"):
        flat = workings.scores(setting).flat.astype(np.float32)

    def fill(b: Block) -> None:
        score = b.of(flat)
        scored = ~np.isnan(score)
        some, n = np.where(scored, score, np.float32(0)), scored.sum(axis=-1, dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = some.sum(axis=-1) / np.maximum(n, 1)
            squares = np.where(scored, (some - mean[:, None]) ** 2, np.float32(0)).sum(axis=-1)
            zero[b.groups] = (np.sqrt(squares / np.maximum(n - 1, 1)) <= _CLOSE) & (n > 1)

    workings.layout.each(fill)
    return zero
