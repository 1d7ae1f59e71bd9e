"""The sidebar of the page Low variance: the group, its spread, and what is shown of it."""

from functools import partial
from typing import Any

import streamlit as st

from tpo_lab.group.curves import SPREADS, sigma_of
from tpo_lab.group.literal import PRECISIONS
from tpo_lab.group.parse import write_number
from tpo_lab.group.rewards_snippet import rewards_snippet
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import POLICY_KINDS
from tpo_lab.group.snippets import snippet
from tpo_lab.group.traps import TRAPS
from tpo_lab.group.wording import figure
from tpo_lab.ui.form import Form, choice, several, text_field
from tpo_lab.ui.form_file import save_and_load
from tpo_lab.ui.links import open_on
from tpo_lab.ui.microscope import MISSING, View, of_trap
from tpo_lab.ui.microscope_numbers import csv_text
from tpo_lab.ui.programs import programs

_RULE_LABELS = {name: rule.label for name, rule in RULES.items()}


def controls(form: Form[View]) -> None:
    """What the chosen look needs."""
    view = form.view
    if view.look == "rewards":
        text_field(form, "Rewards, one line each", "rewards", area=110, help="One number a candidate, on every line.")
        text_field(form, "Weights", "weights")
        text_field(form, "Temperature η", "eta")
        rule(form)
        _more(form, "File")
        return
    _trap(form)
    text_field(form, "Scores", "scores", help="`null` is a candidate without a score.")
    _spread(form)
    if view.look == "rules":
        choice(form, "Computed in", "precision", {name: name for name in PRECISIONS})
        choice(form, "Shown", "show", {"q": "target q", "u": "advantage u"})
        if any(score is None for score in view.typed.scores):
            choice(form, "Missing scores", "missing", MISSING)
        _coloured(form)
    else:
        rule(form)
    if view.look == "trust":
        _noise(form)
    if view.look == "copies":
        text_field(
            form, "Answers", "answers", hint=",".join(view.answers), help="A name a candidate; equal names are copies."
        )
    _more(form, "Old policy, η, file")
    form.complain("kind", "lengths")


def _coloured(form: Form[View]) -> None:
    """Which rules are coloured: the legend shows them, and the list costs more of a press than the charts."""
    with st.expander("Rules in colour", key="microscope.open.rules", on_change="rerun") as box:
        if box.open:
            several(form, "Rules in colour", "rules", _RULE_LABELS, label_visibility="collapsed")
        else:
            form.complain("rules")


def _more(form: Form[View], label: str) -> None:
    view = form.view
    with st.expander(label, key="microscope.open.more", on_change="rerun") as box:
        if not box.open:
            return
        if view.look != "rewards":
            text_field(form, f"Old policy: {POLICY_KINDS[view.typed.kind]}", "policy", hint="uniform")
            text_field(form, "Temperature η", "eta")
        save_and_load(form, "low_variance", lambda: form.view.typed, lambda: csv_text(form.view))
        if view.look != "rewards":
            open_on(view.scenario, "target", "one_update")


def code(form: Form[View]) -> None:
    """The shown group under one rule, as a program; the rewards in every order."""
    view = form.view
    with st.expander("Copy as code", icon=":material/code:", key="microscope.open.code", on_change="rerun") as box:
        if not box.open:
            return
        if view.look == "rules":  # the others have it among their controls
            rule(form)
        if view.look == "rewards":
            s = view.scenario
            how = partial(rewards_snippet, view.rewards, view.weights, eta=s.eta, rule=s.rule, strength=s.strength)
            programs(lambda language: how(language=language))
        else:
            st.caption("What the rule means: equal scores stay equal. How a stack rounds, the table shows.")
            programs(partial(snippet, view.scenario))


def _trap(form: Form[View]) -> None:
    trap = form.view.trap

    def chosen() -> None:
        name = st.session_state["microscope.trap"]
        form.replace_all({"look": form.view.look, **of_trap(TRAPS[name])})

    st.menu_button(
        trap.label if trap else "Choose a trap",
        list(TRAPS),
        key="microscope.trap",
        format_func=lambda name: TRAPS[name].label,
        on_click=chosen,
        icon=":material/warning:",
        width="stretch",
    )


def _spread(form: Form[View]) -> None:
    """The slider stands at the group's spread; moving it stretches the scores from the lowest one."""
    sigma = sigma_of(form.view.scenario)
    if sigma == 0:
        st.caption("All scores are equal: their spread is 0 and cannot be stretched.")
        form.complain("spread")
        return
    now = float(form.texts["spread"]) if form.texts["spread"] else float(f"{sigma:.3g}")
    options = sorted({*SPREADS.tolist(), now})
    st.select_slider(
        "Spread σ",
        options,
        now,
        format_func=figure,
        help="Stretches the scores from the lowest one, on a log scale; arrow keys work.",
        **form.on("spread", write=write_number),
    )
    form.complain("spread")
    if form.texts["spread"]:
        st.button(
            f"Back to the scores as typed, σ = {figure(sigma_of(form.view.typed))}",
            type="tertiary",
            icon=":material/undo:",
            on_click=lambda: form.change({"spread": ""}),
        )


def rule(form: Form[Any], label: str = "Standardisation rule") -> None:
    """The rule of the target, and its constant where it has one to set."""
    names = list(RULES)
    st.selectbox(
        label,
        names,
        names.index(form.text("rule")),
        format_func=_RULE_LABELS.__getitem__,
        **form.on("rule", also={"strength": ""}),
    )
    form.complain("rule")
    chosen = RULES[form.texts["rule"]]
    if chosen.tunable:
        constant = write_number(getattr(chosen, chosen.tunable))
        what = "Bound, standard deviations" if chosen.tunable == "bound" else "Strength, score units"
        text_field(form, what, "strength", hint=constant)


def _noise(form: Form[View]) -> None:
    choice(form, "The scorer's noise", "noise_kind", {"normal": "normal, σ", "step": "rounding step"})
    text_field(form, "Noise of one score, score units", "noise")
    with st.expander("Estimate it from repeated scores", key="microscope.open.repeats", on_change="rerun") as box:
        if not box.open:
            return
        text_field(
            form,
            "One line a candidate",
            "repeats",
            area=90,
            hint="0.7 0.9 0.8\n0.2 0.1",
            help="The same answers, scored again.",
        )
        if found := form.view.measured:
            sd = f"{figure(found.sd)} ± {figure(found.standard_error)}"
            st.caption(f"σ of one score: {sd} ({found.degrees} degrees of freedom)")
            st.button(
                "Use it",
                on_click=lambda: form.change({"noise": f"{found.sd:.4g}", "noise_kind": "normal"}),
                disabled=found.sd == 0,
            )
