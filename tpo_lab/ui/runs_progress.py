"""How far runs are: a bar for one; for several a table, with the settings in which they differ."""

import html
from collections.abc import Sequence
from typing import Protocol

import streamlit as st

from tpo_lab.charts.curves import DASHES
from tpo_lab.experiments.kinds import AnyConfig, steps_of
from tpo_lab.experiments.sweeps import differing, said
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.pieces import table
from tpo_lab.ui.runs_words import duration, orphans, outlook, state
from tpo_lab.ui.sentences import refuse


class Shown(Protocol):
    """A run, or settings without one, and how it is called beside others."""

    @property
    def config(self) -> AnyConfig: ...
    @property
    def run(self) -> Snapshot | None: ...
    @property
    def name(self) -> str: ...


def progress(runs: RunService, members: Sequence[Shown], settings: str = "") -> None:
    """Draw how far they are, and what is wrong with them.

    Args:
        settings: a few words on the configuration of a single one.
    """
    if len(members) == 1:
        run, total = members[0].run, steps_of(members[0].config)
        st.progress(min(1.0, run.steps / total) if run else 0.0, text=_text(runs, run, total, settings))
    else:
        _several(runs, members)
    for member in members:
        if member.run and (member.run.broken or member.run.status == "failed"):
            name = f"{member.name}: " if member.name else ""
            refuse(f"{name}{member.run.broken or member.run.reason}")


def lost(members: Sequence[Shown]) -> None:
    """Say which workers have ended before their time, where others go on with what they computed."""
    for member in members:
        for method, reason in orphans(member.run.row).items() if member.run else ():
            name = f"{member.name}, " if member.name else ""
            refuse(f"{name}{METHODS[method].label}: {reason} Another one goes on from the last checkpoint.")


def _text(runs: RunService, run: Snapshot | None, total: int, settings: str) -> str:
    if run is None:
        return "No run to show yet."
    parts = [f"{state(run.row)}: step {run.steps:,} of {total:,}, {duration(run.seconds)}"]
    return " · ".join(part for part in (*parts, outlook(runs, run.row), _lost(run), settings) if part)


def _lost(run: Snapshot) -> str:
    names = ", ".join(METHODS[method].label for method in orphans(run.row))
    return f"worker lost, another goes on: {names}" if names else ""


def _several(runs: RunService, members: Sequence[Shown]) -> None:
    """One row per run: its stroke, how it is, and every setting that not all of them have alike."""
    differ = differing([member.config for member in members])
    rows = []
    for i, member in enumerate(members):
        values = [html.escape(said(values[i])) for values in differ.values()]
        rows.append([stroke(i, member.name), *_status(runs, member), *values])
    table(["", "status", "step", "left", *(name.replace("_", " ") for name in differ)], rows, kind="overlay")


def _status(runs: RunService, member: Shown) -> tuple[str, str, str]:
    run = member.run
    if run is None:
        return "not run yet", "", ""
    left = " · ".join(filter(None, (outlook(runs, run.row), _lost(run))))
    return state(run.row), f"{run.steps:,} of {steps_of(member.config):,}", left


def stroke(place: int, name: str) -> str:
    """A piece of the stroke that stands for a run on the charts, and the run's name."""
    stops, at = [], 0
    for i, length in enumerate(DASHES[place % len(DASHES)]):
        stops.append(f"{'transparent' if i % 2 else 'currentColor'} {at}px {at + length}px")
        at += length
    style = f"background: repeating-linear-gradient(90deg, {', '.join(stops)})"
    return f'<span class="stroke" style="{style}"></span>{html.escape(name)}'
