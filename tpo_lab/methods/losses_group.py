"""Losses of one group of K scored candidates. Axes as in `losses`; N is K. All sum over the candidates."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from tpo_lab import group
from tpo_lab.methods.losses_aux import Aux, aux_of, clipped_surrogate, kl_terms, log_ratio
from tpo_lab.methods.losses_target import fit, solve_eta


def tpo(
    log_p: Array,
    log_p_old: Array,
    scores: Array,
    *,
    eta: Array | float = 1.0,
    rule: str = "tpo_paper",
    kl_budget: Array | float | None = None,
    lengths: Array | float | None = None,
    log_p_ref: Array | None = None,
    anchor: Array | float | None = None,
) -> tuple[Array, Aux]:
    """Target Policy Optimization: -sum_i q_i log p_i, q_i prop. to p_i_old exp(u_i / eta); the gradient is p - q.

    With an anchor a to a reference, q maximises sum_i r_i u_i - eta KL(r || p_old) - a KL(r || p_ref), so it is
    prop. to (p_old^eta p_ref^a)^(1 / (eta + a)) exp(u / (eta + a)).

    Args:
        log_p, log_p_old: log-probs of the candidates (a sequence: the sum over its tokens), shape (..., K).
        scores: raw scores, shape (..., K).
        eta: temperature > 0, in standard deviations of the score per nat.
        rule: standardisation, a name in `tpo_lab.group.RULES`.
        kl_budget: nats; solves eta in each group so that KL(q || p_old) is this, in place of `eta`.
        lengths: tokens per candidate, a number or shape (..., K); when given, log-probs are means over tokens.
        log_p_ref: log-probs under a fixed reference, shape (..., K); needed by an anchor.
        anchor: strength a >= 0 of the pull to the reference, in the units of eta; None and 0 are none.

    Raises:
        ValueError: if an anchor has no reference, or comes with a KL budget.

    Source: arXiv 2604.06159, section 3; budget and anchor are TPO Lab's.
    """
    if log_p_ref is None and anchor:
        raise ValueError("an anchor needs log_p_ref, the log-probs under the reference")
    if kl_budget is not None and anchor:
        raise ValueError("a KL budget solves for eta without an anchor: give one of the two")
    u = advantages_of(scores, rule)
    old, logits = lax.stop_gradient(log_p_old), log_p
    if lengths is not None:
        # A factor behind a barrier: a compiler rounds equal quotients, or fused products, differently, and p misses q.
        scaled = (old * (1 / lengths), logits * (1 / lengths))
        old, logits = lax.optimization_barrier(scaled)  # type: ignore[no-untyped-call]
    if kl_budget is not None:
        eta = solve_eta(old, u, kl_budget, ~jnp.isnan(scores))
    base = old
    if log_p_ref is not None and anchor is not None:
        ref = lax.stop_gradient(log_p_ref if lengths is None else log_p_ref / lengths)
        base, eta = (eta * old + anchor * ref) / (eta + anchor), eta + anchor
    return _target_loss(log_p, log_p_old, logits, base, u, eta, ~jnp.isnan(scores))


def tpo_no_anchor(
    log_p: Array, log_p_old: Array, scores: Array, *, eta: Array | float = 1.0, rule: str = "tpo_paper"
) -> tuple[Array, Aux]:
    """TPO without the behaviour policy in its target: q_i prop. to exp(u_i / eta).

    Source: arXiv 2604.06159, ablations.
    """
    u = advantages_of(scores, rule)
    return _target_loss(log_p, log_p_old, log_p, jnp.zeros_like(u), u, eta, ~jnp.isnan(scores))


def cross_entropy_loss(log_p: Array, log_p_old: Array, label: Array) -> tuple[Array, Aux]:
    """The supervised oracle: -log pi(y); the gradient in the logits is pi - e_y.

    Args:
        log_p, log_p_old: log-probs of all actions, shape (..., K).
        label: e_y, shape (..., K).
    """
    label = lax.stop_gradient(label)
    return fit(log_p, label, jnp.ones(label.shape, dtype=bool)), aux_of(log_p, log_p_old, label)


def group_pg(log_p: Array, log_p_old: Array, scores: Array, *, rule: str = "tpo_paper") -> tuple[Array, Aux]:
    """TPO's candidates and u as scalar weights: -sum_i u_i log p_i.

    u sums to zero, so normalising p over the group changes nothing.

    Source: arXiv 2604.06159, ablations.
    """
    return _weighted(log_p, log_p_old, advantages_of(scores, rule))


def rloo(log_p: Array, log_p_old: Array, scores: Array) -> tuple[Array, Aux]:
    """-sum_i A_i log p_i, A_i = s_i minus the mean of the other scores. Source: arXiv 2402.14740."""
    return _weighted(log_p, log_p_old, advantages_of(scores, "rloo"))


def max_rl(log_p: Array, log_p_old: Array, scores: Array) -> tuple[Array, Aux]:
    """-sum_i A_i log p_i, A = s / mean - 1; 0 where the mean is not positive. Source: arXiv 2602.02710."""
    return _weighted(log_p, log_p_old, advantages_of(scores, "prime_rl_max_rl"))


def awr(log_p: Array, log_p_old: Array, scores: Array, *, eta: Array | float = 1.0) -> tuple[Array, Aux]:
    """-sum_i min(exp(A_i / eta), 20) log p_i, A = s minus the group mean in the place of a critic.

    Equal scores weigh 1: the samples are imitated. Source: arXiv 1910.00177.
    """
    a = advantages_of(scores, "dr_grpo")
    weights = jnp.where(jnp.isnan(scores), 0.0, jnp.exp(jnp.minimum(a / eta, jnp.log(20.0))))
    return -jnp.sum(weights * log_p, axis=-1), aux_of(log_p, log_p_old, a, weights)


def grpo(
    log_p: Array,
    log_p_old: Array,
    scores: Array,
    *,
    clip: Array | float = 0.2,
    kl_weight: Array | float = 0.04,
    rule: str = "reference_grpo",
) -> tuple[Array, Aux]:
    """Clipped surrogate on z-scored A, with KL: -sum_i [min(rho A, clip(rho) A) - beta (exp(-d) + d - 1)].

    rho = exp(d) is the ratio to the rollout snapshot, of whole sequences where log_p are sums over tokens.

    Args:
        log_p, log_p_old, scores: shape (..., K).
        clip: half-width of the range of ratios.
        kl_weight: beta >= 0, reward per nat.
        rule: standardisation, a name in `tpo_lab.group.RULES`; equal scores give exactly 0 under each of them.

    Source: arXiv 2402.03300; constants of arXiv 2604.06159.
    """
    return _clipped(log_p, log_p_old, scores, rule, clip, clip, kl_weight)


def grpo_no_kl(log_p: Array, log_p_old: Array, scores: Array, *, clip: Array | float = 0.2) -> tuple[Array, Aux]:
    """GRPO with beta = 0. Source: arXiv 2604.06159, ablations."""
    return _clipped(log_p, log_p_old, scores, "reference_grpo", clip, clip)


def grpo_masked(
    log_p: Array, log_p_old: Array, scores: Array, *, clip: Array | float = 0.2, kl_weight: Array | float = 0.04
) -> tuple[Array, Aux]:
    """GRPO whose loss, KL included, is 0 on groups of equal scores. Source: arXiv 2604.06159, ablations."""
    value, aux = grpo(log_p, log_p_old, scores, clip=clip, kl_weight=kl_weight)
    informative = ~group.spread(scores).zero_variance[..., 0]
    return jnp.where(informative, value, 0.0), aux


def dr_grpo(log_p: Array, log_p_old: Array, scores: Array, *, clip: Array | float = 0.2) -> tuple[Array, Aux]:
    """Clipped surrogate on A = s - mean, not divided; no KL. Source: arXiv 2503.20783."""
    return _clipped(log_p, log_p_old, scores, "dr_grpo", clip, clip)


def dapo(
    log_p: Array, log_p_old: Array, scores: Array, *, clip: Array | float = 0.2, clip_high: Array | float = 0.28
) -> tuple[Array, Aux]:
    """Clipped surrogate on z-scored A with a wider upper range; no KL. Source: arXiv 2503.14476."""
    return _clipped(log_p, log_p_old, scores, "reference_grpo", clip, clip_high)


def gspo(
    log_p: Array,
    log_p_old: Array,
    scores: Array,
    *,
    clip: Array | float = 3e-4,
    clip_high: Array | float = 4e-4,
    lengths: Array | float = 1.0,
) -> tuple[Array, Aux]:
    """Clipped surrogate on the length-normalised ratio of sequences, rho = exp(d / length); no KL.

    Args:
        lengths: tokens per candidate, a number or shape (..., K).

    Source: arXiv 2507.18071.
    """
    value, aux = _clipped(log_p / lengths, log_p_old / lengths, scores, "reference_grpo", clip, clip_high)
    return value, replace(aux, kl=aux_of(log_p, log_p_old, scores).kl)  # of sequences, as every method records it


def rebel(log_p: Array, log_p_old: Array, scores: Array, *, eta: Array | float = 1.0) -> tuple[Array, Aux]:
    """Regress differences of scores on log-ratios: sum_{i<j} ((d_i - d_j) / eta - (s_i - s_j))^2 / K.

    Equal to the sum of squares of d / eta - s around its mean.

    Args:
        eta: step size of the mirror descent it performs, nats per unit of score.

    Source: arXiv 2404.16767.
    """
    counted = ~jnp.isnan(scores)
    centred = advantages_of(scores, "dr_grpo")
    d = jnp.where(counted, log_ratio(log_p, log_p_old), 0.0)
    n = jnp.maximum(jnp.sum(counted, axis=-1, keepdims=True), 1)
    mean = jnp.sum(d, axis=-1, keepdims=True) / n
    residual = jnp.where(counted, (d - mean) / eta - centred, 0.0)
    return jnp.sum(residual**2, axis=-1), aux_of(log_p, log_p_old, centred, lax.stop_gradient(-residual))


def pmpo(log_p: Array, log_p_old: Array, scores: Array, *, kl_weight: Array | float = 0.5) -> tuple[Array, Aux]:
    """Raise the mean log p of candidates above the group mean, lower that of those below, stay near the snapshot.

    -1/2 mean_{A>0} log p + 1/2 mean_{A<0} log p + beta mean (exp(d) - d - 1); the last estimates KL(p_old || p).

    Source: arXiv 2410.04166, with the rollout snapshot as reference.
    """
    a = advantages_of(scores, "dr_grpo")
    weights = 0.5 * (_share(a > 0) - _share(a < 0))
    kl = jnp.mean(kl_terms(-log_ratio(log_p, log_p_old)), axis=-1)
    return kl_weight * kl - jnp.sum(weights * log_p, axis=-1), aux_of(log_p, log_p_old, a, weights)


def advantages_of(scores: Array, rule: str) -> Array:
    """Standardised scores as constants of the update; exactly 0 for a group of equal scores and a missing score."""
    u: Array = lax.stop_gradient(group.standardise(scores, rule=rule))
    return u


def _share(chosen: Array) -> Array:
    """1 / n on the n chosen candidates; 0 everywhere when none is."""
    n = jnp.sum(chosen, axis=-1, keepdims=True)
    return jnp.where(chosen, 1.0 / jnp.maximum(n, 1), 0.0)


def _weighted(log_p: Array, log_p_old: Array, weights: Array) -> tuple[Array, Aux]:
    return -jnp.sum(weights * log_p, axis=-1), aux_of(log_p, log_p_old, weights)


def _target_loss(
    log_p: Array, log_p_old: Array, logits: Array, base: Array, u: Array, eta: Any, counted: Array
) -> tuple[Array, Aux]:
    q = lax.stop_gradient(group.target(base, u, eta=eta, counted=counted))
    return fit(logits, q, counted), aux_of(log_p, log_p_old, u, q)


def _clipped(
    log_p: Array,
    log_p_old: Array,
    scores: Array,
    rule: str,
    low: Array | float,
    high: Array | float,
    kl_weight: Array | float = 0.0,
) -> tuple[Array, Aux]:
    a = advantages_of(scores, rule)
    d = log_ratio(log_p, log_p_old)
    gain, clipped = clipped_surrogate(d, a, low, high)
    penalty = jnp.where(jnp.isnan(scores), 0.0, kl_weight * kl_terms(d))
    return jnp.sum(penalty - gain, axis=-1), aux_of(log_p, log_p_old, a, clipped=clipped)
