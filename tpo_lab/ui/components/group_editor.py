"""The chart of one group whose bars are dragged: it redraws in the browser and reports what a person did to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.group.scenario import Scenario
from tpo_lab.methods.registry import METHODS
from tpo_lab.ui.components.bundle import javascript, stylesheet
from tpo_lab.ui.components.payload import group_data, revision


@dataclass(frozen=True)
class Edit:
    """What the bars stand at after a gesture.

    Attributes:
        scores: one per candidate; None is a candidate without a score.
        policy: old probabilities, if a person has moved one; None leaves the scenario's policy as it was given.
        eta: temperature, if a person has moved its slider; None leaves the scenario's.
        selected: index of the candidate that was clicked last.
        final: False while a drag or a held key goes on; a page need not record those in its history.
    """

    scores: tuple[float | None, ...]
    policy: tuple[float, ...] | None
    eta: float | None
    selected: int
    final: bool

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with these scores and temperature, and these probabilities in the place of any log-probs.

        Raises:
            InputError: if no scored candidate with a probability is left.
        """
        eta = scenario.eta if self.eta is None else self.eta
        if self.policy is None:
            return replace(scenario, scores=self.scores, eta=eta)
        return replace(scenario, scores=self.scores, policy=self.policy, kind="probs", lengths=None, eta=eta)

    @classmethod
    def from_browser(cls, data: Mapping[str, Any]) -> Self:
        """The edit that the browser sent."""
        policy = data["policy"]
        return cls(
            scores=tuple(None if s is None else float(s) for s in data["scores"]),
            policy=None if policy is None else tuple(float(p) for p in policy),
            eta=None if data["eta"] is None else float(data["eta"]),
            selected=int(data["selected"]),
            final=bool(data["final"]),
        )


# Stops of the slider of eta. Twenty to the decade, to two digits: an arrow key moves eta by an eighth.
ETAS = sorted({float(f"{10 ** (i / 20):.2g}") for i in range(-26, 21)} | {0.05})

_component = st.components.v2.component(
    "tpo_lab.group_editor",
    html='<div class="tpo group-editor"></div>',
    css=stylesheet("components.css", "group_editor.css"),
    js=javascript("group_editor.js"),
)


def group_editor(
    report: Report, *, selected: int, key: str, on_edit: Callable[[Edit], None], height: int = 600
) -> None:
    """Draw old policy, target, their difference and scores of a group; scores, old policy and eta are dragged.

    The browser redraws at the rate of the pointer and sends edits while the server keeps up with them, the last one of
    a gesture always. `on_edit` is called before the page's script runs, as a widget's callback is: it may write to
    `st.session_state`, and the script then draws the edited scenario. What this function is given in that run is what
    the chart shows; an older answer never moves a bar that is being dragged.

    Args:
        report: the numbers of the scenario to draw; the chart repeats them and computes only between answers.
        selected: index of the highlighted candidate.
        key: the widget's key; one per page.
        on_edit: takes what changed; `Edit.apply` makes the scenario of it.
        height: the least height of the drawing, in pixels; a tall window gets more.

    The root element `.group-editor` carries `data-tpo-revision` after each redraw (see `payload.revision`).
    """
    group = group_data(report)
    result = {
        "counted": report.counted.tolist(),
        "u": report.u.tolist(),
        "p": report.p_old.tolist(),
        "q": report.q.tolist(),
        "d": report.q_minus_p.tolist(),
    }
    _component(
        key=key,
        data={
            "group": group,
            "result": result,
            "etas": sorted({*ETAS, report.scenario.eta}),
            "selected": selected,
            "height": height,
            "colour": METHODS["tpo"].colour,
            "echo": _last(key).get("seq", 0),
            "revision": revision(group, result, selected),
        },
        on_edit_change=lambda: on_edit(Edit.from_browser(_last(key))),
    )


def _last(key: str) -> Mapping[str, Any]:
    """What the browser sent last."""
    state = st.session_state.get(key)
    edit = state.get("edit") if isinstance(state, Mapping) else None
    return edit if isinstance(edit, Mapping) else {}
