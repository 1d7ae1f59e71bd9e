"""Two looks of the page Low variance: several rewards, and copies of an answer."""

import html

import numpy as np
import streamlit as st

from tpo_lab.charts import bars
from tpo_lab.group.duplicates import merge
from tpo_lab.group.rewards import ORDERS, levels
from tpo_lab.group.wording import percent
from tpo_lab.methods.registry import BLUE, GREEN, GREY, SKY, VERMILLION
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.microscope import View
from tpo_lab.ui.pieces import headline, signed, table

_KEPT = {"p_old, kept": GREY, "q, kept": SKY, "q, merged": BLUE}
_REWARDS = bars.spec(dict(zip(ORDERS.values(), (VERMILLION, GREEN, BLUE), strict=True)), columns=1, height=None)
_COPIES = bars.spec(_KEPT, axis="answer", height=None)


def rewards(view: View) -> None:
    """Three ways to make one target of several rewards."""
    k = view.rewards.shape[1]
    found = view.combined()
    names = [str(i + 1) for i in range(k)]
    different = levels(view.rewards.T)
    lost = "; ".join(f"{ORDERS[c.order]}: {c.levels}" for c in found)
    headline(
        "Different rewards collapse" if any(c.levels < different for c in found) else "Nothing collapses",
        f"The candidates have {different} different sets of rewards. Different advantages left: {lost}.",
    )
    left, right = st.columns(2)
    with left:
        chart(
            _REWARDS,
            bars.data("Standardised score u, or advantage", names, {ORDERS[c.order]: c.u for c in found}),
            key="rewards-u",
            alt="The advantage of each candidate in each order",
        )
    with right:
        q = {ORDERS[c.order]: c.q for c in found}
        chart(
            _REWARDS,
            bars.data("Target q, from a uniform old policy", names, q, ends=bars.PROBABILITIES),
            key="rewards-q",
            alt="The target of each candidate in each order",
        )
    table(
        ["", *(f"reward {i + 1}, weight {weight:g}" for i, weight in enumerate(view.weights)), "levels of u"],
        ([ORDERS[c.order], *map(_share, c.shares.tolist()), str(c.levels)] for c in found),
    )
    st.caption(
        "Share: how much of the variance of u comes from a reward. GDPO then divides by the deviation of the whole "
        "batch, a constant that no single group shows. Mixed targets have the advantage that would give their q."
    )


def _share(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.0f} %".replace("-", "−")


def copies(view: View) -> None:
    """Keep the copies of an answer, or merge them."""
    found = merge(view.scenario, view.answers)
    repeated = [f"{name} × {n}" for name, n in zip(found.answers, found.copies, strict=True) if n > 1]
    moved = percent(0.5 * float(np.sum(np.abs(found.q_kept - found.q_merged))))
    if repeated:
        headline(
            f"Copies: {', '.join(repeated[:6])}",
            "Kept, each copy counts in the mean, the deviation and p; merged, an answer counts once. The target of the "
            f"answers differs by {moved} of the probability.",
        )
    else:
        headline("No copies", "Name equal answers alike, for instance a,a,b,c, to see what a copy does.")
    shown = dict(zip(_KEPT, (found.p_kept, found.q_kept, found.q_merged), strict=True))
    chart(
        _COPIES,
        bars.data("Probability of each answer", found.answers, shown, ends=bars.PROBABILITIES),
        key="copies",
        alt="Old policy and target of each answer with copies kept and merged",
    )
    table(
        ["answer", "copies", "u, kept", "u, merged", "q, kept", "q, merged"],
        (
            [html.escape(name), str(n), *map(signed, row)]
            for name, n, *row in zip(
                found.answers, found.copies, found.u_kept, found.u_merged, found.q_kept, found.q_merged, strict=True
            )
        ),
    )
