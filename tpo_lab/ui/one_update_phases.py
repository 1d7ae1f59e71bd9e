"""One update walked through: sample, score, standardise, tilt, fit; each phase drawn, its formula with the numbers."""

import numpy as np
import streamlit as st

from tpo_lab.charts.bars import PROBABILITIES
from tpo_lab.group.report import report
from tpo_lab.methods.updates import EPOCHS
from tpo_lab.ui import one_update_charts as charts
from tpo_lab.ui.form import Form, choice
from tpo_lab.ui.one_update import PHASES, View, update_once
from tpo_lab.ui.one_update_words import Scene, formula, say
from tpo_lab.ui.pieces import headline

PLAY_SECONDS = 2.5
_PLAYING = "update.playing"
_BESIDE = {"standardise": "others", "tilt": "others", "fit": "residuals"}


def draw(form: Form[View]) -> None:
    """The stepper, and the phase that it stands at."""
    view, phases = form.view, list(PHASES)
    at = phases.index(view.phase)

    def go(to: int) -> None:
        form.change({"phase": phases[to]})

    def stop_and_go(to: int) -> None:
        playing, st.session_state[_PLAYING] = st.session_state.get(_PLAYING, False), False
        go(to)
        if playing:
            st.rerun()  # the whole page: it alone ends the ticking

    def play() -> None:
        st.session_state[_PLAYING] = not st.session_state.get(_PLAYING, False)
        if st.session_state[_PLAYING] and at == len(phases) - 1:
            go(0)
        st.rerun()

    with st.container(horizontal=True, vertical_alignment="center"):
        choice(form, "Phase", "phase", PHASES, label_visibility="collapsed")
        st.button(
            "Back",
            icon=":material/skip_previous:",
            disabled=at == 0,
            on_click=stop_and_go,
            args=(at - 1,),
            shortcut="B",
        )
        playing = st.session_state.get(_PLAYING, False)
        st.button(
            "Pause" if playing else "Play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            on_click=play,
            key="update.play",
            shortcut="P",
        )
        last = at == len(phases) - 1
        st.button(
            "Step", icon=":material/skip_next:", disabled=last, on_click=stop_and_go, args=(at + 1,), shortcut="S"
        )
    _ticking(form, at)
    found = view.updates()
    scene = Scene(
        view, report(view.scenario), found, found.get("tpo") or update_once("tpo", view.scenario, view.settings)
    )
    headline(*say(scene))
    _scene(scene)
    st.markdown(f"$$\n{formula(scene)}\n$$")


def _ticking(form: Form[View], at: int) -> None:
    """While it plays, go to the next phase after a while; it ends at the last one."""
    playing = st.session_state.get(_PLAYING, False)

    def tick() -> None:
        if not playing or st.session_state.get("update.ticked") != at:
            st.session_state["update.ticked"] = at
            return
        left = list(PHASES)[at + 1 :]
        if left:
            form.change({"phase": left[0]})
        st.session_state[_PLAYING] = len(left) > 1
        st.rerun()

    if playing:
        st.session_state["update.ticked"] = None
        st.fragment(tick, run_every=PLAY_SECONDS)()


def _scene(scene: Scene) -> None:
    """The chart of the phase, and beside it what the other methods do meanwhile.

    All three charts are on the page in every phase, and the style sheet hides those that are not beside: a chart that
    came onto the page with a press would take half of the press's time.
    """
    others = {name: found for name, found in scene.found.items() if name != "tpo"}
    beside = _BESIDE.get(scene.view.phase, "nothing") if others or scene.view.phase == "fit" else "nothing"
    with st.container(key="update-row"):
        st.html(f'<i class="beside {beside}"></i>')
        left, right = st.columns(2)
    with left:
        _left(scene)
    with right:
        if scene.view.phase in ("tilt", "fit"):  # hidden in the latter: what stays as it is costs nothing
            title, values = "What the others weigh log p by", {name: found.weights for name, found in others.items()}
        else:
            title, values = "Advantages of the others", {name: found.advantages for name, found in others.items()}
        charts.methods(title, values, key="update-others")
        charts.residuals(scene.found)


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
