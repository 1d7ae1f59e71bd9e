"""A run as files that others can read."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of, without_writing
from tests.runs.test_reader import done
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile, path_of
from tpo_lab.runs.export import configuration_json, curves_csv, parquet
from tpo_lab.runs.reader import Reader


def test_parquet_holds_every_seed_of_every_step(folder: Path, tmp_path: Path) -> None:
    catalogue = Catalogue(folder)
    reader = Reader(catalogue, done(catalogue))
    parquet(reader, tmp_path / "run.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]
    table = pq.read_table(tmp_path / "run.parquet")
    assert table.column_names == ["method", "seed", "step", *DIAGNOSTICS]
    assert table.num_rows == 2 * 3 * 40
    frame = table.to_pydict()
    for d, name in enumerate(DIAGNOSTICS):
        expected = [values_of(0, 40)[:, d, seed] for _ in CONFIG.methods for seed in range(3)]
        np.testing.assert_array_equal(np.asarray(frame[name], np.float32), np.concatenate(expected))
    assert frame["method"] == ["tpo"] * 120 + ["pg"] * 120
    assert frame["seed"][38:42] == [0, 0, 1, 1]
    assert frame["step"][38:42] == [38, 39, 0, 1]
    assert BanditConfig.from_json(table.schema.metadata[b"tpo_lab.config"].decode()) == CONFIG
    assert "jax" in json.loads(table.schema.metadata[b"tpo_lab.versions"])
    reader.close()
    catalogue.close()


def test_a_lane_behind_the_others_is_as_long_as_it_is(folder: Path, tmp_path: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    reader = Reader(catalogue, run_id)
    with pytest.raises(InputError, match="This run has no step to export yet"):
        parquet(reader, tmp_path / "run.parquet")
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("pg")
        file.append("pg", 0, values_of(0, 4))
    parquet(reader, tmp_path / "run.parquet")
    assert pq.read_table(tmp_path / "run.parquet").num_rows == 12
    reader.close()
    catalogue.close()


def test_what_cannot_be_read_or_written_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    catalogue = Catalogue(folder)
    run_id = done(catalogue)
    reader = Reader(catalogue, run_id)
    (folder / "out").mkdir()
    (folder / "out" / "run.parquet").write_text("before")
    with without_writing(folder), pytest.raises(InputError, match=r"Cannot write .*Permission denied"):
        parquet(reader, folder / "out" / "run.parquet")
    assert [(path.name, path.read_text()) for path in (folder / "out").iterdir()] == [("run.parquet", "before")]
    reader.close()
    path_of(folder, run_id).write_bytes(b"x" * 4096)
    with pytest.raises(InputError, match="is damaged"):
        parquet(reader, tmp_path / "run.parquet")
    assert list(tmp_path.iterdir()) == []
    reader.close()
    catalogue.close()


def test_csv_holds_the_statistics(folder: Path) -> None:
    catalogue = Catalogue(folder)
    reader = Reader(catalogue, done(catalogue))
    rows = list(csv.DictReader(io.StringIO(curves_csv(reader.read()))))
    assert len(rows) == 2 * 2 * 40
    assert {key: rows[41][key] for key in ("method", "diagnostic", "step", "low", "high", "n")} == {
        "method": "tpo",
        "diagnostic": "misalignment",
        "step": "1",
        "low": "10.5",
        "high": "210.5",
        "n": "3",
    }
    reader.close()
    catalogue.close()


def test_the_configuration_says_what_ran_on_what(folder: Path) -> None:
    catalogue = Catalogue(folder)
    found = json.loads(configuration_json(catalogue.get(catalogue.add(CONFIG, preset="fig2"))))
    assert (found["kind"], found["preset"]) == ("bandit", "fig2")
    assert BanditConfig.from_mapping(found["config"]) == CONFIG
    assert set(found["host"]) == {"cores", "memory", "platform", "python"}
    catalogue.close()
