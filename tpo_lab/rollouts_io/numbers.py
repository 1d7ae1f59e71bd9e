"""The numbers of every group of a table at once: what `tpo_lab.group.report` says of one, by the same functions."""

from dataclasses import dataclass

import numpy as np

from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Ints
from tpo_lab.rollouts_io.values import Bools, Floats
from tpo_lab.rollouts_io.workings import Workings


@dataclass(frozen=True)
class Numbers:
    """One value a group, shape (G,); information in nats.

    Attributes:
        n: scored candidates.
        low, high: smallest and largest score; NaN where none is scored.
        known_policy: p_old is the file's; else it is uniform.
        zero_variance: fewer than two scores, or all equal.
        mean_abs_change: mean over the scored candidates of |q - p_old|.
        moved: total variation between q and p_old: the share of probability that changes its candidate.
        peaked: the policy is too peaked for the tilt to lift the best, as the verdict of one group has it.
        largest: the largest |u|.
        amplification: range of u over range of the scores; 0 where the scores are equal.
    """

    n: Ints
    mean: Floats
    low: Floats
    high: Floats
    sigma: Floats
    zero_variance: Bools
    known_policy: Bools
    kl: Floats
    entropy_p_old: Floats
    entropy_q: Floats
    argmax_moved: Bools
    mean_abs_change: Floats
    moved: Floats
    peaked: Bools
    largest: Floats
    amplification: Floats


def numbers_of(workings: Workings, setting: Setting) -> Numbers:
    """Every number of every group."""
    scores, policy = workings.scores(setting), workings.policy(setting)
    tilt, target = workings.tilt(setting), workings.target(setting)
    return Numbers(
        n=scores.n,
        mean=scores.mean,
        low=scores.low,
        high=scores.high,
        sigma=scores.sigma,
        zero_variance=scores.zero_variance,
        known_policy=policy.known,
        kl=target.kl,
        entropy_p_old=policy.entropy,
        entropy_q=target.entropy,
        argmax_moved=target.argmax_moved,
        mean_abs_change=2 * target.moved / np.maximum(scores.n, 1),
        moved=target.moved,
        peaked=target.peaked,
        largest=tilt.largest,
        amplification=tilt.amplification,
    )


@dataclass(frozen=True)
class Candidates:
    """The candidates of one group, each field of shape (K,); `known_policy`: p_old is the file's."""

    score: Floats
    counted: Bools
    p: Floats
    q: Floats
    u: Floats
    known_policy: bool


def candidates_of(workings: Workings, setting: Setting, group: int) -> Candidates:
    """One group by itself."""
    at = workings.layout.places(group)
    scores, policy = workings.scores(setting), workings.policy(setting)
    tilt, target = workings.tilt(setting), workings.target(setting)
    return Candidates(
        scores.flat[at], scores.counted[at], policy.p[at], target.q[at], tilt.u[at], bool(policy.known[group])
    )
