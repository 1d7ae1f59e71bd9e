"""One group of a file: what its prompt was, its candidates side by side, and the way to the pages of one group."""

import html
import math

import numpy as np
import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.group.limits import MAX_CANDIDATES
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.verdict import verdicts
from tpo_lab.group.wording import figure
from tpo_lab.rollouts_io.health import KINDS, LABELS, Health
from tpo_lab.rollouts_io.logged import Logged, of_stack
from tpo_lab.rollouts_io.numbers import Candidates, candidates_of
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.ui.links import open_on
from tpo_lab.ui.pieces import signed
from tpo_lab.ui.reading import typeset
from tpo_lab.ui.rollouts_data import Data
from tpo_lab.ui.rollouts_view import View

CARDS = 64


def draw(data: Data, view: View, health: Health, group: int) -> None:
    """The whole group."""
    table = data.table
    step = table.group_step[group]
    where = "" if math.isnan(step) else f", step {step:g}"
    st.html(
        f'<h4 class="title">Group {group + 1:,}{where}: {LABELS[KINDS[health.kinds[group]]]}</h4>'
        f"<p>{html.escape(table.prompt_of(group) or table.label(group))}</p>"
    )
    found = candidates_of(data.workings, view.now, group)
    scenario = scenario_of(table, found, view.now, group)
    if isinstance(scenario, str):
        st.caption(scenario)
    else:
        st.html("".join(f"<p><b>{v.title}.</b> {typeset(v.text)}</p>" for v in verdicts(report(scenario))[:2]))
        open_on(scenario, "target", "one_update", "low_variance")
    st.html(cards(table, found, data.logged(), group))


def scenario_of(table: Rollouts, found: Candidates, setting: Setting, group: int) -> Scenario | str:
    """The group as the pages of one group take it, or why they cannot."""
    rows = slice(int(table.starts[group]), int(table.starts[group + 1]))
    scores = tuple(float(score) if there else None for score, there in zip(found.score, found.counted, strict=True))
    if len(scores) > MAX_CANDIDATES:
        return f"The pages of one group take up to {MAX_CANDIDATES} candidates; this one has {len(scores):,}."
    policy = None
    if found.known_policy and table.log_prob is not None:
        log_probs = table.log_prob[rows]
        if setting.log_prob == "mean" and table.length is not None:
            log_probs = log_probs / np.maximum(table.length[rows], 1.0)
        policy = tuple(float(x) for x in np.nan_to_num(log_probs))
    try:
        return Scenario(
            scores,
            policy,
            "probs" if policy is None else "log_probs",
            eta=setting.eta,
            rule=setting.rule,
            strength=setting.strength,
        )
    except InputError as error:
        return str(error)


def cards(table: Rollouts, found: Candidates, compared: Logged | None, group: int) -> str:
    """The candidates side by side, as HTML; what they wrote is text and nothing else."""
    texts = table.texts(group)
    first = int(table.starts[group])
    stack = (
        of_stack(table, group) if compared is None else (compared.rule, compared.advantage[first : first + len(texts)])
    )
    out = []
    for i, words in enumerate(texts[:CARDS]):
        row = first + i
        score = table.score[row]
        lines = [
            ("score", "none" if np.isnan(score) else _parts(table, row)),
            ("p<sub>old</sub> → q", f"{figure(float(found.p[i]))} → {figure(float(found.q[i]))}"),
            ("u", signed(float(found.u[i]))),
        ]
        if table.length is not None and not np.isnan(table.length[row]):
            lines.append(("tokens", f"{table.length[row]:,.0f}"))
        if stack is not None:
            given = None if table.advantage is None else table.advantage[row]
            logged = "none in the file" if given is None or np.isnan(given) else f"{signed(float(given))} in the file"
            lines.append(("advantage", f"{logged}, {signed(float(stack[1][i]))} by {html.escape(stack[0])}"))
        flag = " differs" if compared is not None and compared.disagrees[row] else ""
        rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in lines)
        said = "<i>no text in the file</i>" if words is None else html.escape(words)
        out.append(f'<section class="card{flag}"><h5>Candidate {i + 1}</h5><dl>{rows}</dl><pre>{said}</pre></section>')
    more = f"<p>and {len(texts) - CARDS:,} more</p>" if len(texts) > CARDS else ""
    return f'<div class="cards">{"".join(out)}</div>{more}'


def _parts(table: Rollouts, row: int) -> str:
    total = signed(float(table.score[row]))
    if not table.parts:
        return total
    parts = (
        f"{html.escape(name)} {'none' if np.isnan(values[row]) else signed(float(values[row]))}"
        for name, values in table.parts.items()
    )
    return f"{total} <small>({', '.join(parts)})</small>"
