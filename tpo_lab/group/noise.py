"""The noise of a scorer, and what it does to a target in closed form. `resample` has the rest, by simulation.

The model: a candidate scored again gets s_i + e_i, with independent e_i of mean 0 and standard deviation tau: normal,
or uniform over a step of a scorer that rounds, where tau = step / sqrt(12). The shown scores stand for the true ones.
Axes: K scored candidates.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.scenario import Floats
from tpo_lab.group.standardise import spread, standardise
from tpo_lab.group.target import target

NoiseKind = Literal["normal", "step"]
NOISE_KINDS: tuple[NoiseKind, ...] = ("normal", "step")
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_TAIL = 8.5  # standard deviations: a normal has 2e-17 beyond


@dataclass(frozen=True)
class Noise:
    """How a score varies when the same answer is scored again.

    Attributes:
        size: standard deviation of a normal, or the step of a scorer that rounds; in score units, at least 0.
        kind: `normal`, or `step`: uniform between half a step below and above.

    Raises:
        InputError: if the size is negative or not finite, or the kind is unknown.
    """

    size: float
    kind: NoiseKind = "normal"

    def __post_init__(self) -> None:
        if self.kind not in NOISE_KINDS:
            raise InputError("noise_kind", f"Unknown kind of noise {self.kind!r}; known: {', '.join(NOISE_KINDS)}.")
        if not 0 <= self.size <= 1e6:
            raise InputError("noise", f"The noise must be 0 to 1e6 score units, not {self.size:g}.")

    @property
    def sd(self) -> float:
        """tau, the standard deviation of one score."""
        return self.size if self.kind == "normal" else self.size / math.sqrt(12)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Independent e, any shape."""
        if self.kind == "normal":
            return self.size * rng.standard_normal(shape)
        return self.size * (rng.random(shape) - 0.5)

    def cdf(self, x: Floats) -> Floats:
        """P(e <= x)."""
        if self.kind == "step":
            return np.clip(x / self.size + 0.5, 0.0, 1.0)
        flat = [math.erf(value) for value in (x / (self.size * math.sqrt(2))).ravel().tolist()]
        return 0.5 + 0.5 * np.array(flat).reshape(x.shape)


@dataclass(frozen=True)
class Estimate:
    """The noise of a scorer from repeated scores.

    Attributes:
        sd: pooled standard deviation within a candidate.
        standard_error: of sd, as if the noise were normal.
        degrees: scores beyond the first of each candidate.
    """

    sd: float
    standard_error: float
    degrees: int


def estimate(repeats: Sequence[Sequence[float]]) -> Estimate:
    """tau^2 = sum_i sum_r (x_ir - mean_i)^2 / sum_i (n_i - 1): the scores' scatter within each candidate, pooled.

    The sum over tau^2 follows a chi-square with sum_i (n_i - 1) degrees of freedom if the noise is normal, so the
    standard error of tau is about tau / sqrt(2 degrees).

    Args:
        repeats: for each candidate its scores; one alone says nothing and is allowed.

    Raises:
        InputError: if no candidate was scored twice.
    """
    degrees = sum(len(scores) - 1 for scores in repeats if scores)
    if degrees < 1:
        raise InputError("repeats", "At least one candidate needs two scores, on one line.")
    squares = sum(float(np.sum((np.asarray(scores) - np.mean(scores)) ** 2)) for scores in repeats if scores)
    sd = math.sqrt(squares / degrees)
    return Estimate(sd, sd / math.sqrt(2 * degrees), degrees)


def best_is_not_best(scores: Floats, noise: Noise) -> float:
    """Probability that a candidate other than the highest comes out highest when all are scored again.

    P(i is highest) = integral of f(e) prod_{j != i} F(s_i + e - s_j) de with the noise's density f and distribution F:
    for two candidates and normal noise 1 minus this is Phi(-(s_1 - s_2) / (tau sqrt(2))). Candidates that share the
    highest score are all right. The integral is a sum over Gauss-Legendre nodes; under rounding the integrand is a
    polynomial between its kinks, and the sum exact.

    Args:
        scores: shape (K,).
    """
    if noise.sd == 0 or len(scores) < 2:
        return 0.0
    best = int(np.argmax(scores))
    gaps = scores[best] - np.delete(scores, best)
    half = noise.size / 2 if noise.kind == "step" else _TAIL * noise.size
    if noise.kind == "step":
        kinks = np.concatenate([-gaps - half, half - gaps])
        ends = np.unique(np.concatenate([[-half, half], kinks[np.abs(kinks) < half]]))
    else:
        ends = np.linspace(-half, half, 9)
    low, width = ends[:-1, None], np.diff(ends)[:, None]
    e = (low + width * (_NODES + 1) / 2).ravel()
    weight = (width * _WEIGHTS / 2).ravel()
    density = 1 / noise.size if noise.kind == "step" else np.exp(-0.5 * (e / noise.size) ** 2) / noise.size / _ROOT_2PI
    wins = float(np.sum(weight * density * np.prod(noise.cdf(gaps + e[:, None]), axis=-1)))
    return min(max(1.0 - wins * int(np.sum(scores == scores[best])), 0.0), 1.0)


_ROOT_2PI = math.sqrt(2 * math.pi)


def half_noise_spread(k: int, noise: Noise) -> float:
    """The observed population deviation at which half of the scores' variance is noise: tau sqrt(2 (K - 1) / K).

    K scores of true deviation sigma are seen with an expected variance sigma^2 + tau^2 (K - 1) / K, whatever the
    distribution of the noise; at this spread the two terms are equal. Below it the standardised scores, and with them
    the target of every rule that divides by sigma, rank noise more than answers.
    """
    return noise.sd * math.sqrt(2 * (k - 1) / k)


def pair_total_variation(scores: Floats, log_p_old: Floats, eta: float, noise: Noise) -> float:
    """Expected total variation between q under new scores and the shown q, of two candidates under the paper's rule.

    u is +-1 whatever the gap, so q has two values, and E TV = |q_1 - q_1 turned round| P(the order turns round).

    Args:
        scores, log_p_old: shape (2,), the scores different.
    """
    u = standardise(scores)
    change = abs(float(target(log_p_old, u, eta=eta)[0] - target(log_p_old, -u, eta=eta)[0]))
    return change * best_is_not_best(scores, noise)


def small_noise_total_variation(scores: Floats, log_p_old: Floats, eta: float, noise: Noise) -> float:
    """Expected total variation between q under new scores and the shown q, to first order in tau / sigma.

    Under the paper's rule du_i / ds_j = (1{i = j} - 1/K - u_i u_j / K) / sigma, and dq_i = q_i (du_i - sum_j q_j du_j)
    / eta. With J = dq / ds a normal e gives E |J_i e| = tau |J_i| sqrt(2 / pi), hence
    E TV = tau / sqrt(2 pi) sum_i |J_i|. Other noise of the same tau gives nearly the same where K is not small.

    Args:
        scores, log_p_old: shape (K,).

    Returns:
        Infinity where the scores are equal: any noise decides there.
    """
    sigma = float(spread(scores).sigma_population[0])
    if sigma == 0:
        return math.inf if noise.sd else 0.0
    u, k = standardise(scores), len(scores)
    q = target(log_p_old, u, eta=eta)
    du = (np.eye(k) - 1 / k - np.outer(u, u) / k) / sigma
    jacobian = q[:, None] * (du - q @ du) / eta
    return noise.sd / _ROOT_2PI * float(np.sum(np.linalg.norm(jacobian, axis=1)))
