"""What is computed of a table, in parts that each depend on few choices: a moved control costs its own part only.

Scores (what a missing one counts as), the policy (whose log-probs), the standardised scores (the rule), and the target
(all of these, and the temperature). Values a row are flat, in the order of `Layout`; values a group have shape (G,).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tpo_lab.group.arrays import divide, masked_log_softmax, where_counted
from tpo_lab.group.rules import RULES
from tpo_lab.group.standardise import Unit, measure, spread_of, standardise_measured
from tpo_lab.group.target import entropy
from tpo_lab.rollouts_io.layout import Block, Ints, Layout
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.targets import Ingredients, Target, span
from tpo_lab.rollouts_io.values import Bools, Floats

HELD = 6  # parts of one sort: of a million rows each takes 8 to 16 MiB
# Rules that divide by the deviation of the whole batch, here of the step, and the rule of what is divided.
OF_BATCH = {"trl_batch": "trl_none", "trl_rloo_batch": "trl_rloo"}


@dataclass(frozen=True)
class Scores:
    """The scores that count, `counted` and `flat`; `units`: what rules ask of them, by block; see `numbers.Numbers`."""

    flat: Floats
    counted: Bools
    n: Ints
    mean: Floats
    low: Floats
    high: Floats
    sigma: Floats
    zero_variance: Bools
    units: dict[int, Unit]

    def measure(self, b: Block) -> None:
        """Fill in what is said of the groups of a block."""
        some, mask = b.of(self.flat), b.of(self.counted)
        self.units[b.at] = unit = measure(some, counted=mask)
        stats = spread_of(unit)
        self.n[b.groups] = n = mask.sum(axis=-1)
        self.mean[b.groups], self.sigma[b.groups] = stats.mean[:, 0], stats.sigma_population[:, 0]
        self.zero_variance[b.groups] = stats.zero_variance[:, 0]
        for ends, end in ((self.low, np.inf), (self.high, -np.inf)):
            found = where_counted(np, mask, some, end)
            ends[b.groups] = np.where(n > 0, found.min(axis=-1) if end > 0 else found.max(axis=-1), np.nan)


@dataclass(frozen=True)
class Policy:
    """log p_old up to a constant and normalised, and p_old, flat; a group: if it is the file's, and the largest."""

    raw: Floats
    log_p: Floats
    p: Floats
    known: Bools
    top: Floats
    layout: Layout

    @cached_property
    def entropy(self) -> Floats:
        """H(p_old) in nats, shape (G,)."""
        found = np.zeros(len(self.top))

        def fill(b: Block) -> None:
            found[b.groups] = entropy(b.of(self.p))

        self.layout.each(fill)
        return found


@dataclass(frozen=True)
class Tilt:
    """Standardised scores, flat; a group: the largest |u|, and the range of u over that of the scores."""

    u: Floats
    largest: Floats
    amplification: Floats


class Workings:
    """The parts of a table, each computed when it is first asked for."""

    def __init__(self, table: Rollouts) -> None:
        low, high = (of.reduceat(table.score, table.starts[:-1]) for of in (np.fmin, np.fmax))
        missing = np.logical_or.reduceat(np.isnan(table.score), table.starts[:-1])
        self._some_missing = bool(missing.any())
        # No rule tilts what is constant, and where every candidate counts no mask need be applied.
        self.table, self.layout = table, Layout(table.starts, np.where(low < high, missing, 2))
        self._held: dict[tuple[Any, ...], Any] = {}

    def once(self, *key: Any, make: Callable[[], Any]) -> Any:
        """What was made under this key; of each sort, the first word, the last few are held."""
        if key in self._held:
            self._held[key] = self._held.pop(key)  # the one that was asked for last goes last
            return self._held[key]
        same = [held for held in self._held if held[0] == key[0]]
        for old in same[: max(0, len(same) - HELD + 1)]:
            del self._held[old]
        self._held[key] = made = make()
        return made

    def scores(self, setting: Setting) -> Scores:
        """The scores under the setting's way with missing ones."""
        zero = self._zero(setting)
        found: Scores = self.once("scores", zero, make=self._zero_scores if zero else self._scores)
        return found

    def _zero(self, setting: Setting) -> bool:
        """Whether the setting's way with missing scores changes any."""
        return setting.missing_is_zero and self._some_missing

    def policy(self, setting: Setting) -> Policy:
        """p_old under the setting's choice of log-probs."""
        choice = (setting.policy, setting.log_prob) if self.table.log_prob is not None else ("uniform", "sum")
        scores = self.scores(setting)
        found: Policy = self.once("policy", *choice, self._zero(setting), make=lambda: self._policy(scores, *choice))
        return found

    def tilt(self, setting: Setting) -> Tilt:
        """The standardised scores under the setting's rule."""
        key = ("tilt", setting.rule, setting.strength, self._zero(setting))
        scores = self.scores(setting)
        found: Tilt = self.once(*key, make=lambda: self._tilt(scores, setting))
        return found

    def target(self, setting: Setting) -> Target:
        """The target of the setting's tilt and policy."""
        s = setting
        key = ("target", s.rule, s.strength, self._zero(s), s.policy, s.log_prob, s.eta)
        made_of = Ingredients(self.layout, self.scores(s), self.policy(s), self.tilt(s), s.eta)
        found: Target = self.once(*key, make=made_of.target)
        return found

    def _scores(self) -> Scores:
        flat = self.layout.flat(self.table.score)
        mean, low, high, sigma = np.zeros((4, self.table.groups))
        n, equal = np.zeros(self.table.groups, dtype=np.int64), np.zeros(self.table.groups, dtype=bool)
        found = Scores(flat, ~np.isnan(flat), n, mean, low, high, sigma, equal, {})
        self.layout.each(found.measure)
        return found

    def _zero_scores(self) -> Scores:
        """With 0 for each that is missing: only blocks with such scores are measured anew."""
        old: Scores = self.once("scores", False, make=self._scores)
        of_group = {name: getattr(old, name).copy() for name in ("n", "mean", "low", "high", "sigma", "zero_variance")}
        flat, counted = np.where(old.counted, old.flat, 0.0), np.ones_like(old.counted)
        found = replace(old, flat=flat, counted=counted, units=dict(old.units), **of_group)
        for block in self.layout.blocks:
            if (old.n[block.groups] < block.k).any():
                found.measure(block)
        return found

    def _policy(self, scores: Scores, choice: str, kind: str) -> Policy:
        table = self.table
        given: Floats | None = None
        if choice == "file" and table.log_prob is not None:
            of_row = table.log_prob
            if kind == "mean" and table.length is not None:
                of_row = of_row / np.maximum(table.length, 1.0)
            given = self.layout.flat(of_row)
        up_to_constant, log_p, p = np.empty(table.rows), np.empty(table.rows), np.empty(table.rows)
        known, top = np.zeros(table.groups, dtype=bool), np.zeros(table.groups)

        def fill(b: Block) -> None:
            mask = b.of(scores.counted)
            raw = np.full(mask.shape, -np.log(b.k), order="F")
            if given is not None:
                some = b.of(given)
                there = ~np.isnan(some)
                whole = ~np.any(mask & ~there, axis=-1) & np.any(mask, axis=-1)
                known[b.groups] = whole
                raw = where_counted(np, whole[:, None], where_counted(np, there, some, 0.0), raw)
            b.of(up_to_constant)[...] = raw
            b.of(log_p)[...] = logs = masked_log_softmax(np, raw, mask)
            b.of(p)[...] = probabilities = np.exp(logs)
            top[b.groups] = probabilities.max(axis=-1)

        self.layout.each(fill)
        return Policy(up_to_constant, log_p, p, known, top, self.layout)

    def _tilt(self, scores: Scores, setting: Setting) -> Tilt:
        rule = RULES[setting.rule]
        u, largest, amplification = np.empty(self.table.rows), np.zeros(self.table.groups), np.zeros(self.table.groups)
        of_batch = rule.name in OF_BATCH
        name = OF_BATCH.get(rule.name, rule.name)

        def measure(b: Block) -> None:
            some, low, high = b.of(u), scores.low[b.groups], scores.high[b.groups]
            largest[b.groups] = np.abs(some).max(axis=-1)
            gap = np.where(high > low, high - low, 1.0)
            wide = divide(np, span(some, b.of(scores.counted)), gap)
            amplification[b.groups] = np.where(high > low, wide, 0.0)

        def fill(b: Block) -> None:
            if (scores.zero_variance[b.groups] & (scores.n[b.groups] > 1)).all():
                b.of(u)[...] = 0  # whatever the rule
                return
            b.of(u)[...] = standardise_measured(scores.units[b.at], rule=name, strength=setting.strength)
            if not of_batch:
                measure(b)

        def divide_by_batch(b: Block) -> None:
            b.of(u)[...] /= deviation[b.groups][:, None] + rule.amount
            measure(b)

        self.layout.each(fill)
        if of_batch:
            deviation = self._deviation_of_steps(u if rule.centre == "leave_one_out" else scores.flat, scores)
            self.layout.each(divide_by_batch)
        return Tilt(u, largest, amplification)

    def _deviation_of_steps(self, values: Floats, scores: Scores) -> Floats:
        """Sample deviation of all counted values of the step of each group, shape (G,).

        Groups are put together by their sizes, means and squares about them, so that the rows are passed over once.
        """
        peak = float(np.abs(values).max(initial=0.0, where=scores.counted)) or 1.0  # no square overflows
        means, squares = np.zeros(self.table.groups), np.zeros(self.table.groups)

        def fill(b: Block) -> None:
            mask, n = b.of(scores.counted), np.maximum(scores.n[b.groups], 1)
            some = np.where(mask, b.of(values), 0.0) / peak
            means[b.groups] = mean = some.sum(axis=-1) / n
            squares[b.groups] = (np.where(mask, some - mean[:, None], 0.0) ** 2).sum(axis=-1)

        self.layout.each(fill)
        step = np.unique(self.table.group_step, return_inverse=True)[1]

        def total(of_group: Floats) -> Floats:
            sums: Floats = np.bincount(step, of_group).astype(np.float64)
            return sums[step]

        size = scores.n.astype(np.float64)
        n = total(size)
        mean = total(size * means) / np.maximum(n, 1)
        whole = total(squares + size * (means - mean) ** 2)
        deviation: Floats = peak * np.sqrt(whole / np.maximum(n - 1, 1))
        return deviation
