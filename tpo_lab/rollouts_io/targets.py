"""The targets of all groups of a table, and what follows of them: each figure is computed when it is asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tpo_lab.group.arrays import where_counted
from tpo_lab.group.target import entropy, kl_of_logs, log_target
from tpo_lab.group.verdict import STILL_SMALL
from tpo_lab.rollouts_io.layout import Block, Ints, Layout
from tpo_lab.rollouts_io.values import Bools, Floats

if TYPE_CHECKING:
    from tpo_lab.rollouts_io.workings import Policy, Scores, Tilt


@dataclass(frozen=True)
class Tilted:
    """The groups of a block that are tilted: their numbers, and which of the block they are."""

    groups: Ints
    block: Block
    at: Ints | slice

    def of(self, flat: Any) -> Any:
        """Their part of a flat array, shape (n, K)."""
        return self.block.of(flat).T[:, self.at].T

    def put(self, flat: Any, values: Any) -> None:
        """Write their part of a flat array."""
        self.block.of(flat).T[:, self.at] = values.T


@dataclass(frozen=True, eq=False)
class Target:
    """The logarithm of the target q, flat; the rest a group: see `numbers.Numbers`.

    Where nothing is tilted, q is p_old: only the other groups are computed.
    """

    log_q: Floats
    moved: Floats
    argmax_moved: Bools
    made_of: "Ingredients"

    @cached_property
    def kl(self) -> Floats:
        """KL(q || p_old) in nats, shape (G,)."""
        kl, policy = np.zeros(len(self.moved)), self.made_of.policy

        def fill(t: Tilted) -> None:
            kl[t.groups] = kl_of_logs(t.of(self.log_q), t.of(policy.log_p))

        self.made_of.each_tilted(fill)
        return kl

    def kl_of(self, groups: Ints) -> Floats:
        """The same of a few groups alone, shape (n,)."""
        logs = (self.made_of.layout.some(flat, groups, -np.inf) for flat in (self.log_q, self.made_of.policy.log_p))
        found: Floats = kl_of_logs(*logs)
        return found

    @cached_property
    def entropy(self) -> Floats:
        """H(q) in nats, shape (G,)."""
        found = self.made_of.policy.entropy.copy()

        def fill(t: Tilted) -> None:
            found[t.groups] = entropy(np.exp(t.of(self.log_q)))

        self.made_of.each_tilted(fill)
        return found

    @cached_property
    def peaked(self) -> Bools:
        """The policy is too peaked for the tilt to lift the best: `peaked_policy` of the verdict, shape (G,)."""
        made, peaked = self.made_of, np.zeros(len(self.moved), dtype=bool)

        def fill(t: Tilted) -> None:
            best = t.of(made.scores.counted) & (t.of(made.scores.flat) == made.scores.high[t.groups][:, None])
            small = np.flatnonzero((best * np.exp(t.of(self.log_q))).sum(axis=-1) < STILL_SMALL)
            logs, tilt = t.of(made.policy.log_p)[small], t.of(made.tilt.u)[small] / made.eta
            peaked[t.groups[small]] = _narrow(best[small], logs, t.of(self.log_q)[small], tilt)

        made.each_tilted(fill)
        return peaked


@dataclass(frozen=True, eq=False)
class Ingredients:
    """What a target is made of."""

    layout: Layout
    scores: "Scores"
    policy: "Policy"
    tilt: "Tilt"
    eta: float

    def each_tilted(self, do: Callable[[Tilted], None]) -> None:
        """Do something with the tilted groups of every block that has some."""

        def of_block(b: Block) -> None:
            at = np.flatnonzero(self.tilt.largest[b.groups] > 0)
            if len(at):
                do(Tilted(b.groups[at], b, at if len(at) < len(b.groups) else slice(None)))

        self.layout.each(of_block)

    def target(self) -> Target:
        """Mix them."""
        groups = len(self.tilt.largest)
        log_q = self.policy.log_p.copy()
        moved, argmax_moved = np.zeros(groups), np.zeros(groups, dtype=bool)

        def fill(t: Tilted) -> None:
            p = t.of(self.policy.p)
            logs = log_target(t.of(self.policy.raw), t.of(self.tilt.u), eta=self.eta, counted=t.of(self.scores.counted))
            t.put(log_q, logs)
            q = np.exp(logs)
            moved[t.groups] = np.abs(q - p).sum(axis=-1) / 2
            top = np.argmax(q, axis=-1)[:, None]
            argmax_moved[t.groups] = np.take_along_axis(p, top, axis=-1)[:, 0] < self.policy.top[t.groups]

        self.each_tilted(fill)
        return Target(log_q, moved, argmax_moved, self)


def _narrow(best: Bools, log_p: Floats, log_q: Floats, tilt: Floats) -> Bools:
    """The rest of `peaked_policy` of `tpo_lab.group.verdict`, where the best have little probability still."""
    possible = log_p > -np.inf
    lifted = np.any(best & (log_q > log_p), axis=-1)
    narrow: Bools = lifted & (span(log_p, possible) > span(tilt, possible))
    return narrow


def span(x: Floats, mask: Bools) -> Floats:
    """Largest minus smallest entry of the mask over K; 0 where there are none."""
    found: Floats = where_counted(np, mask, x, -np.inf).max(axis=-1) - where_counted(np, mask, x, np.inf).min(axis=-1)
    return np.where(np.any(mask, axis=-1), found, 0.0)
