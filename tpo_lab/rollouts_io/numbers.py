"""The numbers of every group of a table at once: what `tpo_lab.group.report` says of one, by the same functions."""

from dataclasses import dataclass

import numpy as np

from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Ints
from tpo_lab.rollouts_io.targets import Target
from tpo_lab.rollouts_io.values import Bools, Floats
from tpo_lab.rollouts_io.workings import Policy, Scores, Tilt, Workings


@dataclass(frozen=True, eq=False)
class Numbers:
    """One value a group, shape (G,); information in nats. Entropies and KL wait until they are asked for."""

    scores: Scores
    policy: Policy
    tilt: Tilt
    target: Target

    @property
    def n(self) -> Ints:
        """Scored candidates."""
        return self.scores.n

    @property
    def mean(self) -> Floats:
        """Mean score."""
        return self.scores.mean

    @property
    def low(self) -> Floats:
        """Smallest score; NaN where none is scored."""
        return self.scores.low

    @property
    def high(self) -> Floats:
        """Largest score; NaN where none is scored."""
        return self.scores.high

    @property
    def sigma(self) -> Floats:
        """Population deviation of the scores."""
        return self.scores.sigma

    @property
    def zero_variance(self) -> Bools:
        """Fewer than two scores, or all equal."""
        return self.scores.zero_variance

    @property
    def known_policy(self) -> Bools:
        """Whether p_old is the file's; else it is uniform."""
        return self.policy.known

    @property
    def entropy_p_old(self) -> Floats:
        """H(p_old)."""
        return self.policy.entropy

    @property
    def largest(self) -> Floats:
        """The largest |u|."""
        return self.tilt.largest

    @property
    def amplification(self) -> Floats:
        """Range of u over range of the scores; 0 where the scores are equal."""
        return self.tilt.amplification

    @property
    def kl(self) -> Floats:
        """KL(q || p_old)."""
        return self.target.kl

    @property
    def entropy_q(self) -> Floats:
        """H(q)."""
        return self.target.entropy

    @property
    def argmax_moved(self) -> Bools:
        """Whether the most probable candidate of q was not one of p_old."""
        return self.target.argmax_moved

    @property
    def moved(self) -> Floats:
        """Total variation between q and p_old: the share of probability that changes its candidate."""
        return self.target.moved

    @property
    def mean_abs_change(self) -> Floats:
        """Mean over the scored candidates of |q - p_old|."""
        return 2 * self.target.moved / np.maximum(self.scores.n, 1)

    @property
    def peaked(self) -> Bools:
        """The policy is too peaked for the tilt to lift the best, as the verdict of one group has it."""
        return self.target.peaked


def numbers_of(workings: Workings, setting: Setting) -> Numbers:
    """The numbers of every group."""
    w, s = workings, setting
    return Numbers(w.scores(s), w.policy(s), w.tilt(s), w.target(s))


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
    q = np.exp(target.log_q[at])
    return Candidates(scores.flat[at], scores.counted[at], policy.p[at], q, tilt.u[at], bool(policy.known[group]))
