"""Copy as code: a method's loss on one group, its gradient and its epochs, needing nothing of this package.

One text serves NumPy, JAX and PyTorch, as in `tpo_lab.group.snippets`. JAX and PyTorch differentiate the loss; for
NumPy the derivative is written out, and a test holds it to the loss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.snippets import LANGUAGES, group_of, in_language, indented, standardisation
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.updates import (
    EPOCHS,
    LOG_RATIO_LIMIT,
    Settings,
    check_updated,
    constants_of,
    rule_of,
    taking_part,
)

T = TypeVar("T")


@dataclass(frozen=True)
class _Terms:
    """What a library has its own words for.

    Attributes:
        opening: imports before those of `LANGUAGES`.
        log_softmax: how the function of this name comes to be.
        frozen: `log_p`, through which no gradient flows.
        gradient: the function of this name.
    """

    opening: str
    log_softmax: str
    frozen: str
    gradient: str


_TERMS: Mapping[str, _Terms] = {
    "numpy": _Terms(
        "",
        "def log_softmax(z):\n    z = z - z.max()\n    return z - np.log(np.exp(z).sum())\n",
        "log_p",
        "def gradient(z):\n"
        "    log_p = log_softmax(z)\n"
        "    _, slope = loss(log_p, log_p_old, scores)\n"
        "    return slope - np.exp(log_p) * slope.sum()\n",
    ),
    "jax": _Terms(
        "import jax\n",
        "log_softmax = jax.nn.log_softmax\n",
        "jax.lax.stop_gradient(log_p)",
        "@jax.jit\n@jax.grad\ndef gradient(z):\n    return loss(log_softmax(z), log_p_old, scores)\n",
    ),
    "pytorch": _Terms(
        "",
        "def log_softmax(z):\n    return torch.log_softmax(z, 0)\n",
        "log_p.detach()",
        "def gradient(z):\n"
        "    z = z.detach().requires_grad_()\n"
        "    return torch.autograd.grad(loss(log_softmax(z), log_p_old, scores), z)[0]\n",
    ),
}


@dataclass(frozen=True)
class _Text:
    """A loss as text; `a` is the standardised score or advantage, `$` opens the name of a constant.

    Attributes:
        says: the loss in one line.
        lines: what comes before its value.
        value: the loss.
        slope: its derivative in `log_p`.
        more: lines before `slope`.
    """

    says: str
    lines: Sequence[str]
    value: str
    slope: str
    more: Sequence[str] = ()


def _fitted(*lines: str) -> _Text:
    return _Text(
        "-sum q log p, p normalised over the group: its gradient in the logits is p - q.",
        (*lines, "log_p = log_softmax(log_p)"),
        "-(q * log_p).sum()",
        "xp.exp(log_p) - q",
    )


def _weighted(*lines: str, weights: str, says: str) -> _Text:
    return _Text(says, lines, f"-({weights} * log_p).sum()", f"-{weights}")


_RATIO = f"d = xp.clip(log_p - log_p_old, -{LOG_RATIO_LIMIT!r}, {LOG_RATIO_LIMIT!r})  # flat beyond"
_INSIDE = f"xp.where(xp.abs(d) < {LOG_RATIO_LIMIT!r}, {{}}, 0.0)"


def _clipped(high: str, *, kl: bool = False, masked: bool = False) -> _Text:
    value = "($kl_weight * (xp.exp(-d) + d - 1) - gain).sum()" if kl else "-gain.sum()"
    slope = _INSIDE.format("slope + $kl_weight * (1 - xp.exp(-d))" if kl else "slope")
    alive = "xp.where(scores.max() > scores.min(), {}, 0.0)" if masked else "{}"
    return _Text(
        "-sum min(rho a, clip(rho) a)" + (" + beta (exp(-d) + d - 1)" if kl else "") + ", rho = exp(d) = p / p_old.",
        (
            _RATIO,
            "rho = xp.exp(d)",
            f"gain = xp.minimum(rho * a, xp.clip(rho, 1 - $clip, 1 + ${high}) * a)",
        ),
        alive.format(value),
        alive.format(slope),
        (
            f"flat = ((a > 0) & (rho > 1 + ${high})) | ((a < 0) & (rho < 1 - $clip))",
            "slope = xp.where(flat, 0.0, -rho * a)",
        ),
    )


_LOSSES: Mapping[str, _Text] = {
    "tpo": _fitted("q = xp.exp(log_softmax(log_p_old + a / $eta))"),
    "tpo_no_anchor": _fitted("q = xp.exp(log_softmax(a / $eta))"),
    "ce": _fitted("q = 1.0 * (xp.arange(len(scores)) == scores.argmax())"),
    "dg": _weighted(
        "w = a / (1 + xp.exp(a * FROZEN / $eta))",
        weights="w",
        says="-sum w log p, w = a sigmoid(-a log p / eta) held constant.",
    ),
    "awr": _weighted(
        "w = xp.clip(xp.exp(a / $eta), None, 20.0)", weights="w", says="-sum w log p, w = min(exp(a / eta), 20)."
    ),
    **{name: _weighted(weights="a", says="-sum a log p.") for name in ("pg", "group_pg", "rloo", "max_rl")},
    **{name: _clipped("clip") for name in ("ppo", "grpo_no_kl", "dr_grpo")},
    **{name: _clipped("clip_high") for name in ("dapo", "gspo")},
    "grpo": _clipped("clip", kl=True),
    "grpo_masked": _clipped("clip", kl=True, masked=True),
    "rebel": _Text(
        "sum ((d - mean d) / eta - a)^2, d = log p / p_old.",
        (_RATIO, "off = (d - d.mean()) / $eta - a"),
        "(off**2).sum()",
        _INSIDE.format("2 * off / $eta"),
    ),
    "pmpo": _Text(
        "-1/2 mean of log p where a > 0, + 1/2 where a < 0, + beta mean (exp(d) - d - 1).",
        (
            _RATIO,
            "up, down = a > 0, a < 0",
            "n_up, n_down = xp.clip(up.sum(), 1, None), xp.clip(down.sum(), 1, None)",
            "pull = 0.5 * ((log_p * down).sum() / n_down - (log_p * up).sum() / n_up)",
        ),
        "pull + $kl_weight * (xp.exp(d) - d - 1).mean()",
        f"0.5 * (down / n_down - up / n_up) + {_INSIDE.format('$kl_weight * (xp.exp(d) - 1) / len(d)')}",
    ),
}


def snippet(name: str, scenario: Scenario, settings: Settings, language: str = "numpy") -> str:
    """A program that defines `loss(log_p, log_p_old, scores)` of a method and takes the epochs of `updates.update`.

    It defines `gradient(z)` in the logits too, and ends with the policy `p`. Candidates without a score, or that the
    old policy cannot reach, are left out of it, as they are of the update.

    Args:
        name: the method.
        scenario: the group.
        settings: of an update from p_old: `moved` and `masked` are no part of it.
        language: a name in `LANGUAGES`.

    Raises:
        InputError: if the method is unknown or compares tokens, or the language is unknown.
    """
    check_updated(name)
    lib, method = LANGUAGES[language], METHODS[name]
    terms = _TERMS[lib.name]
    group, left_out = _part_of(scenario)
    text = (
        f"# {method.label}: {method.source}\n{left_out}{terms.opening}{lib.imports}\n\n\n"
        f"{_functions(name, scenario, settings, with_slope=lib.name == 'numpy')}\n\n"
        f"{terms.gradient}\n\n"
        f"{group_of(lib, group)}\n"
        f"log_p_old = log_softmax(log_p_old)\n\n"
        f"{_epochs(settings)}\n"
        "p = xp.exp(log_softmax(z))\n"
        "print(p)\n"
    )
    text = text.replace("LOG_SOFTMAX", terms.log_softmax).replace("FROZEN", terms.frozen)
    return in_language(lib, text)


def _part_of(scenario: Scenario) -> tuple[Scenario, str]:
    """The group of the candidates that take part, and a line that names the others."""
    part = taking_part(scenario).tolist()
    group = replace(
        scenario,
        scores=_kept(scenario.scores, part),
        policy=None if scenario.policy is None else _kept(scenario.policy, part),
        lengths=None if scenario.lengths is None else _kept(scenario.lengths, part),
    )
    out = ", ".join(str(i + 1) for i, takes in enumerate(part) if not takes)
    return group, f"# Left out, without a score or of probability 0: candidate {out}.\n" if out else ""


def _kept(values: tuple[T, ...], part: Sequence[bool]) -> tuple[T, ...]:
    return tuple(value for value, takes in zip(values, part, strict=True) if takes)


def _functions(name: str, scenario: Scenario, settings: Settings, *, with_slope: bool) -> str:
    """`log_softmax`, `standardise` where there are advantages, and `loss`."""
    text, told = _LOSSES[name], name == "ce"
    rule_name, strength = rule_of(name, scenario)
    rule = RULES[rule_name].tuned(strength)
    lines = [f'"""{text.says}"""', *([] if told else ["a = standardise(scores)"]), *text.lines]
    if with_slope:
        lines[0] = f'"""{text.says} Its derivative in log_p too."""'
        lines += [*text.more, f"slope = {text.slope}", f"return {text.value}, slope"]
    else:
        lines.append(f"return {text.value}")
    standardise = (
        f"def standardise(scores):\n"
        f'    """Rule: {rule.label}; a score of nan is missing."""\n'
        f"{indented(*standardisation(rule), 'return u')}\n\n\n"
    )
    body = indented(*lines)
    constants = constants_of(name, settings) | ({"eta": scenario.eta} if METHODS[name].fits_target else {})
    for knob, value in sorted(constants.items(), reverse=True):  # clip_high before clip
        body = body.replace(f"${knob}", repr(value))
    return f"LOG_SOFTMAX\n\n{'' if told else standardise}def loss(log_p, log_p_old, scores):\n{body}\n"


def _epochs(settings: Settings) -> str:
    step = "gradient(z)"
    lines = []
    if settings.optimiser == "normalised":
        step = "g / xp.where(length > 1e-6, length, xp.inf)  # no step along mere rounding"
        lines = ["g = gradient(z)", "length = xp.sqrt((g**2).sum())"]
    body = indented(*lines, f"z = z - {settings.step_size!r} * {step}")
    return f"z = log_p_old\nfor _ in range({EPOCHS[-1]}):\n{body}"
