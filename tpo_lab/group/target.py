"""The target of one group and everything that is said about it, in NumPy or JAX.

Axes: log_p_old, u, q, counted (..., K); results per group drop K. Natural logarithms: nats throughout.
"""

from typing import Any

import numpy as np

from tpo_lab.group.arrays import (
    Array,
    as_arrays,
    below,
    divide,
    masked_log_softmax,
    masked_max,
    masked_sum,
    where_counted,
)


def policy(log_p: Array, *, counted: Array | None = None) -> Array:
    """p_i: softmax over the counted candidates of their log-probs (a sequence: the sum over its tokens).

    Args:
        log_p: log-probs up to a constant per group, shape (..., K); -inf is a probability of 0.
        counted: bool, shape (..., K); candidates that do not count get exactly 0. Default: all count.
    """
    xp, (log_p,) = as_arrays(log_p)
    return xp.exp(masked_log_softmax(xp, log_p, _mask(xp, log_p, counted)))


def log_target(log_p_old: Array, u: Array, *, eta: Any = 1.0, counted: Array | None = None) -> Array:
    """log q_i with q_i = p_i_old exp(u_i / eta) / sum_j p_j_old exp(u_j / eta); -inf where a candidate does not count.

    Args:
        log_p_old: behaviour log-probs up to a constant per group, shape (..., K).
        u: standardised scores, shape (..., K).
        eta: temperature > 0, in standard deviations of the score per nat: a number, or an array of shape (..., 1).
            Below the smallest normal float it counts as that.
        counted: bool, shape (..., K). Default: all count.

    Source: arXiv 2604.06159, section 3.
    """
    xp, (log_p_old, u, eta) = as_arrays(log_p_old, u, eta)
    mask = _mask(xp, log_p_old, counted)
    possible = mask & (log_p_old > -xp.inf)
    tilt = _tilt(xp, u, eta, possible)
    top = masked_max(xp, log_p_old, possible)
    level = below(xp, where_counted(xp, possible, log_p_old, top), top)
    moved = xp.any(tilt < 0, axis=-1, keepdims=True)
    if xp is np and moved.any() and moved.all():
        return masked_log_softmax(xp, level + tilt, possible)
    # Without a tilt q is p_old, computed as `policy` does: a compiler may round the sum of two equal paths differently.
    untilted = masked_log_softmax(xp, log_p_old, mask)
    if xp is np and not moved.any():
        return untilted
    return xp.where(moved, masked_log_softmax(xp, level + tilt, possible), untilted)


def target(log_p_old: Array, u: Array, *, eta: Any = 1.0, counted: Array | None = None) -> Array:
    """q_i, the target distribution over the group; see `log_target` for the equation, shapes and units."""
    xp, (log_q,) = as_arrays(log_target(log_p_old, u, eta=eta, counted=counted))
    return xp.exp(log_q)


def objective(r: Array, log_p_old: Array, u: Array, *, eta: Any = 1.0, counted: Array | None = None) -> Array:
    """J(r) = sum_i r_i u_i - eta KL(r || p_old), shape (...): what q maximises over the simplex.

    Args:
        r: any distribution over the group, shape (..., K).
    """
    xp, (r, log_p_old, u, eta) = as_arrays(r, log_p_old, u, eta)
    mask = _mask(xp, log_p_old, counted)
    log_p = masked_log_softmax(xp, log_p_old, mask)
    gain = masked_sum(xp, r * u, mask)[..., 0]
    return gain - (eta * kl(r, log_p, counted=mask)[..., None])[..., 0]


def objective_maximum(log_p_old: Array, u: Array, *, eta: Any = 1.0, counted: Array | None = None) -> Array:
    """max_r J(r) = eta log sum_i p_i_old exp(u_i / eta), shape (...), reached at r = q."""
    xp, (log_p_old, u, eta) = as_arrays(log_p_old, u, eta)
    mask = _mask(xp, log_p_old, counted)
    log_p = masked_log_softmax(xp, log_p_old, mask)
    possible = mask & (log_p > -xp.inf)
    best = masked_max(xp, u, possible)
    tilt = _tilt(xp, u, eta, possible)
    # log sum p exp(tilt), with tilt <= 0: near 0 from what it lacks to 1, else from its largest term.
    short = masked_sum(xp, xp.exp(log_p) * xp.expm1(tilt), possible)
    near = short > -0.5
    terms = xp.where(possible, log_p + tilt, -xp.inf)
    top = masked_max(xp, terms, possible)
    sum_in_top = masked_sum(xp, xp.exp(below(xp, xp.where(possible, terms, top), top)), possible)
    far = top + xp.log(xp.maximum(sum_in_top, xp.ones_like(top)))
    log_sum = xp.where(near, xp.log1p(xp.where(near, short, xp.zeros_like(short))), far)
    return (best + eta * log_sum)[..., 0]


def kl(r: Array, log_p: Array, *, counted: Array | None = None) -> Array:
    """KL(r || p) = sum_i r_i (log r_i - log p_i) >= 0 in nats, shape (...); 0 log 0 = 0.

    Args:
        r: distribution over the group, shape (..., K).
        log_p: normalised log-probs, shape (..., K).
        counted: bool, shape (..., K). Default: all count.
    """
    xp, (r, log_p) = as_arrays(r, log_p)
    positive = (r > 0) & _mask(xp, r, counted)
    log_r = xp.where(positive, xp.log(xp.where(positive, r, xp.ones_like(r))), -xp.inf)
    return kl_of_logs(log_r, log_p)


def kl_of_logs(log_r: Array, log_p: Array) -> Array:
    """KL(r || p) in nats from the normalised log-probs of both, shape (...); exactly 0 where they are equal.

    It is summed from terms p (x e^x - e^x + 1) >= 0 with x = log r - log p: small divergences keep their digits.

    Args:
        log_r, log_p: shape (..., K); -inf is a probability of 0, or a candidate that does not count.
    """
    xp, (log_r, log_p) = as_arrays(log_r, log_p)
    r, p = xp.exp(log_r), xp.exp(log_p)
    zero = xp.zeros_like(r)
    positive = r > 0
    x = xp.where(positive, log_r, zero) - xp.where(positive, log_p, zero)
    close = xp.abs(x) < 1
    small = xp.where(close, x, zero)
    large = xp.where(close, zero, x)
    terms = xp.where(close, p * (small * xp.exp(small) - xp.expm1(small)), r * large - r + p)
    return xp.sum(xp.where(positive, terms, p), axis=-1)


def entropy(r: Array) -> Array:
    """H(r) = -sum_i r_i log r_i in nats, shape (...); exp(H) is the effective number of candidates."""
    xp, (r,) = as_arrays(r)
    positive = r > 0
    log_r = xp.log(where_counted(xp, positive, r, xp.ones((), dtype=r.dtype)))
    total = -xp.sum(where_counted(xp, positive, r * log_r, xp.zeros((), dtype=r.dtype)), axis=-1)
    return xp.maximum(total, xp.zeros_like(total))


def log_odds_factor(log_p_old: Array, log_q: Array, index: int) -> Array:
    """log of [q_i / (1 - q_i)] / [p_i / (1 - p_i)] for candidate `index`, shape (...): by how much its odds grow.

    1 - p_i is summed over the others, never subtracted, so that no peaked policy rounds it to 0.
    A candidate that is alone, or has probability 0 under p_old, has a factor of 1 (log 0).
    """
    xp, (log_p_old, log_q) = as_arrays(log_p_old, log_q)
    k = log_q.shape[-1]
    mine = xp.reshape(xp.arange(k) == index, (1,) * (log_q.ndim - 1) + (k,))  # JAX's strict mode promotes no ranks

    def log_odds(log_p: Array) -> Array:
        others = (~mine) & (log_p > -xp.inf)
        top = masked_max(xp, log_p, others)
        rest = masked_sum(xp, xp.exp(xp.where(others, log_p - top, xp.zeros_like(log_p))), others)
        has_rest = rest > 0
        log_rest = xp.log(xp.where(has_rest, rest, xp.ones_like(rest))) + top
        return xp.where(
            has_rest & (log_p[..., index : index + 1] > -xp.inf), log_p[..., index : index + 1] - log_rest, 0
        )

    return (log_odds(log_q) - log_odds(log_p_old))[..., 0]


def cross_entropy(logits: Array, q: Array, *, counted: Array | None = None) -> Array:
    """TPO's loss: -sum_i q_i log p_i with p = softmax(logits) over the counted candidates, shape (...).

    q is a constant of the update: pass it through the framework's stop-gradient. The gradient in the logits is p - q.

    Args:
        logits: log-probs of the current policy up to a constant per group, shape (..., K).
        q: target, shape (..., K), 0 where a candidate does not count.
    """
    xp, (logits, q) = as_arrays(logits, q)
    mask = _mask(xp, logits, counted)
    log_p = masked_log_softmax(xp, logits, mask)
    weigh = (q > 0) & mask
    return -xp.sum(xp.where(weigh, q * xp.where(weigh, log_p, xp.zeros_like(log_p)), xp.zeros_like(q)), axis=-1)


def cross_entropy_gradient(logits: Array, q: Array, *, counted: Array | None = None) -> Array:
    """Gradient of `cross_entropy` in the logits: p - q, shape (..., K); zero if and only if p = q."""
    return policy(logits, counted=counted) - q


def _mask(xp: Any, like: Array, counted: Array | None) -> Array:
    return xp.ones_like(like, dtype=bool) if counted is None else xp.asarray(counted)


def _tilt(xp: Any, u: Array, eta: Array, possible: Array) -> Array:
    """(u - max u) / eta <= 0 with the maximum over the possible candidates; 0 for the others.

    It stops at an eighth of the largest float, so that sums with log-probs stay finite; exp gives 0 long before. Both
    the tilt and the log-probs are measured from their maximum, which makes q independent of constants added to either.
    """
    best = masked_max(xp, u, possible)
    smallest = float(xp.finfo(eta.dtype).smallest_normal)
    depth = divide(
        xp, below(xp, where_counted(xp, possible, u, best), best), xp.maximum(eta, smallest * xp.ones_like(eta))
    )
    return xp.maximum(depth, xp.asarray(-float(xp.finfo(u.dtype).max) / 8, dtype=u.dtype))
