"""The numbers of every group of a table at once: what `tpo_lab.group.report` says of one, by the same functions.

Groups of one size are computed together, (n, K), so that uneven K costs no padding and rounds no differently.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tpo_lab.group.arrays import divide
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.standardise import spread, standardise
from tpo_lab.group.target import entropy, kl_of_logs, log_target
from tpo_lab.group.verdict import STILL_SMALL
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import CELLS, Ints, Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats


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


# Rules that divide by the deviation of the whole batch, here of the step, and the rule of what is divided.
OF_BATCH = {"trl_batch": "trl_none", "trl_rloo_batch": "trl_rloo"}
MANY = 100_000  # rows
_TYPES = {"n": np.int64, "zero_variance": bool, "known_policy": bool, "argmax_moved": bool, "peaked": bool}


@dataclass(frozen=True)
class Block:
    """Some groups of one size, dense: scores, mask, u, log p_old and log q have shape (n, K)."""

    groups: Ints
    rows: Ints
    scores: Floats
    counted: Bools
    u: Floats
    known_policy: Bools
    log_p: Floats
    log_q: Floats


def numbers_of(table: Rollouts, setting: Setting, also: Callable[[Block], None] | None = None) -> Numbers:
    """Every number of every group.

    Args:
        also: done with each block on the way.
    """
    found = Numbers(**{f.name: np.zeros(table.groups, dtype=_TYPES.get(f.name, np.float64)) for f in fields(Numbers)})

    def do(block: Block) -> None:
        _fill(found, block, setting.eta)
        if also is not None:
            also(block)

    each(table, setting, do)
    return found


def each(table: Rollouts, setting: Setting, do: Callable[[Block], None]) -> None:
    """Compute every group under a setting, a block at a time; of a large table on every core.

    Args:
        do: takes a block; blocks have no group in common, and come in any order.
    """
    rule = RULES[setting.rule]
    deviation = _deviation(table, rule)
    cells, power = (4 * CELLS, 2) if rule.scale == "leave_one_out" else (CELLS, 1)  # that one compares pairs

    def one(found: tuple[Ints, Ints]) -> None:
        groups, rows = found
        do(_block(table, setting, rule, groups, rows, None if deviation is None else deviation[groups]))

    if table.rows < MANY:
        for found in table.blocks(cells, power):
            one(found)
        return
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # NumPy lets go of the lock while it computes
        for _ in pool.map(one, table.blocks(cells, power)):
            pass


def _block(table: Rollouts, setting: Setting, rule: Rule, groups: Ints, rows: Ints, deviation: Floats | None) -> Block:
    scores = table.score[rows]
    counted = ~np.isnan(scores)
    if deviation is None:
        u = standardise(scores, counted=counted, rule=rule, strength=setting.strength)
    else:
        u = standardise(scores, counted=counted, rule=OF_BATCH[rule.name]) / (deviation[:, None] + rule.amount)
    log_p_raw, known = _policy(table, setting, rows, counted)
    log_p = log_target(log_p_raw, np.zeros_like(u), counted=counted)
    log_q = log_target(log_p_raw, u, eta=setting.eta, counted=counted)
    return Block(groups, rows, scores, counted, u, known, log_p, log_q)


def block_of(table: Rollouts, setting: Setting, group: int) -> Block:
    """One group by itself; under a rule of the whole batch this takes a pass over the table."""
    rows = np.arange(table.starts[group], table.starts[group + 1])[None, :]
    rule = RULES[setting.rule]
    deviation = _deviation(table, rule)
    groups = np.array([group])
    return _block(table, setting, rule, groups, rows, None if deviation is None else deviation[groups])


def _deviation(table: Rollouts, rule: Rule) -> Floats | None:
    """What a rule of the whole batch divides by, of each group; None for the other rules."""
    if rule.name not in OF_BATCH:
        return None
    return _deviation_of_steps(table, _centred(table) if rule.centre == "leave_one_out" else table.score)


def _policy(table: Rollouts, setting: Setting, rows: Ints, counted: Bools) -> tuple[Floats, Bools]:
    """Log-probs up to a constant, and whether they are the file's: uniform where a scored candidate has none."""
    uniform = np.full(rows.shape, -np.log(rows.shape[1]))
    if table.log_prob is None or setting.policy == "uniform":
        return uniform, np.zeros(len(rows), dtype=bool)
    log_prob = table.log_prob[rows]
    if setting.log_prob == "mean" and table.length is not None:
        log_prob = log_prob / np.maximum(table.length[rows], 1.0)
    known = ~np.any(counted & np.isnan(log_prob), axis=-1) & np.any(counted, axis=-1)
    filled = np.where(np.isnan(log_prob), 0.0, log_prob)
    return np.where(known[:, None], filled, uniform), known


def _centred(table: Rollouts) -> Floats:
    """Scores minus the mean of the others of their group; NaN without a score, shape (R,)."""
    centred = np.full(table.rows, np.nan)
    for _, rows in table.blocks():
        scores = table.score[rows]
        centred[rows] = np.where(np.isnan(scores), np.nan, standardise(scores, rule="trl_rloo"))
    return centred


def _deviation_of_steps(table: Rollouts, values: Floats) -> Floats:
    """Sample deviation of all values of the step of each group, NaN left out, shape (G,)."""
    step = np.unique(table.group_step, return_inverse=True)[1]
    of_row = np.repeat(step, table.sizes())
    scored = ~np.isnan(values)
    score, of_row = values[scored], of_row[scored]
    peak = float(np.abs(score).max(initial=0.0)) or 1.0  # no square overflows
    score = score / peak
    n = np.bincount(of_row, minlength=int(step.max(initial=0)) + 1)
    mean = np.bincount(of_row, score, minlength=len(n)) / np.maximum(n, 1)
    squares = np.bincount(of_row, (score - mean[of_row]) ** 2, minlength=len(n))
    deviation: Floats = peak * np.sqrt(squares / np.maximum(n - 1, 1))[step]
    return deviation


def _fill(into: Numbers, b: Block, eta: float) -> None:
    stats = spread(b.scores, counted=b.counted)
    p, q = np.exp(b.log_p), np.exp(b.log_q)
    change = q - p
    n = b.counted.sum(axis=-1)
    low = np.where(b.counted, b.scores, np.inf).min(axis=-1)
    high = np.where(b.counted, b.scores, -np.inf).max(axis=-1)
    total = np.abs(change).sum(axis=-1)
    top_p, at = p.max(axis=-1), np.argmax(q, axis=-1)
    u_range = _range(b.u, b.counted)
    values: dict[str, Any] = {
        "n": n,
        "mean": stats.mean[:, 0],
        "low": np.where(n > 0, low, np.nan),
        "high": np.where(n > 0, high, np.nan),
        "sigma": stats.sigma_population[:, 0],
        "zero_variance": stats.zero_variance[:, 0],
        "known_policy": b.known_policy,
        "kl": kl_of_logs(b.log_q, b.log_p),
        "entropy_p_old": entropy(p),
        "entropy_q": entropy(q),
        "argmax_moved": np.take_along_axis(p, at[:, None], axis=-1)[:, 0] < top_p,
        "mean_abs_change": total / np.maximum(n, 1),
        "moved": total / 2,
        "peaked": _peaked(b, q, high, eta),
        "largest": np.abs(b.u).max(axis=-1),
        "amplification": np.where(high > low, divide(np, u_range, np.where(high > low, high - low, 1.0)), 0.0),
    }
    for name, of_block in values.items():
        getattr(into, name)[b.groups] = of_block


def _peaked(b: Block, q: Floats, high: Floats, eta: float) -> Bools:
    """`peaked_policy` of `tpo_lab.group.verdict`, of many groups."""
    best = b.counted & (b.scores == high[:, None])
    narrow = _range(b.log_p, b.log_p > -np.inf) > _range(b.u, b.log_p > -np.inf) / eta
    lifted = np.any(best & (b.log_q > b.log_p), axis=-1)
    small = np.where(best, q, 0.0).sum(axis=-1) < STILL_SMALL
    peaked: Bools = narrow & lifted & small
    return peaked


def _range(x: Floats, mask: Bools) -> Floats:
    """Largest minus smallest entry of the mask; 0 where there are none."""
    span: Floats = np.where(mask, x, -np.inf).max(axis=-1) - np.where(mask, x, np.inf).min(axis=-1)
    return np.where(np.any(mask, axis=-1), span, 0.0)
