"""The paper's formulas in LaTeX, with a rule's constants and with the live numbers of one candidate in them."""

import math
import re

import numpy as np

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.standardise import spread

_SCALES = {
    "population": r"\sigma",
    "sample": r"\sigma_{K-1}",
    "leave_one_out": r"\sigma_{-i}",
    "centred": r"\sigma_{s_i - \bar s_{-i}}",
    "mean": r"\bar s",
}


_SIGNS = {
    r"\sigma": "σ",
    r"\alpha": "α",
    r"\infty": "∞",
    r"\times": "×",
    r"\cdot": "·",
    r"\to": "→",
    r"\Rightarrow": "⇒",
    r"\quad": "&emsp;",
    "-": "−",
}


def as_html(text: str) -> str:
    """Numbers on one line in plain HTML, which a browser draws sooner: these signs, subscripts and superscripts."""
    text = re.sub(r"(?<![\w\\])([a-z])(?=[_^])", r"<i>\1</i>", text.replace(r"\bar s", "<i>s̄</i>"))
    while text != (inner := re.sub(r"([_^])(?:\{([^{}]*)\}|(\w))", _raised, text)):
        text = inner
    return re.sub("|".join(map(re.escape, _SIGNS)), lambda sign: _SIGNS[sign[0]], text)


def _raised(found: re.Match[str]) -> str:
    tag = "sub" if found[1] == "_" else "sup"
    return f"<{tag}>{found[2] or found[3]}</{tag}>"


def number(value: float, digits: int = 3) -> str:
    """A number in LaTeX to so many significant digits."""
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text.replace("inf", r"\infty")
    mantissa, exponent = text.split("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}"


def standardisation(rule: Rule, strength: float | None = None) -> str:
    """u_i as the rule defines it, with its constants."""
    amount = number(strength if strength and rule.tunable == "amount" else rule.amount)
    bound = number(strength if strength and rule.tunable == "bound" else rule.bound)
    centred = r"s_i - \bar s" + ("" if rule.centre == "mean" else "_{-i}")
    if rule.scale == "none":
        return f"u_i = {centred}"
    scale = _SCALES[rule.scale]
    added = scale if rule.amount == 0 else f"{scale} + {amount}"
    below = {
        "add": added,
        "add_if_positive": added,
        "positive_mean": added,
        "cutoff": scale,
        "floor": rf"\max({scale}, {amount})",
        "relative_floor": rf"\max({scale}, {amount} \max_j |s_j|)",
        "root": rf"\sqrt{{{scale}^2 + ({amount})^2}}",
    }[rule.guard]
    u = rf"\frac{{{centred}}}{{{below}}}"
    match rule.squash:
        case "clip":
            return rf"u_i = \mathrm{{clip}}\left({u},\ \pm {bound}\right)"
        case "tanh":
            return rf"u_i = {bound} \tanh\left({u} \middle/ {bound}\right)"
    unless = {
        "cutoff": rf"\ \text{{if}}\ {scale} > {amount}",
        "add_if_positive": rf"\ \text{{if}}\ {scale} > 0",
        "positive_mean": rf"\ \text{{if}}\ {scale} > 0",
    }.get(rule.guard, "")
    return f"u_i = {u}{unless}"


def target(report: Report, i: int) -> str:
    """q_i of one candidate: the paper's equation, then the same with its numbers.

    Args:
        i: index of a candidate that counts.
    """
    above, below = tilted(report, i)
    n = i + 1
    return (
        rf"q_{{{n}}} = \frac{{p_{{{n}}}^{{\text{{old}}}}\; e^{{u_{{{n}}}/\eta}}}}"
        rf"{{\sum_j p_j^{{\text{{old}}}}\; e^{{u_j/\eta}}}}"
        rf" = \frac{{{above}}}{{{below}}} = {number(float(report.q[i]))}"
    )


def tilted(report: Report, i: int) -> tuple[str, str]:
    """What q_i of one candidate is the quotient of, in numbers."""
    eta, p, u = report.scenario.eta, float(report.p_old[i]), float(report.u[i])
    log_total = report.objective_q / eta
    total = number(math.exp(log_total)) if abs(log_total) < 20 else f"e^{{{number(log_total)}}}"
    return rf"{number(p)} \cdot e^{{{number(u)} / {number(eta)}}}", total


def gradient(report: Report, i: int) -> str:
    """The gradient of the loss in the logit of one candidate, at p = p_old."""
    p, q = float(report.p_old[i]), float(report.q[i])
    n = i + 1
    numbers = f"{number(p)} - {number(q)} = {number(p - q)}"
    return rf"\frac{{\partial L}}{{\partial z_{{{n}}}}} = p_{{{n}}} - q_{{{n}}} = {numbers}"


def score(report: Report, i: int) -> str:
    """u_i of one candidate, with the mean and the deviation that its rule reads."""
    s = report.scenario.scores[i]
    assert s is not None
    numbers = [rf"s_{{{i + 1}}} = {number(s, 6)}"]
    if report.n_counted > 1:  # alone, a candidate gets what the stack does then, by no formula
        numbers += [rf"{sign} = {number(value)}" for sign, value in _statistics(report, i)]
    return r",\quad ".join(numbers) + rf"\quad\Rightarrow\quad u_{{{i + 1}}} = {number(float(report.u[i]))}"


def _statistics(report: Report, i: int) -> list[tuple[str, float]]:
    """What stands for the mean and for the deviation in `standardisation`, for one candidate."""
    rule = RULES[report.scenario.rule]
    others = report.counted & (np.arange(report.scenario.k) != i)
    rest = spread(report.scenario.score_array(), counted=others)
    own = rf"_{{-{i + 1}}}"
    left_out = rule.centre == "leave_one_out"
    mean = (rf"\bar s{own}", rest.mean.item()) if left_out else (r"\bar s", report.mean)
    match rule.scale:
        case "population":
            return [mean, (r"\sigma", report.sigma_population)]
        case "sample":
            return [mean, (r"\sigma_{K-1}", report.sigma_sample)]
        case "leave_one_out":
            return [mean, (rf"\sigma{own}", rest.sigma_sample.item())]
        case "centred":
            n = report.n_counted
            return [mean, (_SCALES["centred"], report.sigma_sample * (n / (n - 1) if left_out else 1))]
    return [mean]
