"""Copy as code: the current group as a short program in NumPy, JAX or PyTorch, needing nothing of this package.

One text serves the three: they differ in how an array is made and in the name in front of `where` and `exp`.
"""

import textwrap
from dataclasses import dataclass

from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Scenario
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Language:
    """An array library.

    Attributes:
        name: the key.
        label: the name that people read.
        imports: the first line of the program.
        prefix: what stands before the library's functions.
        array: the call that makes an array of a list; `{}` is the list.
        bool_type: the library's name of bool.
    """

    name: str
    label: str
    imports: str
    prefix: str
    array: str
    bool_type: str = "bool"


LANGUAGES: Registry[Language] = Registry(
    "language",
    (
        Language("numpy", "NumPy", "import numpy as np", "np", "np.array({})"),
        Language("jax", "JAX", "import jax.numpy as jnp", "jnp", "jnp.array({})"),
        Language(
            "pytorch",
            "PyTorch",
            "import torch",
            "torch",
            "torch.tensor({}, dtype=torch.float64)",
            bool_type="torch.bool",
        ),
    ),
)


def snippet(scenario: Scenario, language: str = "numpy") -> str:
    """A program that defines `target(scores, log_p_old, eta)` under the scenario's rule and prints u and q.

    It follows the rule exactly for scores within the range of the library's default float; `nan` is a missing score.

    Args:
        scenario: the group.
        language: a name in `LANGUAGES`.

    Raises:
        InputError: for an unknown language.
    """
    lib = LANGUAGES[language]
    rule = RULES[scenario.rule].tuned(scenario.strength)
    text = (
        f"# Target Policy Optimization (arXiv 2604.06159). Rule: {rule.label}\n"
        f"{lib.imports}\n\n\n"
        f"def target(scores, log_p_old, eta):\n"
        f'    """Standardised scores u and target q of one group; a score of nan is missing."""\n'
        f"{indented(*standardisation(rule), *_TILT)}\n\n\n"
        f"{group_of(lib, scenario)}\n"
        f"u, q = target(scores, log_p_old, eta={scenario.eta!r})\n"
        "print(u)\n"
        "print(q)\n"
    )
    return in_language(lib, text)


def standardisation(rule: Rule) -> tuple[str, ...]:
    """The lines that make the standardised scores `u` of `scores`, in the terms of `in_language`."""
    return (*_START, *_centre_and_scale(rule, rule.amount), *_standardise(rule, rule.bound))


def group_of(lib: Language, scenario: Scenario) -> str:
    """The lines that hold a group: `scores`, and `log_p_old` up to a constant."""
    return f"scores = {_array(lib, scenario.scores)}\n{_log_p_old(lib, scenario)}"


def indented(*lines: str) -> str:
    """The body of a function."""
    return "\n".join(f"    {line}".rstrip() for line in lines)


def in_language(lib: Language, text: str) -> str:
    """A program whose functions are called `xp.`, in the terms of the library."""
    return text.replace("xp.bool", lib.bool_type).replace("xp.", f"{lib.prefix}.")


_START = (
    "scored = ~xp.isnan(scores)",
    "n = scored.sum()",
    "low = xp.where(scored, scores, xp.inf).min()",
    "span = xp.where(scored, scores, -xp.inf).max() - low",
    "# Measured from the lowest score in units of the span: equal scores stay exactly equal.",
    "d = xp.where(scored, (scores - low) / xp.where(span > 0, span, 1.0), 0.0)",
    "mean = d.sum() / n",
)

_TILT = (
    "z = xp.where(scored, log_p_old + u / eta, -xp.inf)",
    "q = xp.exp(z - z.max())",
    "return u, q / q.sum()",
)


def _centre_and_scale(rule: Rule, amount: float) -> list[str]:
    """The lines that define `others_mean`, in units of the span, and `scale`, in units of the score, where needed."""
    others = "xp.where(n > 1, n - 1, 1)"
    lines = []
    if rule.centre == "leave_one_out":
        lines.append(f"others_mean = (d.sum() - d) / {others}")
    squares = "(xp.where(scored, d - mean, 0.0) ** 2).sum()"
    match rule.scale:
        case "none":
            return lines
        case "population":
            lines.append(f"scale = span * xp.sqrt({squares} / n)")
        case "sample":
            lines.append(f"scale = span * xp.sqrt({squares} / {others})")
        case "centred":
            centre = "others_mean" if rule.centre == "leave_one_out" else "mean"
            lines.append(f"scale = span * xp.sqrt({squares.replace('mean', centre)} / {others})")
        case "mean":
            lines.append("scale = low + span * mean")
        case "leave_one_out":
            lines += [
                "others = scored[None, :] & ~xp.eye(len(scores), dtype=xp.bool)",
                "apart = xp.where(others, d[None, :] - others_mean[:, None], 0.0)",
                "scale = span * xp.sqrt((apart**2).sum(1) / xp.where(n > 2, n - 2, 1))",
            ]
    return lines + _guard(rule, amount)


def _guard(rule: Rule, amount: float) -> list[str]:
    match rule.guard:
        case "add":
            return [f"scale = scale + {amount!r}"] if amount else []
        case "add_if_positive":
            return [f"scale = xp.where(scale > 0, scale + {amount!r}, 1.0)"]
        case "cutoff":
            return [f"scale = xp.where(scale > {amount!r}, scale, 1.0)"]
        case "floor":
            return [f"scale = xp.where(scale > {amount!r}, scale, {amount!r})"]
        case "relative_floor":
            return [
                f"floor = {amount!r} * xp.where(scored, xp.abs(scores), 0.0).max()",
                "scale = xp.where(scale > floor, scale, floor)",
            ]
        case "root":
            return [f"scale = xp.sqrt(scale**2 + {amount!r} ** 2)"]
        case "positive_mean":
            return ["scale = xp.where(scale > 0, scale, xp.inf)  # u = 0 without a positive mean"]


def _standardise(rule: Rule, bound: float) -> list[str]:
    centred = f"span * (d - {'others_mean' if rule.centre == 'leave_one_out' else 'mean'})"
    if rule.scale == "none":
        lines = [f"u = xp.where(scored, {centred}, 0.0)"]
    else:
        lines = [f"u = xp.where(scored & (span > 0), {centred} / xp.where(span > 0, scale, 1.0), 0.0)"]
    if rule.squash == "clip":
        lines.append(f"u = xp.clip(u, -{bound!r}, {bound!r})")
    elif rule.squash == "tanh":
        lines.append(f"u = {bound!r} * xp.tanh(u / {bound!r})")
    if rule.single == "raw":
        lines.append("u = xp.where(scored & (n == 1), scores, u)  # this stack keeps the raw score of a lone candidate")
    return lines


def _log_p_old(lib: Language, s: Scenario) -> str:
    if s.policy is None:
        return "log_p_old = xp.zeros_like(scores)  # uniform; a constant makes no difference"
    if s.kind == "probs":
        if min(s.policy) > 0:
            return f"log_p_old = xp.log({_array(lib, s.policy)})"
        logs = tuple(float(x) for x in s.log_p_old())
        return f"# -inf: probability 0\nlog_p_old = {_array(lib, logs)}"
    if s.lengths is None:
        return f"log_p_old = {_array(lib, s.policy)}"
    tokens = _array(lib, s.lengths)
    return f"mean_log_p, tokens = {_array(lib, s.policy)}, {tokens}\nlog_p_old = mean_log_p * tokens"


def _array(lib: Language, values: tuple[float | None, ...]) -> str:
    words = {"nan": "xp.nan", "-inf": "-xp.inf"}
    items = [words.get(text, text) for text in ("nan" if v is None else repr(v) for v in values)]
    listed = ", ".join(items)
    if len(listed) <= 50:
        return lib.array.format(f"[{listed}]")
    wrapped = textwrap.fill(f"{listed},", width=100, initial_indent="    ", subsequent_indent="    ")
    return lib.array.format(f"[\n{wrapped}\n]")
