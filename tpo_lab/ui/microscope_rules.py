"""Every rule against the spread: what goes wrong, the chart, and a table of what each rule makes of this group."""

import html
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import streamlit as st

from tpo_lab.charts import spread as spread_chart
from tpo_lab.charts.axes import look
from tpo_lab.commands.rules import guard
from tpo_lab.group.curves import sigma_of, targets
from tpo_lab.group.findings import sentences
from tpo_lab.group.literal import Precision, literal
from tpo_lab.group.rules import Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.standardise import standardise
from tpo_lab.group.traps import Trap
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.microscope import View, rules_with
from tpo_lab.ui.pieces import MINUS, headline, signed, swatch, table
from tpo_lab.ui.reading import typeset

_SCALES = {
    "population": "σ",
    "sample": "σ, K − 1",
    "leave_one_out": "σ of the others",
    "centred": "σ of the advantages",
    "mean": "mean",
    "none": "-",
}


def draw(view: View) -> None:
    """The whole look."""
    curves = view.curves()
    said = sentences((f for f in curves.findings if f.rule in view.rules), view.rules, view.precision)
    _say(view, said)
    chart(
        spread_chart.spec(view.rules, view.chosen),
        spread_chart.datasets(curves, view.rules, view.chosen, view.show, sigma_of(view.scenario), view.followed()),
        key="microscope-rules",
        alt="Target or advantage of one candidate under every rule against the spread of the scores",
        name="rules-against-the-spread",
    )
    others = "".join(f"<p><b>{title}.</b> {typeset(text)}</p>" for _, title, text in said[0 if view.trap else 1 :])
    st.html(f"<div>{others}</div>")
    st.markdown("#### Every rule on this group")
    _table(view)
    st.caption(
        "u and q as the stack computes them; *exact* is what the rule means, where that differs. A dead group stays in "
        "unless its rule says otherwise."
    )


def _say(view: View, said: Sequence[tuple[object, str, str]]) -> None:
    if view.trap:
        headline(view.trap.label, _trapped(view.trap), safe=True)
    elif said:
        headline(said[0][1], said[0][2])
    else:
        headline("Nothing goes wrong here", "Every rule does what it means, at every spread.")


def _trapped(trap: Trap) -> str:
    wrong, right = (f"<b>{signed(value)}</b>" for value in (trap.wrong_value(), trap.right_value()))
    gives = f"{html.escape(trap.rule.label)} gives candidate {trap.candidate + 1} u = {wrong}; {trap.instead} {right}."
    return f"{typeset(trap.why)} {gives} {typeset(trap.right)}"


def rows(view: View) -> list[tuple[Rule, Floats, Floats, Floats]]:
    """Per rule: u as the stack computes it, u exactly, and q of the former, shape (K,) over the scored candidates."""
    return _rows(view.scenario, view.precision, view.trap)


@lru_cache(maxsize=64)
def _rows(scenario: Scenario, precision: Precision, trap: Trap | None) -> list[tuple[Rule, Floats, Floats, Floats]]:
    rules = list(rules_with(trap).values())
    counted = scenario.counted()
    scores = scenario.score_array()[counted]
    u: Floats = np.stack([literal(scores, rule, precision) for rule in rules]).astype(np.float64)
    exact = [np.asarray(standardise(scores, rule=rule)) for rule in rules]
    return list(zip(rules, u, exact, targets(scenario.log_p_old()[counted], u, scenario.eta), strict=True))


def _table(view: View) -> None:
    """The rules: what divides, u of the best and of the worst candidate, q of the best."""
    counted = view.scenario.counted()
    scores, index = view.scenario.score_array()[counted], np.flatnonzero(counted) + 1
    best, worst = int(np.argmax(scores)), int(np.argmin(scores))
    names = list(view.rules)
    table(
        [
            "",
            "divides by",
            "guard",
            f"u of {index[best]}, best",
            f"u of {index[worst]}, worst",
            "q of the best",
            "source",
        ],
        (
            [
                _name(view, rule),
                _SCALES[rule.scale],
                guard(rule).replace("e-0", f"e{MINUS}"),
                _number(u[best], exact[best]),
                _number(u[worst], exact[worst]),
                signed(q[best]),
                html.escape(rule.source),
            ]
            for rule, u, exact, q in rows(view)
        ),
        kind="rules",
        marked=names.index(view.trap.rule.name) if view.trap else None,
    )


def _name(view: View, rule: Rule) -> str:
    title = html.escape(f"Equal scores: {rule.equal}" + (f" No score: {rule.missing}" if rule.missing else ""))
    colour = look(rule.name)[0] if rule.name in view.chosen else "transparent"
    return f'<span title="{title}">{swatch(colour, rule.label)}</span>'


def _number(u: float, exact: float) -> str:
    """A value, and the exact one beside it where rounding or a guard of the precision made another of it."""
    if abs(u - exact) <= 1e-3 * max(abs(exact), 1e-12):
        return signed(u)
    return f'{signed(u)} <span class="exact">exact {signed(exact)}</span>'
