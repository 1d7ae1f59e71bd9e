"""A run as files, and as the command that computes it in a terminal."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from tpo_lab.experiments.differences import command
from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.runs.export import configuration_json, curves_csv, parquet
from tpo_lab.runs.service import RunService
from tpo_lab.runs.snapshot import Snapshot


def files(runs: RunService, run: Snapshot | None, config: AnyConfig) -> None:
    """Curves as CSV and Parquet, settings as JSON, and the command."""
    name = f"{kind_of(config).replace('_', '-')}{f'-{run.id}' if run else ''}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if run and run.lanes and not run.broken:
            _save("Curves (CSV)", lambda: curves_csv(run), f"{name}.csv", "text/csv")
            _save("Every seed (Parquet)", lambda: _parquet(runs, run.id), f"{name}.parquet", "application/octet-stream")
        settings = configuration_json(run.row) if run else config.to_json()
        _save("Settings (JSON)", settings, f"{name}.json", "application/json")
    st.caption("The same run in a terminal")
    st.code(command(config, run.row.preset if run else ""), language=None, wrap_lines=True)


def _save(label: str, data: str | Callable[[], str | bytes], name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, key=f"runs.save.{label}", icon=":material/download:", on_click="ignore")


def _parquet(runs: RunService, run_id: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        parquet(runs.readers.get(run_id), path)
        return path.read_bytes()
