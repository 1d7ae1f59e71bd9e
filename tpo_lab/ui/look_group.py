"""One group of a kept batch: its prompt, its candidates token by token, their numbers, and the way to other pages."""

import html

import numpy as np
import streamlit as st

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.group.wording import figure, many
from tpo_lab.methods.registry import METHODS
from tpo_lab.training.look_group import Bools, Floats, Group, Tokens
from tpo_lab.ui.links import open_on
from tpo_lab.ui.pieces import signed, table

MOST = 64  # candidates in the table
_P_OLD, _P_LAST = "<i>p</i><sub>old</sub>", "<i>p</i> at the last gradient"


def draw(config: ReversalConfig, method: str, found: Group, title: str) -> None:
    """The whole group.

    Args:
        title: which group it is, and of which kind.
    """
    written = f"<dt>written so far</dt><dd>{tokens(found.written)}</dd>" if METHODS[method].group == "tokens" else ""
    st.html(
        f'<h4 class="title">{html.escape(title)}</h4><dl class="look-task"><dt>prompt</dt>'
        f"<dd>{tokens(found.prompt)}</dd><dt>wanted</dt><dd>{tokens(found.wanted)}</dd>{written}</dl>"
    )
    if found.numbers is None:
        _sample(found)
        return
    if isinstance(found.scenario, str):
        st.caption(found.scenario)
    else:
        open_on(found.scenario, "target", "one_update", "low_variance")
    _candidates(config, method, found)
    st.caption(_notes(config, method, found))


def _candidates(config: ReversalConfig, method: str, found: Group) -> None:
    n = found.numbers
    assert n
    fits, epochs = METHODS[method].fits_target, config.epochs_of(method)
    head = [
        "",
        "next token" if METHODS[method].group == "tokens" else "output",
        "score",
        _P_OLD,
        "<i>u</i>",
        "<i>q</i>",
    ]
    head += [] if fits else ["weight in the loss"]
    head += [_P_LAST] if epochs > 1 else []
    rows = []
    for i in range(min(MOST, len(n.score))):
        right = bool(found.right[i].all())
        cells = [
            f"{'✓' if right else '✕'} {i + 1}",
            tokens(found.tokens[i], found.right[i], found.p[i]),
            signed(n.score[i]),
            _bar(n.p_old[i], "#8C8C8C"),
            signed(n.u[i]),
            _bar(n.q[i], METHODS["tpo"].colour),
        ]
        cells += [] if fits else [signed(n.weight[i])]
        cells += [_bar(n.p_last[i], METHODS[method].colour)] if epochs > 1 else []
        rows.append(cells)
    table(head, rows, kind="look")
    if len(n.score) > MOST:
        st.caption(f"and {many(len(n.score) - MOST, 'more candidate')}")


def _sample(found: Group) -> None:
    """A single sample: what each of its tokens was worth."""
    rows = [
        ["output", *_each(found)],
        ["reward", *map(signed, found.rewards)],
        ["advantage", *map(signed, found.advantages)],
    ]
    table(["", *(f"token {t + 1}" for t in range(len(found.rewards)))], rows, kind="look")
    st.caption("One output of a prompt, so there is no group: an advantage is the reward less the mean of the batch.")


def _each(found: Group) -> list[str]:
    return [
        tokens(found.tokens[0, t : t + 1], found.right[0, t : t + 1], found.p[0, t : t + 1])
        for t in range(len(found.wanted))
    ]


def _notes(config: ReversalConfig, method: str, found: Group) -> str:
    label, epochs = METHODS[method].label, config.epochs_of(method)
    parts = ["Struck out: wrong. Below a token: its probability."]
    if not METHODS[method].fits_target:
        parts.append(f"{label} fits no target: u and q are what TPO would make of this group.")
    elif not found.plain:
        parts.append(f"q is what {label} fitted under these settings; the other pages show that of plain TPO.")
    if epochs > 1:
        parts.append(f"The last of its {epochs} gradients was taken at the policy of the last column.")
    return " ".join(parts)


def tokens(row: Tokens, right: Bools | None = None, p: Floats | None = None) -> str:
    """Tokens as HTML, one box each; a wrong one is struck out, and below each may stand its probability."""
    boxes = []
    for i, token in enumerate(row.tolist()):
        kind = "" if right is None else " right" if right[i] else " wrong"
        below = "" if p is None else f"<small>{_short(p[i])}</small>"
        said = "" if right is None else f' title="{"right" if right[i] else "wrong"}"'
        boxes.append(f'<span class="token{kind}"{said}><b>{token}</b>{below}</span>')
    return f'<span class="tokens">{"".join(boxes)}</span>' if boxes else "<i>nothing yet</i>"


def _short(p: np.floating | float) -> str:
    return f"{p:.2f}" if p < 0.995 else "1.0"


def _bar(p: float, colour: str) -> str:
    share = 0.0 if not np.isfinite(p) else 100 * float(p)
    return f'<span class="share"><i style="width: {share:.1f}%; background: {colour}"></i></span>{figure(float(p))}'
