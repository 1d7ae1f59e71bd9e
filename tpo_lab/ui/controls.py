"""The sidebar of the Target page: preset, size, temperature, rule. Every control edits the one view."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import streamlit as st

from tpo_lab.group.budget import eta_for_kl
from tpo_lab.group.parse import parse_number, write_number
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.edits import resized
from tpo_lab.ui.latex import standardisation
from tpo_lab.ui.session import GROUP_FIELDS, change, complain, kept, key_for, replace_all, worked
from tpo_lab.ui.view import View

HALF = 112  # pixels: two fields to a line of the sidebar


def preset(view: View) -> str:
    """Choose a whole group by name; under it stands why it is worth a look. Returns the present one, or nothing."""
    current = next((p for p in PRESETS.values() if p.scenario == view.scenario), None)

    def chosen() -> None:
        name = st.session_state["target.preset"]
        replace_all(lambda view: replace(view, scenario=PRESETS[name].scenario, candidate=None), "preset")

    st.menu_button(
        current.label if current else "Your own group",
        list(PRESETS),
        key="target.preset",
        format_func=lambda name: PRESETS[name].label,
        on_click=chosen,
        icon=":material/category:",
        width="stretch",
    )
    st.caption(current.why if current else "Choose a group that is worth a look.")
    return current.name if current else ""


def size(view: View) -> None:
    """The number of candidates."""
    st.number_input(
        "Candidates K",
        value=kept("k", float(view.scenario.k)),  # of a field of whole numbers the browser would make 3.7 a silent 3
        step=1.0,
        format="%g",
        key=key_for("k", float(view.scenario.k)),
        on_change=worked("k", lambda k: change(_group(lambda s: resized(s, k)), "k", settles=GROUP_FIELDS)),
        help="More candidates are copies of the last one; fewer drop the last ones.",
    )
    complain("k")


def temperature(view: View) -> None:
    """eta as any positive number, and solved from a KL budget; its slider is in the drawing."""
    with st.container(horizontal=True):
        eta = write_number(view.scenario.eta)
        _typed("eta", "η", eta, lambda s, text: replace(s, eta=parse_number(text, "eta")), width=HALF)
        _typed("kl", "η from KL, nats", "", _eta_of_budget, "budget", HALF)
    complain("eta", "kl")


def _eta_of_budget(scenario: Scenario, text: str) -> Scenario:
    if not text.strip():  # what was wrong has been taken back
        return scenario
    budget = parse_number(text, "KL")
    now = report(scenario)
    eta = eta_for_kl(now.log_p_old, now.u, budget, now.counted)
    return replace(scenario, eta=float(f"{eta:.6g}"))


def rule(view: View) -> None:
    """The standardisation rule, what it is and does with a dead group, and its strength if it has one."""
    names = list(RULES)
    st.selectbox(
        "Standardisation rule",
        names,
        names.index(view.scenario.rule),
        key=key_for("rule", view.scenario.rule),
        format_func=lambda name: RULES[name].label,
        on_change=worked(
            "rule",
            lambda name: change(_group(lambda s: replace(s, rule=name, strength=None)), "rule", settles=("strength",)),
        ),
    )
    chosen = RULES[view.scenario.rule]
    if chosen.tunable:
        strength = view.scenario.strength or getattr(chosen, chosen.tunable)
        label = "Bound, standard deviations" if chosen.tunable == "bound" else "Strength, score units"
        _typed("strength", label, write_number(strength), lambda s, t: replace(s, strength=parse_number(t, "strength")))
    complain("rule", "strength")
    formula = standardisation(chosen, view.scenario.strength)
    missing = f"  \nNo score: {chosen.missing}" if chosen.missing else ""
    st.caption(f"${formula}$  \n{chosen.source}  \nEqual scores: {chosen.equal}{missing}")


def _typed(
    field: str,
    label: str,
    text: str,
    parse: Callable[[Scenario, str], Scenario],
    placeholder: str | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A field of text whose number edits the group; text that was wrong stays in it."""
    st.text_input(
        label,
        kept(field, text),
        key=key_for(field, text),
        on_change=worked(field, lambda typed: change(_group(lambda s: parse(s, typed)), field)),
        placeholder=placeholder,
        width=width,
    )


def _group(edit: Callable[[Scenario], Scenario]) -> Callable[[View], View]:
    return lambda view: view.with_scenario(edit(view.scenario))
