"""The slow, obvious versions: every rule in exact fractions, one line each, and the target in decimals of 60 digits."""

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

F = Fraction
EPS = {e: F(1, 10**e) for e in (4, 6, 8, 9)}
Rule = Callable[[list[F]], list[F]]


def mean(s: Sequence[F]) -> F:
    return sum(s, F(0)) / len(s)


def root(x: F) -> F:
    """Square root to 60 digits."""
    with localcontext(prec=60, Emax=10**6, Emin=-(10**6)):
        return F((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def deviation(s: Sequence[F], divisor: int) -> F:
    return root(sum(((x - mean(s)) ** 2 for x in s), F(0)) / divisor)


def population(s: Sequence[F]) -> F:
    return deviation(s, len(s))


def sample(s: Sequence[F]) -> F:
    return deviation(s, len(s) - 1)


def centred(s: list[F]) -> list[F]:
    return [x - mean(s) for x in s]


def others(s: list[F], i: int) -> list[F]:
    return s[:i] + s[i + 1 :]


def leave_one_out(s: list[F]) -> list[F]:
    return [x - mean(others(s, i)) for i, x in enumerate(s)]


def z_score(s: list[F], scale: F) -> list[F]:
    return [x / scale if scale else F(0) for x in centred(s)]


def plus(eps: F, scale: Callable[[Sequence[F]], F]) -> Rule:
    return lambda s: z_score(s, scale(s) + eps)


def nemo(s: list[F]) -> list[F]:
    scales = [sample(others(s, i)) if len(s) > 2 else F(0) for i in range(len(s))]
    return [a / (scale + EPS[6]) if scale > 0 else a for a, scale in zip(leave_one_out(s), scales, strict=True)]


def normalised_leave_one_out(s: list[F]) -> list[F]:
    a = leave_one_out(s)
    return z_score(a, sample(a) + EPS[4])


def tanh(x: F) -> F:
    with localcontext(prec=60, Emax=10**6, Emin=-(10**6)):
        e = (2 * Decimal(x.numerator) / Decimal(x.denominator)).exp()
        return F((e - 1) / (e + 1))


def of_mean(eps: F, only_positive: bool) -> Rule:
    def rule(s: list[F]) -> list[F]:
        if only_positive and mean(s) <= 0:
            return [F(0)] * len(s)
        return z_score(s, mean(s) + eps)

    return rule


# Section 1 of the table of stacks, for two or more scored candidates whose scores differ.
RULES: dict[str, Rule] = {
    "tpo_paper": plus(F(0), population),
    "tpo_reference": lambda s: z_score(s, population(s)) if population(s) > EPS[6] else centred(s),
    "reference_grpo": plus(EPS[8], population),
    "trl_group": plus(EPS[4], sample),
    "trl_batch": plus(EPS[4], sample),
    "trl_none": centred,
    "trl_rloo": leave_one_out,
    "trl_rloo_batch": normalised_leave_one_out,
    "verl_grpo": plus(EPS[6], sample),
    "dr_grpo": centred,
    "rloo": leave_one_out,
    "openrlhf_group_norm": plus(EPS[9], sample),
    "open_instruct_centered": centred,
    "open_instruct_standard": plus(EPS[8], population),
    "prime_rl_grpo": centred,
    "prime_rl_max_rl": of_mean(F(0), only_positive=True),
    "skyrl_grpo": plus(EPS[6], sample),
    "skyrl_max_rl": of_mean(EPS[6], only_positive=False),
    "nemo_rl": nemo,
    "slime": plus(EPS[6], sample),
    "robust_floor": lambda s: z_score(s, max(population(s), F(0.05))),
    "robust_relative_floor": lambda s: z_score(s, max(population(s), F(0.05) * max(map(abs, s)))),
    "robust_shrinkage": lambda s: z_score(s, root(population(s) ** 2 + F(0.05) ** 2)),
    "robust_clip": lambda s: [min(max(u, F(-2)), F(2)) for u in z_score(s, population(s))],
    "robust_tanh": lambda s: [2 * tanh(u / 2) for u in z_score(s, population(s))],
}


def standardised(rule: str, scores: Sequence[float | None]) -> list[float]:
    """u per candidate; 0 where a candidate has no score, and everywhere when the scores are equal."""
    scored = [F(s) for s in scores if s is not None]
    if max(scored) == min(scored):
        return [0.0] * len(scores)
    values = iter(RULES[rule](scored))
    return [0.0 if s is None else float(next(values)) for s in scores]


def target(log_p_old: Sequence[float], u: Sequence[float], eta: float) -> list[float]:
    """q in 60 digits; a log-prob of -inf is a probability of 0."""
    with localcontext(prec=60, Emax=10**17, Emin=-(10**17)):
        weights = [
            Decimal(0) if lp == float("-inf") else (Decimal(lp) + Decimal(x) / Decimal(eta)).exp()
            for lp, x in zip(log_p_old, u, strict=True)
        ]
        return [float(w / sum(weights)) for w in weights]
