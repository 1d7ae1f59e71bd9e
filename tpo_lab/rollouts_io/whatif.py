"""What if: the update of every group under two settings, and the groups between which it changes most.

A weight is what the loss multiplies grad log pi(y_i | x) by in the first step, minus its derivative in log pi(y_i) at
the policy that sampled, so that one update can be held against another.
"""

from dataclasses import dataclass

import numpy as np

from tpo_lab.group.target import log_target
from tpo_lab.methods.registry import METHODS
from tpo_lab.rollouts_io.health import KINDS, kinds_of
from tpo_lab.rollouts_io.layout import Block, Layout
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.values import Bools, Floats
from tpo_lab.rollouts_io.workings import Scores, Workings

LARGEST_SHARE = 0.1
_AWR_LIMIT = 20.0


@dataclass(frozen=True)
class Update:
    """The update of a table under one setting.

    Attributes:
        flat: the weight of each candidate in the order of `layout`; 0 where it has no score or its group is masked.
        mass: sum of |weight| of each group, shape (G,).
        summary: figures by name: shares of groups and of mass, and means over the scored groups.
    """

    setting: Setting
    scores: Scores
    layout: Layout
    flat: Floats
    mass: Floats
    summary: dict[str, float | None]

    @property
    def weight(self) -> Floats:
        """The weights in the order of the table, shape (R,)."""
        weight: Floats = self.layout.rows(self.flat)
        return weight


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


def compare(before: Update, after: Update) -> Comparison:
    """How far each group moves between two updates of a table."""
    layout = before.layout
    change = np.zeros(len(before.mass))
    one, other = _scale(before), _scale(after)

    def fill(b: Block) -> None:
        change[b.groups] = np.abs(other * b.of(after.flat) - one * b.of(before.flat)).sum(axis=-1)

    layout.each(fill)
    return Comparison(before, after, change)


def update(workings: Workings, setting: Setting, threshold: float) -> Update:
    """The weight of every candidate under a setting; `threshold` tells low-variance groups, as in `health`."""
    flat, mass, largest = workings.once("weights", setting, make=lambda: _weights(workings, setting))
    summary = _summary(workings, setting, mass, threshold) | {"largest_weight": largest}
    return Update(setting, workings.scores(setting), workings.layout, flat, mass, summary)


def _weights(workings: Workings, setting: Setting) -> tuple[Floats, Floats, float]:
    """-d loss / d log pi(y_i) at p = p_old, flat, the sum of its sizes over each group, and the largest of them."""
    scores, policy, tilt = workings.scores(setting), workings.policy(setting), workings.tilt(setting)
    target = workings.target(setting) if setting.method == "tpo" else None
    masked = scores.zero_variance | (scores.sigma <= setting.mask)
    flat, mass = np.empty(workings.table.rows), np.zeros(workings.table.groups)
    largest = np.zeros(workings.table.groups)

    def fill(b: Block) -> None:
        mask, u, p = b.of(scores.counted), b.of(tilt.u), b.of(policy.p)
        weights = np.exp(b.of(target.log_q)) - p if target else _of_method(setting, u, p, mask)
        keep = mask & ~masked[b.groups][:, None] if setting.mask >= 0 else mask
        b.of(flat)[...] = weights = np.where(keep, weights, 0.0)
        sizes = np.abs(weights)
        mass[b.groups], largest[b.groups] = sizes.sum(axis=-1), sizes.max(axis=-1)

    workings.layout.each(fill)
    return flat, mass, float(largest.max())


def _of_method(setting: Setting, u: Floats, p: Floats, counted: Bools) -> Floats:
    """The weights of a method but TPO, shape (n, K); what is not counted may hold anything."""
    match setting.method:
        case "tpo_no_anchor":
            free: Floats = np.exp(log_target(np.zeros_like(u), u, eta=setting.eta, counted=counted)) - p
            return free
        case "awr":
            clipped: Floats = np.exp(np.minimum(u / setting.eta, np.log(_AWR_LIMIT)))
            return clipped
        case _:
            return u


def _summary(workings: Workings, setting: Setting, mass: Floats, threshold: float) -> dict[str, float | None]:
    """The figures of an update; what is said of q is None for a method that fits no target."""
    scores, tilt, total = workings.scores(setting), workings.tilt(setting), float(mass.sum())
    low = kinds_of(scores, threshold) == KINDS.index("low_variance")
    top = max(1, int(np.ceil(LARGEST_SHARE * len(mass))))
    constant = scores.low == scores.high

    def share(part: Floats) -> float:
        return float(part.sum()) / total if total > 0 else 0.0

    of_target: dict[str, float | None] = {"mean_abs_q_minus_p": None, "argmax_moved": None}
    if METHODS[setting.method].fits_target:
        target, acting = workings.target(setting), (scores.n > 0) & (mass > 0)
        some = acting.any()
        change = 2 * target.moved[acting] / scores.n[acting]
        of_target["mean_abs_q_minus_p"] = float(change.mean()) if some else 0.0
        of_target["argmax_moved"] = float(target.argmax_moved[acting].mean()) if some else 0.0
    return {
        "dead": float(np.mean(constant)),
        "no_update": float(np.mean(mass == 0)),
        "mass_mean": total / max(1, len(mass)),
        "mass_largest": share(np.sort(mass)[-top:]),
        "mass_low_variance": share(mass[low]),
        "mass_constant": share(mass[constant]),
        "largest_u": float(tilt.largest.max(initial=0.0)),
        **of_target,
    }


def _scale(u: Update) -> float:
    """What brings the mean mass of a group to 1."""
    mean = float(u.mass.mean()) if len(u.mass) else 0.0
    return 1 / mean if mean > 0 else 1.0
