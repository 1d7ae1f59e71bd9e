"""Runs as files, and as the command that computes it in a terminal."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from tpo_lab.experiments.differences import command
from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.runs import export_several as several
from tpo_lab.runs.export import configuration_json, curves_csv, parquet
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui.runs_progress import Shown


def files(runs: RunService, run: Snapshot | None, config: AnyConfig) -> None:
    """Curves as CSV and Parquet, settings as JSON, and the command."""
    name = f"{kind_of(config).replace('_', '-')}{f'-{run.id}' if run else ''}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if run and run.lanes and not run.broken:
            _save("Curves (CSV)", lambda: curves_csv(runs.get(run.id)), f"{name}.csv", "text/csv")
            results = partial(several.results_csv, {"": run})
            _save("Results (CSV)", results, f"{name}-results.csv", "text/csv")
            every = partial(_written, parquet, runs.readers.get(run.id))
            _save("Every seed (Parquet)", every, f"{name}.parquet", "application/octet-stream")
        settings = configuration_json(run.row) if run else config.to_json()
        _save("Settings (JSON)", settings, f"{name}.json", "application/json")
    st.caption("The same run in a terminal")
    st.code(command(config, run.row.preset if run else ""), language=None, wrap_lines=True)


def files_of_several(runs: RunService, members: Sequence[Shown]) -> None:
    """The same of runs in the same axes: one file of all, and a command for each."""
    found = {member.name: member.run for member in members if member.run}
    there = [run for run in found.values() if run.lanes and not run.broken]
    name = "-".join(run.id for run in found.values())
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(there) == len(found):
            _save("Results (CSV)", lambda: several.results_csv(_now(runs, found)), f"{name}-results.csv", "text/csv")
            _save("Curves (CSV)", lambda: several.curves_csv(_now(runs, found)), f"{name}.csv", "text/csv")
            parquet_of = partial(_written, several.parquet, {n: runs.readers.get(run.id) for n, run in found.items()})
            _save("Every seed (Parquet)", parquet_of, f"{name}.parquet", "application/octet-stream")
        else:
            st.caption("Files of all can be saved once each has a step.")
    st.caption("The same runs in a terminal")
    commands = (command(member.config, member.run.row.preset if member.run else "") for member in members)
    st.code("\n".join(commands), language=None, wrap_lines=True)


def _now(runs: RunService, found: Mapping[str, Snapshot]) -> dict[str, Snapshot]:
    return {name: runs.get(run.id) for name, run in found.items()}


def _save(label: str, data: str | Callable[[], str | bytes], name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, key=f"runs.save.{label}", icon=":material/download:", on_click="ignore")


def _written(write: Callable[[Any, Path], None], source: Any) -> bytes:
    """What a writer of files makes of its source."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        write(source, path)
        return path.read_bytes()
