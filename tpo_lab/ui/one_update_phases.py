"""One update walked through: sample, score, standardise, tilt, fit; each phase drawn, its formula with the numbers."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
import streamlit as st

from tpo_lab.charts.bars import PROBABILITIES
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Floats
from tpo_lab.methods.updates import EPOCHS
from tpo_lab.ui import latex
from tpo_lab.ui import one_update_charts as charts
from tpo_lab.ui.components.stepper import stepper
from tpo_lab.ui.form import Form
from tpo_lab.ui.one_update import PHASES, View, update_once
from tpo_lab.ui.one_update_words import Scene, formulas, numbers, say
from tpo_lab.ui.pieces import headline

T = TypeVar("T")
PLAY_SECONDS = 2.5


def draw(form: Form[View]) -> None:
    """The stepper, and the phase that it stands at."""
    view, phases = form.view, list(PHASES)
    stepper(
        "Phase",
        list(PHASES.values()),
        phases.index(view.phase),
        seconds=PLAY_SECONDS,
        key="update.stepper",
        on_go=lambda at: form.change({"phase": phases[at]}),
    )
    found = view.updates()
    scene = Scene(
        view, report(view.scenario), found, found.get("tpo") or update_once("tpo", view.scenario, view.settings)
    )
    _scene(scene)


def _scene(scene: Scene) -> None:
    """What is said of the phase, its chart, beside it what the other methods do meanwhile, and the formula.

    All charts and equations are on the page in every phase, in their places, and the style sheet hides the others:
    what came onto the page with a press, or changed its width, would take half of the press's time. A chart that is
    hidden keeps what it was last given, and the numbers are no part of the equations: what stays as it is is free.
    """
    fits = scene.view.phase == "fit"
    with st.container(key="update-scene"):
        headline(*say(scene))
        st.html(f'<i class="of of-{scene.view.phase}"></i>')  # alone: with each change of it all is styled anew
        _left(scene)
        title, values = _last_seen("update.others", not fits, lambda: _right(scene))
        charts.methods(title, values, key="update-others")
        charts.residuals(_last_seen("update.residuals", fits, lambda: scene.found))
        st.markdown("\n\n".join(f"$$\n{formula}\n$$" for formula in formulas(scene.view)))
        st.html(f'<p class="numbers">{latex.as_html(numbers(scene))}</p>')


def _last_seen(key: str, seen: bool, make: Callable[[], T]) -> T:
    """What a chart shows that is `seen`; what it last showed if it is not."""
    if seen or key not in st.session_state:
        st.session_state[key] = make()
    found: T = st.session_state[key]
    return found


def _left(scene: Scene) -> None:
    now = scene.now
    match scene.view.phase:
        case "sample":
            charts.phase("Old policy over the group", {"p_old": now.p_old}, ends=PROBABILITIES)
        case "score":
            charts.phase("Scores", {"score": np.nan_to_num(scene.view.scenario.score_array())})
        case "standardise":
            charts.phase("TPO: standardised score u", {"u": now.u})
        case "tilt":
            charts.phase("TPO: from p_old to the target q", {"p_old": now.p_old, "target q": now.q}, ends=PROBABILITIES)
        case "fit":
            charts.phase(
                "TPO: the policy after so many epochs",
                {"p_old": now.p_old} | {f"after {n}": scene.tpo.policies[n] for n in EPOCHS},
                subtitle="stroke: the target q",
                ends=PROBABILITIES,
                ticks=now.q,
            )


def _right(scene: Scene) -> tuple[str, Mapping[str, Floats]]:
    """Title and values by kind of what stands beside the phases before the fit."""
    now = scene.now
    others = {name: found for name, found in scene.found.items() if name != "tpo"}
    match scene.view.phase:
        case "sample":
            log_p = np.where(np.isfinite(now.log_p_old), now.log_p_old, 0.0)  # what cannot be has no bar, but its place
            return "The same as log-probs, nats", {"log p_old": log_p}
        case "standardise" if others:
            return "Advantages of the others", {name: found.advantages for name, found in others.items()}
        case "score" | "standardise":
            above = np.where(now.counted, scene.view.scenario.score_array() - now.mean, 0.0)
            return "Scores, measured from their mean", {"score − mean": above}
    if others:
        return "What the others weigh log p by", {name: found.weights for name, found in others.items()}
    return "TPO: the probability that moves", {"q − p_old": now.q_minus_p}
