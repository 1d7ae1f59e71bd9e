"""Several runs as one file: every row says whose it is, and the configurations are in it."""

import csv
import io
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of
from tpo_lab.errors import InputError
from tpo_lab.runs import export_several
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.reader import Reader


def ended(catalogue: Catalogue, steps: int, diagnostics: tuple[str, ...] = DIAGNOSTICS) -> Reader:
    run_id = catalogue.add(replace(CONFIG, seed=steps))
    with RunFile.create(catalogue.folder, run_id, diagnostics, 3) as file:
        for lane in CONFIG.methods:
            file.take(lane)
            file.append(lane, 0, values_of(0, steps)[:, : len(diagnostics)])
            catalogue.set_lane(run_id, lane, status="stopped", steps=steps, seconds=1.5)
    catalogue.set_run(run_id, "stopped")
    return Reader(catalogue, run_id)


def test_the_rows_of_two_runs_and_their_configurations(folder: Path, tmp_path: Path) -> None:
    with closing(Catalogue(folder)) as catalogue:
        two = {"seed = 40": ended(catalogue, 40), "seed = 7": ended(catalogue, 7, DIAGNOSTICS[:1])}
        runs = {name: reader.read() for name, reader in two.items()}
        one, other = (run.id for run in runs.values())
        rows = list(csv.DictReader(io.StringIO(export_several.curves_csv(runs))))
        per_step = {one: len(DIAGNOSTICS), other: 1}
        steps = {one: 40, other: 7}
        for run_id, name in ((one, "seed = 40"), (other, "seed = 7")):
            mine = [row for row in rows if row["run"] == run_id]
            assert len(mine) == len(CONFIG.methods) * per_step[run_id] * steps[run_id]
            assert {row["name"] for row in mine} == {name}
        results = list(csv.DictReader(io.StringIO(export_several.results_csv(runs))))
        assert [(row["run"], row["steps"]) for row in results[:: len(CONFIG.methods)]] == [(one, "40"), (other, "7")]
        assert {row["seconds"] for row in results} == {"1.5"}

        path = tmp_path / "several.parquet"
        export_several.parquet(two, path)
        table = pq.read_table(path)
        assert len(table) == len(CONFIG.methods) * 3 * 47
        frame: pd.DataFrame = table.to_pandas()
        assert frame[frame.run == one][DIAGNOSTICS[1]].notna().all()
        assert frame[frame.run == other][DIAGNOSTICS[1]].isna().all()
        configs = json.loads(table.schema.metadata[b"tpo_lab.configs"])
        assert {run_id: config["seed"] for run_id, config in configs.items()} == {one: 40, other: 7}
        for reader in two.values():
            reader.close()


def test_a_run_without_a_step_is_said(folder: Path, tmp_path: Path) -> None:
    with closing(Catalogue(folder)) as catalogue, closing(Reader(catalogue, catalogue.add(CONFIG))) as reader:
        with pytest.raises(InputError, match="no step to export yet"):
            export_several.parquet({"": reader}, tmp_path / "x.parquet")
        assert export_several.curves_csv({"": reader.read()}).count("\n") == 1
