"""One update walked through: sample, score, standardise, tilt, fit; each phase drawn, its formula with the numbers."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from tpo_lab.charts import bars, epochs
from tpo_lab.group.report import Report, report
from tpo_lab.group.scenario import Floats
from tpo_lab.methods.registry import BLUE, GREY, METHODS
from tpo_lab.methods.updates import EPOCHS, Update, update
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.form import Form, choice
from tpo_lab.ui.one_update import PHASES, View
from tpo_lab.ui.one_update_words import Scene, formula, say
from tpo_lab.ui.pieces import headline

PLAY_SECONDS = 2.5
_PLAYING = "update.playing"
# From the old policy's grey to TPO's blue.
_SHADES = ("#AFC3D2", "#86B0CF", "#5C9CC9", "#2F87BE", BLUE)


def draw(form: Form[View]) -> None:
    """The stepper, and the phase that it stands at."""
    view, phases = form.view, list(PHASES)
    at = phases.index(view.phase)

    def go(to: int) -> None:
        form.change({"phase": phases[to]})

    def stop_and_go(to: int) -> None:
        st.session_state[_PLAYING] = False
        go(to)

    def play() -> None:
        st.session_state[_PLAYING] = not st.session_state.get(_PLAYING, False)
        if st.session_state[_PLAYING] and at == len(phases) - 1:
            go(0)

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
    scene = Scene(view, report(view.scenario), update("tpo", view.scenario, view.settings))
    headline(*say(scene))
    _DRAW[view.phase](scene)
    st.markdown(f"$$\n{formula(scene)}\n$$")


def _ticking(form: Form[View], at: int) -> None:
    """While it plays, go to the next phase after a while; the last one ends it."""
    playing = st.session_state.get(_PLAYING, False)

    def tick() -> None:
        if not playing or st.session_state.get("update.ticked") != at:
            st.session_state["update.ticked"] = at
            return
        phases = list(PHASES)
        if at + 1 >= len(phases):
            st.session_state[_PLAYING] = False
        else:
            form.change({"phase": phases[at + 1]})
        st.rerun()

    if playing:
        st.session_state["update.ticked"] = None
        st.fragment(tick, run_every=PLAY_SECONDS)()


def _names(now: Report) -> list[str]:
    return [str(i + 1) for i in range(now.scenario.k)]


def _one(
    title: str, name: str, colour: str, values: Floats, now: Report, *, domain: Sequence[float] | None = None
) -> None:
    chart(
        bars.spec(title, {name: colour}, domain=domain, height=320),
        bars.data(_names(now), {name: np.nan_to_num(values)}),
        key="update-phase",
        alt=title,
    )


def _sample(scene: Scene) -> None:
    _one("Old policy over the group", "p_old", GREY, scene.now.p_old, scene.now, domain=(0, 1))


def _score(scene: Scene) -> None:
    _one("Scores", "score", GREY, scene.view.scenario.score_array(), scene.now)


def _standardise(scene: Scene) -> None:
    view, now = scene.view, scene.now
    _beside(
        now,
        lambda: _one("TPO: standardised score u", "u", BLUE, now.u, now),
        "Advantages of the others",
        {name: found.advantages for name, found in view.updates(0).items() if name != "tpo"},
    )


def _tilt(scene: Scene) -> None:
    view, now = scene.view, scene.now
    kinds = {"p_old": GREY, "target q": BLUE}

    def left() -> None:
        chart(
            bars.spec("TPO: from p_old to the target q", kinds, domain=(0, 1), height=320),
            bars.data(_names(now), {"p_old": now.p_old, "target q": now.q}),
            key="update-phase",
            alt="Old policy and target of each candidate",
        )

    others = {name: found.weights for name, found in view.updates(0).items() if name != "tpo"}
    _beside(now, left, "What the others weigh log p by", others)


def _fit(scene: Scene) -> None:
    view, now, tpo = scene.view, scene.now, scene.tpo
    kinds = {"p_old": GREY} | {f"after {n}": shade for n, shade in zip(EPOCHS, _SHADES, strict=True)}
    names, found = _names(now), view.updates()
    left, right = st.columns(2)
    with left:
        chart(
            bars.spec(
                "TPO: the policy after so many epochs",
                kinds,
                subtitle="stroke: the target q",
                domain=(0, 1),
                height=320,
                columns=4,
                ticks=True,
            ),
            bars.data(names, {"p_old": now.p_old} | {f"after {n}": tpo.policies[n] for n in EPOCHS})
            | {"ticks": {"candidate": names, "value": now.q.tolist()}},
            key="update-phase",
            alt="The policy after 1 to 16 epochs, and the target",
        )
    with right:
        residuals(view, found)


def residuals(view: View, found: dict[str, Update]) -> None:
    """The norm of each method's gradient over the epochs."""
    chart(
        epochs.spec(
            "Residual: norm of the gradient in the logits",
            view.methods,
            log=True,
            epochs=EPOCHS[-1],
            height=320,
            subtitle="at or below 10⁻⁵: drawn there",
        ),
        epochs.data({name: f.residuals.tolist() for name, f in found.items()}, log=True),
        key="update-residuals",
        alt="Norm of the gradient over the epochs, one line a method",
    )


def _beside(now: Report, left: Callable[[], None], title: str, others: dict[str, Floats]) -> None:
    """TPO on the left, the other methods on the right where any is chosen."""
    if not others:
        left()
        return
    one, two = st.columns(2)
    with one:
        left()
    with two:
        kinds = {METHODS[name].label: METHODS[name].colour for name in others}
        chart(
            bars.spec(title, kinds, height=320, columns=4),
            bars.data(_names(now), {METHODS[name].label: values for name, values in others.items()}),
            key="update-others",
            alt=title,
        )


_DRAW: dict[str, Callable[[Scene], None]] = {
    "sample": _sample,
    "score": _score,
    "standardise": _standardise,
    "tilt": _tilt,
    "fit": _fit,
}
