"""The groups of a look: of which kind each is, and one of them with its numbers. Importing this loads no JAX."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tpo_lab import group
from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.group.scenario import MAX_CANDIDATES, Scenario
from tpo_lab.group.verdict import LOW_SIGMA
from tpo_lab.methods.registry import METHODS
from tpo_lab.training.look import Look

Floats = npt.NDArray[np.float64]
Tokens = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Kind = Literal["all_fail", "low_sigma", "mixed", "equal", "all_pass"]
KINDS: tuple[Kind, ...] = ("all_fail", "low_sigma", "mixed", "equal", "all_pass")


@dataclass(frozen=True)
class Numbers:
    """What the update makes of a group, float64, shape (K,).

    Attributes:
        score: the sum of a candidate's rewards, or the reward of a next token.
        u: standardised by the method's rule, or by TPO's for a method that has none.
        p_old, p_last: the policy over the group before the update, and at its last gradient.
        q: the target that the method fitted; for a method without one, TPO's.
        weight: what the method's loss weighs a candidate by in the first epoch; q for one that fits a target.
    """

    score: Floats
    u: Floats
    p_old: Floats
    p_last: Floats
    q: Floats
    weight: Floats


@dataclass(frozen=True)
class Group:
    """One group, or of a method that compares nothing one sample.

    Attributes:
        prompt, wanted: tokens, (H,).
        written: what stands before the candidates, if they are next tokens, (t,).
        tokens: of each candidate, (K, H), or (K, 1) for next tokens; `right` and `p`, the probability, likewise.
        rewards: of each token of a single sample, (H,), and its `advantages`; empty otherwise.
        numbers: None for a single sample.
        scenario: the group as other pages take it, or why they cannot; `plain`: they compute the same q.
    """

    prompt: Tokens
    wanted: Tokens
    written: Tokens
    tokens: Tokens
    right: Bools
    p: Floats
    rewards: Floats
    advantages: Floats
    numbers: Numbers | None
    scenario: Scenario | str
    plain: bool = True


def kinds_of(config: ReversalConfig, method: str, look: Look) -> npt.NDArray[np.int64]:
    """Index into `KINDS` of each group, (G,), or (G, H) for next tokens; a single sample is right or not.

    Scores are read per token, 0 a fail and 1 a pass. Low sigma: a spread below `LOW_SIGMA`.
    """
    scores = look.signal / (config.length if METHODS[method].group == "candidates" else 1)
    if METHODS[method].group == "none":
        scores = np.all(look.outputs == look.wanted[:, None], axis=-1).astype(np.float64)
    spread = group.spread(scores)
    sigma, constant = spread.sigma_population[..., 0], spread.zero_variance[..., 0]
    low = scores.min(axis=-1)
    names: tuple[Kind, ...] = ("all_fail", "all_pass", "equal", "low_sigma")
    conditions = [constant & (low <= 0), constant & (low >= 1), constant, sigma < LOW_SIGMA]
    return np.select(conditions, [KINDS.index(name) for name in names], KINDS.index("mixed"))


def group_of(config: ReversalConfig, method: str, look: Look, prompt: int, place: int = 0) -> Group:
    """One group of a look.

    Args:
        prompt: its index, below G.
        place: of the next token that is compared, below H; of no meaning to other methods.
    """
    kind = METHODS[method].group
    wanted, outputs = look.wanted[prompt], look.outputs[prompt]
    at = (prompt, place) if kind == "tokens" else (prompt,)
    signal, log_p = look.signal[at].astype(np.float64), look.log_p_old[at].astype(np.float64)
    of_tokens = kind == "tokens"
    tokens = look.candidates[at][:, None] if of_tokens else outputs
    numbers: Numbers | None = None
    scenario: Scenario | str = f"{METHODS[method].label} draws one output of a prompt: there is no group to open."
    plain = True
    if kind != "none":
        numbers, scenario, plain = _numbers(config, method, look, at)
    return Group(
        prompt=look.prompts[prompt],
        wanted=wanted,
        written=outputs[0, :place] if of_tokens else outputs[0, :0],
        tokens=tokens,
        right=tokens == (wanted[place] if of_tokens else wanted),
        p=np.exp(log_p[:, None] if of_tokens else look.token_log_p[prompt].astype(np.float64)),
        rewards=look.rewards[prompt, 0].astype(np.float64) if kind == "none" else np.empty(0),
        advantages=signal if kind == "none" else np.empty(0),
        numbers=numbers,
        scenario=scenario,
        plain=plain,
    )


def _numbers(
    config: ReversalConfig, method: str, look: Look, at: tuple[int, ...]
) -> tuple[Numbers, Scenario | str, bool]:
    of_mean = config.length if config.averages_tokens(method) else 1
    score, weight = look.signal[at].astype(np.float64), look.weights[at].astype(np.float64)
    log_p, log_p_last = (_shortest(x[at]) / of_mean for x in (look.log_p_old, look.log_p_last))
    fits = METHODS[method].fits_target
    rule = config.rule_of(method) or "tpo_paper"
    eta = config.knobs(method).get("eta", 1.0) if fits else 1.0
    u = group.standardise(score, rule=rule)
    q = group.target(log_p, u, eta=eta)
    plain = not fits or bool(np.allclose(q, weight, atol=1e-3, equal_nan=True))
    numbers = Numbers(score, u, group.policy(log_p), group.policy(log_p_last), weight if fits else q, weight)
    return numbers, _scenario(score, log_p, eta, rule), plain


def _scenario(score: Floats, log_p: Floats, eta: float, rule: str) -> Scenario | str:
    if len(score) > MAX_CANDIDATES:
        return f"The pages of one group take up to {MAX_CANDIDATES} candidates; this one has {len(score)}."
    try:
        return Scenario(tuple(score.tolist()), tuple(log_p.tolist()), "log_probs", eta=eta, rule=rule)
    except InputError as error:
        return str(error)


def _shortest(x: Any) -> Floats:
    """float32 as the shortest decimals that mean the same: in a link they are half as long."""
    return np.array([float(str(value)) for value in np.asarray(x, np.float32)])
