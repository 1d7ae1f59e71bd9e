"""One update of one group under every method that compares or weighs its candidates, in NumPy: no JAX in a page.

The candidates of the group are all there is: log p = log_softmax(z) over them, and a method moves the K logits z. The
derivatives are written out by hand; a test holds them to those that JAX takes of the losses in `losses`.
Axes: K candidates, E epochs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError
from tpo_lab.group.arrays import masked_log_softmax
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import standardise
from tpo_lab.group.target import target
from tpo_lab.methods.registry import METHODS, Method

EPOCHS = (1, 2, 4, 8, 16)
MAX_STEP_SIZE = 1000.0
_FAR = 1e300  # nats: what differs by more has no difference in a float
LOG_RATIO_LIMIT = 20.0  # nats, as in the losses
Optimiser = Literal["plain", "normalised"]
OPTIMISERS: tuple[Optimiser, ...] = ("plain", "normalised")

# Methods on groups of tokens have the losses of their namesakes: on one group they are the same.
UPDATED: Mapping[str, Method] = {name: method for name, method in METHODS.items() if method.group != "tokens"}


@dataclass(frozen=True)
class Settings:
    """What an update is made with.

    Attributes:
        knobs: constants by the name of a knob, for every method that has it and is not GSPO (whose ratios are per
            token, and its clip range a thousandth); the others have their defaults.
        step_size: alpha.
        optimiser: z <- z - alpha g, or z <- z - alpha g / |g| with no step where g = 0.
        moved: nats by which other groups have moved the first candidate's logit since the group was sampled.
        masked: a group of equal scores is left out of the loss, whatever the method.

    Raises:
        InputError: if the step size or the move is out of range, or the optimiser is unknown.
    """

    knobs: Mapping[str, float] = field(default_factory=dict)
    step_size: float = 1.0
    optimiser: Optimiser = "plain"
    moved: float = 0.0
    masked: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.step_size <= MAX_STEP_SIZE:
            raise InputError(
                "step", f"The step size must be above 0 and at most {MAX_STEP_SIZE:g}, not {self.step_size}."
            )
        if not abs(self.moved) <= 50:
            raise InputError("moved", f"The move must be −50 to 50 nats, not {self.moved:g}.")
        if self.optimiser not in OPTIMISERS:
            raise InputError("optimiser", f"Unknown optimiser {self.optimiser!r}; known: {', '.join(OPTIMISERS)}.")


@dataclass(frozen=True)
class Update:
    """What one method does to one group. Vectors have shape (K,), 0 for candidates that are not part of it.

    Attributes:
        advantages: standardised scores or advantages, constants of the update.
        weights: what the loss weighs log p by at the first epoch: the target q, the advantage, the gated advantage.
        gradient: of the loss in the logits at the first epoch.
        policies: the policy before each epoch and after the last, shape (E + 1, K).
        residuals: |gradient| before each epoch and after the last, shape (E + 1,).
    """

    method: str
    advantages: Floats
    weights: Floats
    gradient: Floats
    policies: Floats
    residuals: Floats


def check_updated(name: str) -> None:
    """Raise InputError for a method that is unknown, or that compares tokens."""
    if METHODS[name].name not in UPDATED:
        raise InputError("methods", f"{METHODS[name].label} has the loss of its namesake: choose that one.")


def update(name: str, scenario: Scenario, settings: Settings, epochs: int = EPOCHS[-1]) -> Update:
    """Build the method's constants once from p_old and the scores, then take the epochs.

    Candidates without a score, or that p_old cannot reach, are left out; their entries are 0.

    Raises:
        InputError: if the method is unknown, or compares tokens.
    """
    check_updated(name)
    group = _group(name, scenario, settings)
    z = group.log_p_old + settings.moved * (np.arange(len(group.log_p_old)) == 0)
    policies, residuals = np.empty((epochs + 1, len(z))), np.empty(epochs + 1)
    first: tuple[Floats, Floats] | None = None
    for epoch in range(epochs + 1):
        log_p = _log_softmax(z)
        policies[epoch] = np.exp(log_p)
        weights, gradient = _gradient(group, log_p)
        first = first or (weights, gradient)
        largest = float(np.max(np.abs(gradient))) or 1.0  # the squares of scores near 1e300 have no room
        direction = gradient / largest
        length = float(np.linalg.norm(direction))
        residuals[epoch] = largest * length
        step = direction / (length or 1.0) if settings.optimiser == "normalised" else gradient
        z = np.clip(z - settings.step_size * step, -_FAR, _FAR)
    assert first is not None
    spread = group.spread_out
    return Update(name, spread(group.advantages), spread(first[0]), spread(first[1]), spread(policies), residuals)


@dataclass(frozen=True)
class _Group:
    """The candidates of a group that take part, and the constants of a method on them."""

    name: str
    scores: Floats
    log_p_old: Floats  # normalised
    advantages: Floats
    target: Floats  # q, or of a method that fits none the advantages
    taking_part: np.ndarray
    constants: Mapping[str, float]
    silent: bool

    def spread_out(self, values: Floats) -> Floats:
        """Values of those that take part among all candidates; 0 for the others."""
        found = np.zeros((*values.shape[:-1], len(self.taking_part)))
        found[..., self.taking_part] = values
        return found


# The rule behind each method's advantages; the methods with a choice take the scenario's.
_RULES = {
    "grpo": "reference_grpo",
    "grpo_no_kl": "reference_grpo",
    "grpo_masked": "reference_grpo",
    "dapo": "reference_grpo",
    "gspo": "reference_grpo",
    "rloo": "rloo",
    "max_rl": "prime_rl_max_rl",
}
_MEAN = "dr_grpo"  # s minus the mean: also the baseline of PG, DG and PPO, which bring none of their own


def taking_part(scenario: Scenario) -> npt.NDArray[np.bool_]:
    """True for the candidates with a score that p_old can reach, shape (K,)."""
    return scenario.counted() & (scenario.log_p_old() > -np.inf)


def rule_of(name: str, scenario: Scenario) -> tuple[str, float | None]:
    """The rule behind a method's advantages, and its strength: the scenario's for the methods with a choice."""
    if "rule" in METHODS[name].choices:
        return scenario.rule, scenario.strength
    return _RULES.get(name, _MEAN), None


def constants_of(name: str, settings: Settings) -> dict[str, float]:
    """A method's constants by the name of a knob, under these settings."""
    given = {} if name == "gspo" else settings.knobs
    return {knob.name: given.get(knob.name, knob.default or 0.0) for knob in METHODS[name].knobs}


def _group(name: str, scenario: Scenario, settings: Settings) -> _Group:
    part = taking_part(scenario)
    scores, log_p_old = scenario.score_array()[part], _log_softmax(scenario.log_p_old()[part])
    if name == "ce":
        advantages = (np.arange(len(scores)) == int(np.argmax(scores))).astype(np.float64)
    else:
        rule, strength = rule_of(name, scenario)
        advantages = standardise(scores, rule=rule, strength=strength)
    q = advantages
    if METHODS[name].fits_target:
        base = np.zeros_like(log_p_old) if name == "tpo_no_anchor" else log_p_old
        q = target(base, advantages, eta=scenario.eta)
    equal = bool(np.ptp(scores) == 0)
    return _Group(
        name=name,
        scores=scores,
        log_p_old=log_p_old,
        advantages=np.asarray(advantages),
        target=np.asarray(q),
        taking_part=part,
        constants=constants_of(name, settings),
        silent=equal and (settings.masked or name == "grpo_masked"),
    )


def _log_softmax(z: Floats) -> Floats:
    """As the target's own: a policy at its target then has a gradient of exactly 0."""
    log_p: Floats = masked_log_softmax(np, z, np.ones(z.shape, dtype=bool))
    return log_p


def _gradient(group: _Group, log_p: Floats) -> tuple[Floats, Floats]:
    """The weights and the gradient in the logits, both shape (K,)."""
    weights, slope = _LOSSES[group.name](group, log_p)
    if group.silent:
        return weights, np.zeros_like(log_p)
    if slope is None:  # a target: the gradient is p - q as computed, exactly 0 where they are equal
        return weights, np.exp(log_p) - weights
    return weights, slope - np.exp(log_p) * np.sum(slope)


_Loss = Callable[[_Group, Floats], tuple[Floats, Floats | None]]


def _fitted(group: _Group, _: Floats) -> tuple[Floats, None]:
    """-sum q log p; of the oracle, q is 1 on the best candidate."""
    return group.target, None


def _weighted(group: _Group, _: Floats) -> tuple[Floats, Floats]:
    """-sum A log p."""
    return group.advantages, -group.advantages


def _gated(group: _Group, log_p: Floats) -> tuple[Floats, Floats]:
    """-sum A sigmoid(-A log p / eta) log p, the gate held constant."""
    a = group.advantages
    with np.errstate(over="ignore"):  # of scores near 1e300: the gate is then open or shut
        weights = a / (1 + np.exp(np.minimum(a * log_p / group.constants["eta"], 700)))
    return weights, -weights


def _awr(group: _Group, _: Floats) -> tuple[Floats, Floats]:
    """-sum min(exp(A / eta), 20) log p."""
    weights = np.exp(np.minimum(group.advantages / group.constants["eta"], np.log(20.0)))
    return weights, -weights


def _clipped(low: str, high: str, kl: bool) -> _Loss:
    """-sum [min(rho A, clip(rho, 1 - low, 1 + high) A) - beta (exp(-d) + d - 1)], d = log rho within +-20 nats."""

    def loss(group: _Group, log_p: Floats) -> tuple[Floats, Floats]:
        a = group.advantages
        inside, d = _log_ratio(group, log_p)
        ratio = np.exp(d)
        flat = ((a > 0) & (ratio > 1 + group.constants[high])) | ((a < 0) & (ratio < 1 - group.constants[low]))
        slope = np.where(flat, 0.0, -ratio * a)
        if kl:
            slope = slope + group.constants["kl_weight"] * (1 - np.exp(-d))
        return a, np.where(inside, slope, 0.0)

    return loss


def _rebel(group: _Group, log_p: Floats) -> tuple[Floats, Floats]:
    """sum ((d - mean d) / eta - A)^2."""
    inside, d = _log_ratio(group, log_p)
    off = (d - d.mean()) / group.constants["eta"] - group.advantages
    return -off, np.where(inside, 2 * off / group.constants["eta"], 0.0)


def _pmpo(group: _Group, log_p: Floats) -> tuple[Floats, Floats]:
    """-1/2 mean_{A>0} log p + 1/2 mean_{A<0} log p + beta mean (exp(d) - d - 1)."""
    a = group.advantages
    up, down = a > 0, a < 0
    weights = 0.5 * (up / max(int(up.sum()), 1) - down / max(int(down.sum()), 1))
    inside, d = _log_ratio(group, log_p)
    pull = np.where(inside, group.constants["kl_weight"] * (np.exp(d) - 1) / len(d), 0.0)
    return weights, pull - weights


def _log_ratio(group: _Group, log_p: Floats) -> tuple[np.ndarray, Floats]:
    """Where log p - log p_old lies within its limits, and its value there."""
    d = log_p - group.log_p_old
    return np.abs(d) <= LOG_RATIO_LIMIT, np.clip(d, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)


_LOSSES: Mapping[str, _Loss] = {
    "tpo": _fitted,
    "tpo_no_anchor": _fitted,
    "ce": _fitted,
    "pg": _weighted,
    "group_pg": _weighted,
    "rloo": _weighted,
    "max_rl": _weighted,
    "dg": _gated,
    "awr": _awr,
    "ppo": _clipped("clip", "clip", kl=False),
    "grpo": _clipped("clip", "clip", kl=True),
    "grpo_no_kl": _clipped("clip", "clip", kl=False),
    "grpo_masked": _clipped("clip", "clip", kl=True),
    "dr_grpo": _clipped("clip", "clip", kl=False),
    "dapo": _clipped("clip", "clip_high", kl=False),
    "gspo": _clipped("clip", "clip_high", kl=False),
    "rebel": _rebel,
    "pmpo": _pmpo,
}
