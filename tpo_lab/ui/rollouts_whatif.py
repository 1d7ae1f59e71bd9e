"""What if over the whole file: two updates beside each other, and the groups between which they change most."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from tpo_lab.charts import rollouts as charts
from tpo_lab.group.rules import RULES
from tpo_lab.group.wording import figure, percent
from tpo_lab.methods.registry import METHODS
from tpo_lab.rollouts_io.health import KINDS, LABELS, kinds_of
from tpo_lab.rollouts_io.settings import COMPARED, RULE_OF, Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.whatif import Comparison, Update
from tpo_lab.ui.components.rows_table import rows_table
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.form import Form, choice, run_part, text_field
from tpo_lab.ui.pieces import signed, table
from tpo_lab.ui.rollouts_data import Data
from tpo_lab.ui.rollouts_rows import as_read
from tpo_lab.ui.rollouts_view import LOG_PROBS, MISSING, POLICIES, View

MOST = 30
FIGURES = {
    "dead": ("groups of equal scores", percent),
    "no_update": ("groups without an update", percent),
    "mass_mean": ("sum of |weight| a group", figure),
    "mass_largest": ("share of the update in its largest tenth of groups", percent),
    "mass_low_variance": ("share of the update in low-variance groups", percent),
    "mass_constant": ("share of the update in groups of equal scores", percent),
    "mean_abs_q_minus_p": ("mean |q − p_old| where there is an update", figure),
    "argmax_moved": ("argmax of q moves", percent),
    "largest_weight": ("largest |weight| of a candidate", figure),
    "largest_u": ("largest |u| of the file", figure),
}


def draw(data: Data, form: Form[View]) -> None:
    """The whole look."""
    view = form.view
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.markdown("#### Now")
        _method(form, "")
        _mask(form, "")
        st.caption(r"Rule, η, p\_old and missing scores: in the sidebar.")
    with right:
        st.markdown("#### What if")
        one, two = st.columns(2)
        with one:
            _method(form, "b_")
            _mask(form, "b_")
        with two:
            tilt(form, "b_")
        policy(form, data.table, "b_")
        missing(form, data.table, "b_")
    found = data.comparison(view.now, view.then, view.threshold)
    sides = (_name(view.now), f"{_name(view.then)} ")  # one more space: two equal names are two bars
    table(
        ["", *sides],
        [
            (label, *("-" if (x := one.summary[name]) is None else write(x) for one in (found.before, found.after)))
            for name, (label, write) in FIGURES.items()
        ],
    )
    st.caption(
        "A weight is what the loss multiplies the gradient of a candidate's log-prob by in the first step. Methods "
        "have no unit in common: shares compare, sums do not. Only methods that fit a target have a q."
    )
    _masses(found, view, sides)
    _changed(data, form, found)


def settings(form: Form[View], table_: Rollouts) -> None:
    """The controls of the present setting, but for method and mask."""
    tilt(form, "")
    policy(form, table_, "")
    missing(form, table_, "")


def around(form: Form[View], data: Data) -> object:
    """What the controls of the sidebar show of the view, beside the texts of their own fields."""
    view = form.view
    own = RULE_OF.get(view.now.method)
    return view.picks, view.threshold == data.suggested(), own, RULES[view.now.rule].tunable


def tilt(form: Form[View], prefix: str) -> None:
    """Rule and temperature."""
    own = RULE_OF.get(form.text(f"{prefix}method"))
    names = list(RULES)
    rule = own or form.text(f"{prefix}rule")
    st.selectbox(
        "Standardisation rule",
        names,
        names.index(rule),
        format_func=lambda name: RULES[name].label,
        disabled=own is not None,
        help="This method has its own." if own else None,
        **form.on(f"{prefix}rule"),
    )
    tunable = RULES[rule].tunable
    if tunable:
        label = "Bound, standard deviations" if tunable == "bound" else "Strength, score units"
        text_field(form, label, f"{prefix}strength", hint=f"{getattr(RULES[rule], tunable):g}")
    text_field(form, "Temperature η", f"{prefix}eta")


def policy(form: Form[View], table_: Rollouts, prefix: str) -> None:
    """Which p_old, and of what; a file without log-probs leaves no choice."""
    if table_.log_prob is None:
        return
    with st.container(horizontal=True):
        choice(form, "p_old", f"{prefix}policy", POLICIES)
        if table_.length is not None:
            choice(form, "Log-prob of an answer", f"{prefix}log_prob", LOG_PROBS)


def missing(form: Form[View], table_: Rollouts, prefix: str) -> None:
    """What a candidate without a score counts as; a file that scores all leaves no choice."""
    if np.isnan(table_.score).any():
        choice(
            form,
            "Missing scores",
            f"{prefix}missing",
            MISSING,
            help="TRL's RLOO rules give a missing score 0; the other stacks here leave the candidate out.",
        )


def _mask(form: Form[View], prefix: str) -> None:
    text_field(
        form,
        "Mask dead groups: σ up to",
        f"{prefix}mask",
        hint="keep all",
        help="Weights of masked groups count as 0. Empty: every group stays. 0 masks groups of equal scores only.",
    )


def _method(form: Form[View], prefix: str) -> None:
    st.selectbox(
        "Method",
        list(COMPARED),
        list(COMPARED).index(form.text(f"{prefix}method")),
        format_func=lambda name: METHODS[name].label,
        **form.on(f"{prefix}method"),
    )


def _name(setting: Setting) -> str:
    return f"{METHODS[setting.method].label} · {RULES[setting.rule].label}"


def _masses(found: Comparison, view: View, sides: tuple[str, str]) -> None:
    updates = (found.before, found.after)
    kinds = [kinds_of(one.scores, view.threshold) for one in updates]  # a missing score that counts changes them
    there = {i for of_one in kinds for i in np.unique(of_one).tolist()}
    labels: Mapping[str, str] = {kind: LABELS[kind] for i, kind in enumerate(KINDS) if i in there}
    rows: dict[str, list[object]] = {"kind": [], "label": [], "share": []}
    for side, one, of_one in zip(sides, updates, kinds, strict=True):
        total = float(one.mass.sum())
        for i, kind in enumerate(KINDS):
            if kind in labels:
                rows["kind"].append(labels[kind])
                rows["label"].append(side)
                rows["share"].append(float(one.mass[of_one == i].sum()) / total if total > 0 else 0.0)
    chart(
        charts.mass_spec(labels, sides),
        {"mass": rows},
        key="rollouts-mass",
        alt="Share of the update by kind of group, now and then",
    )


def _changed(data: Data, form: Form[View], found: Comparison) -> None:
    st.markdown("#### The groups that change most")
    some = np.argsort(-found.change, kind="stable")[:MOST]
    some = some[found.change[some] > 0]
    if not len(some):
        st.caption("No group changes.")
        return
    before, after = _relative(found.before), _relative(found.after)
    n = found.before.scores

    def choose(group: int) -> None:
        form.change({"group": str(group), "look": "groups"})
        run_part("app")

    numbers = {
        "σ": n.sigma,
        "mean": n.mean,
        "size now": before,
        "size then": after,
        "change": found.change,
    }
    rollouts = data.table
    rows_table(
        {
            "group": [f"{group + 1}" for group in some],
            "step": as_read(rollouts.group_step[some]),
            **{name: [signed(value) for value in values[some]] for name, values in numbers.items()},
            "key": [rollouts.label(int(group)) for group in some],
        },
        (some + 1).tolist(),
        words=("key",),
        chosen=None,
        height=300,
        name="Groups that change most",
        key="rollouts.changed",
        on_choose=choose,
    )
    st.caption("Size of a group's update, 1 is the mean of the file. Choose a row to look into the group.")


def _relative(one: Update) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    mean = float(one.mass.mean()) if len(one.mass) else 0.0
    return one.mass / mean if mean > 0 else one.mass
