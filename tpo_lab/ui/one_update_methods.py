"""The same group through every chosen method: exact numbers side by side, a dead group later, and Table 4."""

import html
from functools import partial

import numpy as np
import streamlit as st

from tpo_lab.charts.bars import PROBABILITIES
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Floats
from tpo_lab.group.wording import figure
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.snippets import snippet
from tpo_lab.methods.table4 import TABLE
from tpo_lab.methods.updates import EPOCHS, Update
from tpo_lab.ui import one_update_charts as charts
from tpo_lab.ui.form import Form, choice, text_field
from tpo_lab.ui.one_update import QUANTITIES, View
from tpo_lab.ui.pieces import headline, signed, swatch, table
from tpo_lab.ui.programs import programs

MAX_COLUMNS = 10  # of a table that a projector shows whole; the file has all candidates
_TITLES = {
    "advantages": "Advantages, or standardised scores",
    "weights": "What the loss weighs log p by: a target q, or a number of either sign",
    "gradient": "Gradient in the logits at the first epoch: z goes the other way",
    "policy": "The policy after so many epochs",
}


def compare(form: Form[View]) -> None:
    """One quantity of every method, the residuals, and both in numbers."""
    view = form.view
    found = view.updates()
    with st.container(horizontal=True):
        choice(form, "Quantity", "quantity", QUANTITIES, label_visibility="collapsed")
        if view.quantity == "policy":
            choice(form, "Epochs", "epoch", {str(n): f"after {n}" for n in EPOCHS}, label_visibility="collapsed")
    values = {name: _quantity(view, f) for name, f in found.items()}
    ends = PROBABILITIES if view.quantity == "policy" else (0.0, 0.0)
    left, right = st.columns([3, 2])
    with left:
        charts.methods(_TITLES[view.quantity], values, key="update-quantity", ends=ends)
    with right:
        charts.residuals(found)
    with st.container(key="update-tables", horizontal=True, gap="large"):
        _tables(view, found, values)
    st.caption(
        "The candidates are taken for all there is: log p is a softmax over them. PG, DG and PPO bring no baseline of "
        "their own and get the group mean; CE is told the best. GSPO keeps its own clip range."
    )


def _quantity(view: View, found: Update) -> Floats:
    if view.quantity == "policy":
        return np.asarray(found.policies[view.epoch])
    values: Floats = getattr(found, view.quantity)
    return values


def _tables(view: View, found: dict[str, Update], values: dict[str, Floats]) -> None:
    """Per method: the quantity of each candidate (of the first ten), then the residual after some epochs."""
    shown = range(min(view.scenario.k, MAX_COLUMNS))
    names = {name: swatch(METHODS[name].colour, METHODS[name].label) for name in found}
    table(
        [QUANTITIES[view.quantity], *(str(i + 1) for i in shown)],
        ([names[name], *(signed(values[name][i]) for i in shown)] for name in found),
    )
    table(
        ["residual after", *(str(n) for n in (0, *EPOCHS))],
        ([names[name], *(signed(f.residuals[n]) for n in (0, *EPOCHS))] for name, f in found.items()),
    )


def csv_text(view: View) -> str:
    """One row a method and candidate, lossless."""
    after = ",".join(f"p_after_{n}" for n in (0, *EPOCHS))
    lines = [f"method,candidate,score,advantage,weight,gradient,{after}"]
    for name, f in view.updates().items():
        for i, score in enumerate(view.scenario.scores):
            numbers = [f.advantages[i], f.weights[i], f.gradient[i], *(f.policies[n][i] for n in (0, *EPOCHS))]
            cells = ["" if score is None else repr(score), *(repr(float(x)) for x in numbers)]
            lines.append(f"{name},{i + 1},{','.join(cells)}")
    return "\n".join(lines) + "\n"


def code(view: View) -> None:
    """One of the methods on this group, as a program."""
    with st.expander("Copy as code", icon=":material/code:", key="update.open.code", on_change="rerun") as box:
        if box.open:
            name = st.selectbox("Method", view.methods, format_func=lambda name: METHODS[name].label)
            programs(partial(snippet, name, view.scenario, view.settings))


def dead(form: Form[View]) -> None:
    """A group of equal scores in a later epoch, when other groups have moved the policy."""
    view = form.view
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=320):
            text_field(form, "Moved by other groups: logit of candidate 1, nats", "moved")
        choice(form, "Zero-variance groups", "masked", {"off": "kept", "on": "masked"})
    found, scenario = view.later_updates(), view.dead()
    p_old = report(scenario).p_old
    first = next(iter(found.values())).policies[0]
    away = 0.5 * float(np.abs(first - p_old).sum())
    if view.later.masked:
        said = "Masked, the dead group has no part in the loss: whatever others did to its policy stays."
    else:
        said = (
            "All scores are equal, so u = 0 and q = p_old: TPO's gradient is p - p_old, an anchor. GRPO is held "
            "by its KL term alone, of weight beta; a weighted log p has no weight left."
        )
    headline("A dead group after others moved the policy", f"{said} The policy starts {figure(away)} from p_old.")
    distance = {name: (0.5 * np.abs(f.policies - p_old).sum(axis=1)).tolist() for name, f in found.items()}
    left, right = st.columns(2)
    with left:
        charts.methods(
            f"The policy after {EPOCHS[-1]} more epochs",
            {"p_old": p_old} | {name: f.policies[-1] for name, f in found.items()},
            key="update-dead",
            subtitle="stroke: where it starts",
            ends=PROBABILITIES,
            ticks=first,
        )
    with right:
        charts.distances(distance)
    table(
        ["", "first gradient", *(f"after {n}" for n in (0, *EPOCHS))],
        (
            [
                swatch(METHODS[name].colour, METHODS[name].label),
                signed(f.residuals[0]),
                *(signed(distance[name][n]) for n in (0, *EPOCHS)),
            ]
            for name, f in found.items()
        ),
    )


def needs() -> None:
    """Table 4 of the paper, as a legend of the methods."""
    headline("What each method needs beside the policy", "After Table 4 of the paper. Coloured: the lab has its loss.")
    mark = {True: "●", False: "-"}
    table(
        ["", "group of answers", "critic", "fixed reference", "source"],
        (
            [
                swatch(METHODS[row.method].colour, row.name) if row.method else swatch("transparent", row.name),
                mark[row.group],
                mark[row.critic],
                mark[row.reference],
                html.escape(METHODS[row.method].source) if row.method else "",
            ]
            for row in TABLE.values()
        ),
    )
