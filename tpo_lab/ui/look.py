"""Look inside a run of token reversal: a batch that was kept, its groups as a strip, and one of them.

It is a fragment of its own, and there only while a method is chosen: the curves above it tick as fast as without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from tpo_lab.charts.rollouts import COLOURS
from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.group.verdict import LOW_SIGMA
from tpo_lab.group.wording import many
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.training.look import Look, steps_kept
from tpo_lab.training.look_group import KINDS, Group, group_of, kinds_of
from tpo_lab.ui import look_group
from tpo_lab.ui.components.look_strip import look_strip
from tpo_lab.ui.form import Form
from tpo_lab.ui.runs_words import is_going
from tpo_lab.ui.sentences import refuse

FIELDS = {"inside": "", "episode": "", "group": ""}  # of the form of a page that has this
TICK = 1.0  # seconds between two looks for a newer batch
_HELD, _FOLLOWED = "look.held", "look.followed"
_SIGNS = {
    "all_fail": ("all fail", "✕", COLOURS["all_fail"], "#000"),
    "low_sigma": ("low σ", "≈", COLOURS["low_variance"], "#000"),
    "mixed": ("mixed", "◐", COLOURS["informative"], "#fff"),
    "equal": ("equal scores", "=", COLOURS["other_constant"], "#000"),
    "all_pass": ("all pass", "✓", COLOURS["all_pass"], "#000"),
}
_OF_SAMPLES = {"all_fail": "wrong", "all_pass": "right"}


@dataclass(frozen=True)
class Wanted:
    """What is looked at: a method, an episode (None: the newest), and a group and place, counted from 0."""

    method: str
    episode: int | None
    group: int
    place: int


def wanted(texts: Mapping[str, str]) -> Wanted:
    """What a form's texts say.

    Raises:
        InputError: for the first that is wrong.
    """
    method, episode, group = (texts[name] for name in FIELDS)
    if method:
        METHODS[method]
    first, _, second = group.partition(".")
    for name, text in (("episode", episode), ("group", first), ("group", second)):
        if text and not (text.isascii() and text.isdigit() and len(text) < 10):
            raise InputError(name, f"The {name} must be a whole number, not {shown(text)}.")
    return Wanted(method, int(episode) if episode else None, max(int(first or 1) - 1, 0), max(int(second or 1) - 1, 0))


def look_inside(runs: RunService, form: Form[Any], run: Snapshot | None, config: object) -> None:
    """The choice of a method, and what was kept of it.

    Args:
        form: it has the fields of `FIELDS`.
        config: of the run; of anything but token reversal there is nothing to see, nor of a recording.
    """
    if run is None or run.row.recorded or not isinstance(config, ReversalConfig):
        return
    st.pills(
        "Look inside a batch of",
        config.methods,
        default=form.text("inside") if form.text("inside") in config.methods else None,
        format_func=lambda name: METHODS[name].label,
        **form.on("inside", {"group": ""}, write=lambda name: name or ""),
    )
    try:
        chosen = wanted(form.texts)
        if chosen.method and chosen.method not in config.methods:
            raise InputError("inside", f"This run has no {METHODS[chosen.method].label}.")
    except InputError as error:
        refuse(str(error))
        return
    if chosen.method:
        tick = partial(_tick, runs, form, run, config)
        st.fragment(tick, run_every=TICK if is_going(run.row) else None)()


def _tick(runs: RunService, form: Form[Any], run: Snapshot, config: ReversalConfig) -> None:
    form.write_url()  # first: while a run goes on, the next tick of the curves may cut this one short
    chosen = wanted(form.texts)
    try:
        reader = runs.readers.get(run.id)
        kept = reader.looks().get(chosen.method, ())
        if not kept:
            st.caption("Nothing is kept yet." if is_going(run.row) else "Nothing was kept of this run.")
            return
        step = _slider(form, chosen, kept, steps_kept(config.episodes) if is_going(run.row) else kept)
        held = st.session_state.get(_HELD)
        if held is None or held[0] != (run.id, chosen.method, step):
            held = (run.id, chosen.method, step), reader.look(chosen.method, step)
            st.session_state[_HELD] = held
        if isinstance(held[1], Look):
            _draw(form, config, chosen, held[1], step)
    except InputError as error:
        refuse(str(error))


def _slider(form: Form[Any], chosen: Wanted, kept: tuple[int, ...], grid: tuple[int, ...]) -> int:
    """The slider through the episodes; returns the one to show, the last of those kept up to the wanted one.

    Args:
        grid: all that are or will be kept, so that the slider of a run that goes on stays as it is.
    """
    newest = kept[-1]
    step = newest if chosen.episode is None else max((s for s in kept if s <= chosen.episode), default=kept[0])
    if chosen.episode is None:
        st.session_state[_FOLLOWED] = newest  # a slider that has to move is another one; a person's own move is not
    key = f"{form.key('episode')}.{st.session_state.get(_FOLLOWED, 0)}"

    def slid() -> None:
        value = st.session_state[key]
        form.change({"episode": "" if value >= newest else str(value)}, worked="" if value > newest else "episode")

    if len(grid) == 1:
        return step
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider("Episode", grid, step, key=key, on_change=slid)
        st.button(
            "Newest",
            icon=":material/last_page:",
            disabled=chosen.episode is None,
            on_click=form.change,
            args=({"episode": ""},),
        )
    return step


def _draw(form: Form[Any], config: ReversalConfig, chosen: Wanted, look: Look, step: int) -> None:
    kinds = kinds_of(config, chosen.method, look)
    of = METHODS[chosen.method].group
    rows = kinds.T if kinds.ndim == 2 else kinds[None, :]
    at = min(chosen.group, rows.shape[1] - 1), min(chosen.place, rows.shape[0] - 1)
    signs = []
    for kind in KINDS:
        label, sign, colour, ink = _SIGNS[kind]
        label = _OF_SAMPLES.get(kind, label) if of == "none" else label
        signs.append({"label": label, "sign": sign, "colour": colour, "ink": ink})
    look_strip(
        rows.tolist(),
        signs,
        names=("Prompt" if of != "candidates" else "Group", "token"),
        chosen=at,
        key="look.strip",
        on_choose=lambda group, place: form.change(
            {"group": f"{group + 1}.{place + 1}" if len(rows) > 1 else f"{group + 1}"}
        ),
    )
    low = f" Low σ: scores per token that spread less than {LOW_SIGMA:g}." if KINDS.index("low_sigma") in rows else ""
    st.caption(_which(config, chosen.method, look, step) + low)
    found = group_of(config, chosen.method, look, *at)
    look_group.draw(config, chosen.method, found, _title(found, at, of, signs[int(rows[at[1], at[0]])]["label"]))


def _which(config: ReversalConfig, method: str, look: Look, step: int) -> str:
    prompts = config.budget(method)[0]
    kept = len(look.prompts)
    some = f"the first {kept} of {many(prompts, 'prompt')}" if kept < prompts else f"all {prompts} prompts"
    seed = ", the first seed" if config.seeds > 1 else ""
    columns = {
        "candidates": "One square is the group of one prompt.",
        "tokens": "One column is a prompt, one square the group of next tokens at a place of its output.",
        "none": "One square is the one output of a prompt.",
    }[METHODS[method].group]
    return f"Episode {step:,}{seed}, {some}. {columns}"


def _title(found: Group, at: tuple[int, int], of: str, kind: str) -> str:
    if of == "none":
        return f"Prompt {at[0] + 1}: {kind}"
    right = f"{int(found.right.all(axis=-1).sum())} of {len(found.right)} right"
    return f"{'Group' if of == 'candidates' else f'Token {at[1] + 1} of prompt'} {at[0] + 1}: {kind}, {right}"
