"""The table of all runs: pinned ones first, then the newest; it follows those that are computed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.differences import base_of, changes
from tpo_lab.experiments.kinds import kind_of
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService
from tpo_lab.ui.form import Form
from tpo_lab.ui.runs_final import Final, finals_of
from tpo_lab.ui.runs_words import duration, is_going, outlook, state
from tpo_lab.ui.sentences import refuse

TICK = 2.0  # seconds between two looks at the list
LATEST = 60  # runs that are read again at each look, with those that are under way
SHOWN = 8  # rows before one has to scroll
RARE = ("pinned", "in line", "note")  # columns that are there if a row has something in them
KINDS = {"bandit": "bandit", "multi_bandit": "contexts", "digits": "digits", "reversal": "reversal"}


def chosen_ids(texts: Mapping[str, str]) -> list[str]:
    """The runs that are marked, in the order in which they were picked."""
    return [*dict.fromkeys(filter(None, texts["run"].split(",")))]


@dataclass
class _Held:
    """The rows as they were at the last look."""

    version: int
    rows: dict[str, RunRow]


def table(runs: RunService, form: Form[Any]) -> None:
    """Draw the table and go on doing so while a run is under way.

    Args:
        form: `find` holds words that a run must have, in any column; `run` the ids of those that are marked.
    """
    chosen = form.texts["run"]
    held = _Held(runs.catalogue.version(), {row.id: row for row in runs.list()})
    live = any(is_going(row) for row in held.rows.values())
    complete = finals_of(runs, held.rows.values())[1]

    def tick() -> None:
        if form.texts["run"] != chosen:  # picked in this table: the rest of the page is to follow
            st.rerun()
        try:
            _refresh(runs, held)
        except InputError as error:
            refuse(str(error))
        rows = list(held.rows.values())
        _draw(runs, rows, form)
        if (live or not complete) and not any(map(is_going, rows)) and finals_of(runs, rows)[1]:
            st.rerun()

    st.fragment(tick, run_every=TICK if live or not complete else None)()


def _refresh(runs: RunService, held: _Held) -> None:
    """Bring the rows up to date at the price of a few, if anything may have changed."""
    version = runs.catalogue.version()
    if version == held.version:
        return
    held.version, before = version, held.rows
    latest = {row.id: row for row in runs.catalogue.list(most=LATEST)}
    oldest = min((row.created for row in latest.values()), default=0.0)
    older = {}
    for row in before.values():
        if row.id not in latest and (row.created <= oldest and len(latest) == LATEST):
            older[row.id] = runs.catalogue.get(row.id) if is_going(row) else row
    held.rows = latest | {name: row for name, row in older.items() if not row.deleted}


def _draw(runs: RunService, rows: Sequence[RunRow], form: Form[Any]) -> None:
    finals, _ = finals_of(runs, rows)
    lines = [
        (row, _line(runs, row, finals.get(row.id, Final()))) for row in sorted(rows, key=lambda row: not row.pinned)
    ]
    words = form.texts["find"].lower().split()
    lines = [(row, line) for row, line in lines if all(word in _text(row, line) for word in words)]
    ids = tuple(row.id for row, _ in lines)
    if not ids:
        st.info("No run has these words." if rows else "No run yet: start one on the page Bandits.")
        return
    # The table marks a row by its place: where the places change, it is another table.
    key, chosen = f"{form.key('run')}.{hash(ids)}", chosen_ids(form.texts)

    def picked() -> None:
        here = {ids[place] for place in st.session_state[key].selection.rows}
        before = [name for name in chosen if name in here or name not in ids]  # in the order in which they were picked
        form.change({"run": ",".join([*before, *(name for name in ids if name in here - {*before})])}, worked="run")

    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame([line for _, line in lines]),
        key=key,
        height=35 * (min(len(ids), SHOWN) + 1) + 3,
        hide_index=True,
        row_height=35,
        on_select=picked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [ids.index(name) for name in chosen if name in ids]}},
        column_order=[name for name in lines[0][1] if name not in RARE or any(line[name] for _, line in lines)],
        # Together no wider than a window of 1280 pixels shows.
        column_config={
            "pinned": text("", width=30, help="Pinned"),
            "status": text("status", width=60),
            "progress": st.column_config.ProgressColumn(
                "progress", format="%d %%", min_value=0, max_value=100, width=95
            ),
            "name": text("name", width=115),
            "task": text("task", width=62),
            "preset": text("preset", width=85),
            "differs": text("differs from it in", width=130),
            "seeds": st.column_config.NumberColumn("seeds", width=50),
            "methods": text("methods", width=105),
            "error": text("last error", width=180),
            "to1": text("steps to 1 %", width=125),
            "time": text("time", width=60),
            "started": text("started", width=95),
        },
        alt=f"{len(ids)} runs; the arrow keys move, and the space bar picks a run",
    )


def _line(runs: RunService, row: RunRow, final: Final) -> dict[str, Any]:
    try:
        config = row.config
        base = base_of(config, row.preset)
        what, differs, seeds = base.name, ", ".join(map(str, changes(config, base.config))), config.seeds
        kind = KINDS[kind_of(config)]
    except InputError as error:
        what, differs, seeds, kind = row.preset, f"cannot be read: {error}", None, row.kind
    total = sum(lane.total for lane in row.lanes)
    return {
        "pinned": "★" if row.pinned else "",
        "status": state(row),
        "progress": int(100 * sum(lane.steps for lane in row.lanes) / total) if total else 0,
        "in line": outlook(runs, row),
        "name": row.name,
        "task": kind,
        "preset": what,
        "differs": differs,
        "seeds": seeds,
        "methods": ", ".join(METHODS[m].label for m in (lane.method for lane in row.lanes) if m in METHODS),
        "error": final.error,
        "to1": final.steps,
        "time": duration(row.seconds),
        "started": time.strftime("%d %b %H:%M", time.localtime(row.created)),
        "note": row.note,
    }


def _text(row: RunRow, line: dict[str, Any]) -> str:
    """All that a run can be found by."""
    words = (row.id, *(str(value) for name, value in line.items() if name not in ("progress", "time")))
    return " ".join(words).lower()
