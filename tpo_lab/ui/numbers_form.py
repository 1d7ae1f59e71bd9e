"""The group as text: scores and old policy to type or paste, each with what is wrong beside it."""

import streamlit as st

from tpo_lab.group.parse import parse_numbers, write_number
from tpo_lab.group.report import report
from tpo_lab.group.scenario import POLICY_KINDS, PolicyKind, Scenario
from tpo_lab.ui.edits import restated
from tpo_lab.ui.session import GROUP_FIELDS, change, complain, kept, key_for, pending, value_of, worked
from tpo_lab.ui.view import View

UNIFORM = "uniform"
_KINDS: dict[str, PolicyKind | None] = {UNIFORM: None, **{kind: kind for kind in POLICY_KINDS}}


def numbers(view: View) -> None:
    """Fields for K scores, and for the old policy in the way that the group states it."""
    scenario = view.scenario
    stated = scenario.kind if scenario.policy is not None else UNIFORM
    key = key_for("kind", stated)
    # What is chosen counts, also while the numbers do not fit it yet.
    stated = st.session_state.get(key, kept("kind", stated))
    _area("Scores", "scores", scenario.scores, help="`null` is a candidate without a score.")
    st.selectbox(
        "Old policy",
        list(_KINDS),
        list(_KINDS).index(stated),
        key=key,
        format_func=lambda kind: POLICY_KINDS.get(kind, UNIFORM),
        on_change=worked("kind", _kind_chosen),
    )
    complain("kind")
    if stated != UNIFORM:
        _area(POLICY_KINDS[stated].capitalize(), "policy", scenario.policy)
    if stated == "mean_log_probs":
        _area("Lengths, tokens", "lengths", scenario.lengths)


def _area(label: str, field: str, values: tuple[float | None, ...] | None, help: str | None = None) -> None:
    text = ", ".join(write_number(value) for value in values or ())
    st.text_area(
        label,
        kept(field, text),
        key=key_for(field, text),
        on_change=worked(field, lambda _: _typed()),
        height=68,
        help=help,
    )
    complain(field)


def _typed() -> None:
    """All fields together: a pasted group may be right only when the last of them is."""

    def make(view: View) -> View:
        kind = _KINDS[value_of("kind")]
        old = view.scenario
        return view.with_scenario(
            Scenario(
                scores=parse_numbers(value_of("scores"), "scores", missing=True),
                policy=None if kind is None else parse_numbers(value_of("policy"), "policy"),
                kind=kind or "probs",
                lengths=parse_numbers(value_of("lengths"), "lengths") if kind == "mean_log_probs" else None,
                eta=old.eta,
                rule=old.rule,
                strength=old.strength,
            )
        )

    change(make, *GROUP_FIELDS)


def _kind_chosen(name: str) -> None:
    """Say the same policy in another way; while numbers are wrong, read them in that way instead."""
    if pending("scores"):
        _typed()
    else:
        kind = _KINDS[name]
        change(lambda view: view.with_scenario(restated(report(view.scenario), kind)), "kind", settles=GROUP_FIELDS)
