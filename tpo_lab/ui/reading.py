"""What a group comes to: the findings in words, the numbers, and the paper's formula for one candidate."""

import math
import re

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES
from tpo_lab.group.verdict import verdicts
from tpo_lab.group.wording import figure
from tpo_lab.ui import latex

_SIGNS = {"p_old": r"$p_\text{old}$", "eta": "η", "sigma": "σ", "sqrt": "√"}


def headline(now: Report) -> None:
    """The first finding. Its box is as high as the longest sentence, so that the chart below it stays where it is."""
    first = verdicts(now)[0]
    with st.container(key="headline"):
        st.markdown(f"#### {first.title}\n{typeset(first.text)}")


def also(now: Report) -> None:
    """The other findings."""
    for other in verdicts(now)[1:]:
        st.markdown(f"**{other.title}.** {typeset(other.text)}")


def typeset(text: str) -> str:
    """The plain names of symbols in a sentence as their signs, in Markdown."""
    return re.sub(r"\b(p_old|eta|sigma|sqrt)\b", lambda found: _SIGNS[found[0]], text)


def numbers(now: Report) -> None:
    """The figures of the group, each with what it is."""
    u = now.u[now.counted]
    odds = "∞" if math.isinf(now.log_odds_factor) else f"× {figure(now.odds_factor)}"
    with st.container(horizontal=True, gap="medium"):
        _metric("Spread σ", figure(now.sigma_population), "Standard deviation of the scores, divisor K.")
        _metric(
            "u, from to",
            f"{figure(float(u.min()))} … {figure(float(u.max()))}",
            "Standardised scores: smallest and largest.",
        )
        _metric("KL(q‖p), nats", figure(now.kl_q_p), "How far the target is from the old policy.")
        _metric(
            "Entropy, nats",
            f"{figure(now.entropy_p_old)} → {figure(now.entropy_q)}",
            "Of the old policy, and of the target.",
        )
        _metric(
            "Effective candidates",
            f"{figure(now.effective_p_old)} → {figure(now.effective_q)}",
            "exp(entropy): over how many candidates the probability is spread, before and after.",
        )
        _metric(f"Odds of best ({now.best + 1})", odds, "The factor by which the odds of the best candidate grow.")


def _metric(label: str, value: str, explanation: str) -> None:
    st.metric(label, value.replace("-", "\N{MINUS SIGN}"), help=explanation, width="content")


def formula(now: Report, candidate: int) -> None:
    """u, q and the gradient of one candidate, with their numbers."""
    st.markdown(f"#### Candidate {candidate + 1} in the formula", help="Click a column of the chart to choose another.")
    if not now.counted[candidate]:
        st.markdown("It has no score: it is not part of the group, and its target and gradient are 0.")
        return
    scenario = now.scenario
    lines = (
        latex.standardisation(RULES[scenario.rule], scenario.strength),
        latex.score(now, candidate),
        latex.target(now, candidate),
        latex.gradient(now, candidate),
    )
    st.latex(r"\begin{gathered}" + r"\\[2ex]".join(lines) + r"\end{gathered}")
