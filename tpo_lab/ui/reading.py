"""What a group comes to: the findings in words, the numbers, and the paper's formula for one candidate.

Words and numbers change with every press of a key, so they are two elements of plain HTML: as Markdown and metrics they
took longer to draw than the charts.
"""

import html
import math
import re

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES
from tpo_lab.group.verdict import Verdict
from tpo_lab.group.wording import figure
from tpo_lab.ui import latex

_SIGNS = {"p_old": "<i>p</i><sub>old</sub>", "eta": "η", "sigma": "σ", "sqrt": "√"}


def headline(found: tuple[Verdict, ...]) -> None:
    """The first finding. Its box is as high as the longest sentence, so that the chart below it stays where it is."""
    first = found[0]
    text = f'<h4 class="title">{first.title}</h4><p class="text">{typeset(first.text)}</p>'
    st.html(f'<div class="headline">{text}</div>')


def numbers(now: Report, found: tuple[Verdict, ...]) -> None:
    """The figures of the group, each with what it is, and the other findings."""
    figures = "".join(
        f'<div title="{html.escape(meaning)}"><dt>{name}</dt><dd>{value.replace("-", "−")}</dd></div>'
        for name, value, meaning in _figures(now)
    )
    others = "".join(f"<p><b>{other.title}.</b> {typeset(other.text)}</p>" for other in found[1:])
    st.html(f'<dl class="figures">{figures}</dl>{others}')


def formula(now: Report, candidate: int) -> None:
    """u, q and the gradient of one candidate, with their numbers."""
    title = f"#### Candidate {candidate + 1} in the formula"
    if not now.counted[candidate]:
        st.markdown(f"{title}\nIt has no score: it is not part of the group, and its target and gradient are 0.")
        return
    scenario = now.scenario
    lines = (
        latex.standardisation(RULES[scenario.rule], scenario.strength),
        latex.score(now, candidate),
        latex.target(now, candidate),
        latex.gradient(now, candidate),
    )
    equations = r"\\[2ex]".join(lines)
    st.markdown(f"{title}\n$$\n\\begin{{gathered}}{equations}\\end{{gathered}}\n$$")


def typeset(text: str) -> str:
    """The plain names of symbols in a sentence, and its minus signs, as their signs in HTML."""
    signed = re.sub(r"(?<!\w)-(?=[\d ])", "−", html.escape(text))
    return re.sub(r"\b(p_old|eta|sigma|sqrt)\b", lambda name: _SIGNS[name[0]], signed)


def _figures(now: Report) -> list[tuple[str, str, str]]:
    """Name, value and meaning."""
    u = now.u[now.counted]
    odds = "∞" if math.isinf(now.log_odds_factor) else f"× {figure(now.odds_factor)}"
    return [
        ("Spread σ", figure(now.sigma_population), "Standard deviation of the scores, divisor K."),
        (
            "u, from to",
            f"{figure(float(u.min()))} … {figure(float(u.max()))}",
            "Smallest and largest standardised score.",
        ),
        ("KL(q‖p), nats", figure(now.kl_q_p), "How far the target is from the old policy."),
        (
            "Entropy, nats",
            f"{figure(now.entropy_p_old)} → {figure(now.entropy_q)}",
            "Of the old policy, and of the target.",
        ),
        (
            "Effective candidates",
            f"{figure(now.effective_p_old)} → {figure(now.effective_q)}",
            "exp(entropy): over how many candidates the probability is spread, before and after.",
        ),
        (f"Odds of candidate {now.best + 1}", odds, "The factor by which the odds of the best candidate grow."),
    ]
