"""What if: the update of every group under two settings, and the groups between which it changes most.

A weight is what the loss multiplies grad log pi(y_i | x) by in the first step, minus its derivative in log pi(y_i) at
the policy that sampled, so that one update can be held against another.
"""

from dataclasses import dataclass

import numpy as np

from tpo_lab.group.target import log_target
from tpo_lab.rollouts_io.health import KINDS, kinds_of
from tpo_lab.rollouts_io.numbers import Block, Numbers, numbers_of
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Floats

LARGEST_SHARE = 0.1
_AWR_LIMIT = 20.0


@dataclass(frozen=True)
class Update:
    """The update of a table under one setting.

    Attributes:
        weight: of each candidate, shape (R,); 0 where it has no score or its group is masked.
        mass: sum of |weight| of each group, shape (G,).
        summary: figures by name: shares of groups and of mass, and means over the scored groups.
    """

    setting: Setting
    numbers: Numbers
    weight: Floats
    mass: Floats
    summary: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """Two updates, and how far each group moves between them.

    Attributes:
        change: sum over the candidates of |difference of weight|, where both updates are scaled to a mean mass of 1
            a group: two methods have no unit in common. Shape (G,).
    """

    before: Update
    after: Update
    change: Floats


def compare(table: Rollouts, before: Update, after: Update) -> Comparison:
    """How far each group moves between two updates of a table."""
    difference = np.abs(_scaled(after) - _scaled(before))
    change: Floats = np.add.reduceat(difference, table.starts[:-1])
    return Comparison(before, after, change)


def update(table: Rollouts, setting: Setting, threshold: float) -> Update:
    """The weight of every candidate under a setting; `threshold` tells low-variance groups, as in `health`."""
    weight = np.zeros(table.rows)

    def fill(block: Block) -> None:
        weight[block.rows] = np.where(block.counted, _weights(block, setting), 0.0)

    numbers = numbers_of(table, setting, also=fill)
    if setting.mask >= 0:
        masked = numbers.zero_variance | (numbers.sigma <= setting.mask)
        weight[np.repeat(masked, table.sizes())] = 0.0
    mass: Floats = np.add.reduceat(np.abs(weight), table.starts[:-1])
    return Update(setting, numbers, weight, mass, _summary(numbers, mass, threshold))


def _weights(b: Block, setting: Setting) -> Floats:
    """-d loss / d log pi(y_i) of each method at p = p_old, shape (n, K)."""
    match setting.method:
        case "tpo":
            weights: Floats = np.exp(b.log_q) - np.exp(b.log_p)
        case "tpo_no_anchor":
            free = log_target(np.zeros_like(b.u), b.u, eta=setting.eta, counted=b.counted)
            weights = np.exp(free) - np.exp(b.log_p)
        case "awr":
            weights = np.exp(np.minimum(b.u / setting.eta, np.log(_AWR_LIMIT)))
        case _:
            weights = b.u
    return weights


def _summary(numbers: Numbers, mass: Floats, threshold: float) -> dict[str, float]:
    total = float(mass.sum())
    scored = numbers.n > 0
    kinds = kinds_of(numbers, threshold)
    low = kinds == KINDS.index("low_variance")
    top = max(1, int(np.ceil(LARGEST_SHARE * len(mass))))
    largest = float(np.sort(mass)[-top:].sum())
    acting = scored & (mass > 0)

    def share(part: float) -> float:
        return part / total if total > 0 else 0.0

    def mean(values: Floats) -> float:
        return float(values[acting].mean()) if acting.any() else 0.0

    return {
        "no_update": float(np.mean(mass == 0)),
        "mass_mean": total / max(1, len(mass)),
        "mass_largest": share(largest),
        "mass_low_variance": share(float(mass[low].sum())),
        "mass_constant": share(float(mass[numbers.low == numbers.high].sum())),
        "mean_abs_q_minus_p": mean(numbers.mean_abs_change),
        "argmax_moved": mean(numbers.argmax_moved.astype(np.float64)),
        "largest_u": float(numbers.largest.max(initial=0.0)),
    }


def _scaled(u: Update) -> Floats:
    mean = float(u.mass.mean()) if len(u.mass) else 0.0
    return u.weight / mean if mean > 0 else u.weight
