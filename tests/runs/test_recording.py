"""Recorded runs: what is exported can be read back as a run, and what is damaged is one sentence."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of
from tests.runs.test_reader import done
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS, Preset
from tpo_lab.experiments.summaries import summarise
from tpo_lab.registry import Registry
from tpo_lab.runs import recording
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.export import parquet
from tpo_lab.runs.reader import Reader, Readers
from tpo_lab.runs.recording import MOST_BYTES, Recording, recorded
from tpo_lab.runs.rows import RECORDED

FIRST = {  # what the pages show before anybody asks for anything, and the reward of digits
    "fig2": {"error", "misalignment"},
    "live-terminal": {"error", "zero_variance"},
    "live-why": {"error", "grad_norm", "weight_success", "weight_failure", "all_fail", "any_success"},
    "live-digits": {"error", "reward", "surplus_0_25", "surplus_25_50", "surplus_50_75", "surplus_75_100"},
}
SHIPPED = sorted(path.stem for path in recording.FOLDER.glob("*"))


@pytest.fixture
def file(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one recording there is, of the preset "small"; it is made as those that ship are."""
    catalogue = Catalogue(folder)
    reader = Reader(catalogue, done(catalogue))
    parquet(reader, tmp_path / "small.parquet", ["misalignment", "error"])
    reader.close()
    catalogue.close()
    monkeypatch.setattr(recording, "FOLDER", tmp_path)
    monkeypatch.setattr(recording, "PRESETS", Registry("preset", (Preset("small", "why", CONFIG),)))
    return tmp_path / "small.parquet"


@pytest.mark.usefixtures("file")
def test_a_recording_is_the_run_that_it_was_made_of(folder: Path) -> None:
    assert recorded(BanditConfig()) == ""
    catalogue = Catalogue(folder)
    with Readers(catalogue) as readers:
        found = readers.get(recorded(CONFIG))
        run = found.read()
        (before,) = catalogue.list()
        assert (run.config, run.status, run.steps, run.row.recorded) == (CONFIG, "done", 40, True)
        assert not before.recorded
        assert (run.row.versions, run.row.host, run.row.created) == (before.versions, before.host, before.created)
        assert [lane.method for lane in run.row.lanes] == ["tpo", "pg"]
        for d, name in enumerate(DIAGNOSTICS):
            np.testing.assert_array_equal(found.values("pg")[name], values_of(0, 40)[:, d])
            np.testing.assert_array_equal(found.seeds(name)["tpo"], values_of(0, 40)[:, d])
            np.testing.assert_array_equal(run.lanes["tpo"].curves[name], summarise(values_of(0, 40)[:, d]))
            np.testing.assert_array_equal(run.lanes["tpo"].last[name], values_of(39, 1)[0, d])
        assert set(found.read(("nothing",)).lanes["pg"].curves) == {"error"}
        assert found.looks() == {}
    catalogue.close()


@pytest.mark.usefixtures("file")
def test_a_recording_can_be_written_again(tmp_path: Path) -> None:
    parquet(Recording(recorded(CONFIG)), tmp_path / "again.parquet")
    assert pq.read_table(tmp_path / "again.parquet").equals(pq.read_table(tmp_path / "small.parquet"))


@pytest.mark.parametrize("name", ["small", "..%2Fsmall", "../small", ""])
def test_one_that_is_not_there_is_said(file: Path, name: str) -> None:
    file.unlink()
    assert recorded(CONFIG) == ""
    with pytest.raises(InputError, match=r"^This recorded run is not here\.$"):
        Recording(RECORDED + name).read()


def changed(table: pa.Table, damage: str) -> pa.Table:
    """What is wrong with a table that is Parquet still."""
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    facts = json.loads(metadata["tpo_lab.run"])
    match damage:
        case "rows":
            return table.slice(1)
        case "order":
            return table.take(np.arange(len(table))[::-1])
        case "error":
            return table.drop_columns("error")
        case "double":
            return table.set_column(3, "misalignment", pa.array(np.zeros(len(table))))
        case "words":
            return table.set_column(3, "misalignment", pa.array(["x"] * len(table)))
        case "config":
            metadata["tpo_lab.config"] = BanditConfig(seeds=3).to_json()
        case "lanes":
            facts["lanes"] = facts["lanes"][:1]
        case "cores":
            facts["host"] = {}
        case "kind":
            facts["kind"] = "x"
        case "facts":
            facts = []
        case "none":
            return table.replace_schema_metadata(None)
    return table.replace_schema_metadata({**metadata, "tpo_lab.run": json.dumps(facts)})


@pytest.mark.parametrize(
    "damage",
    ["rows", "order", "error", "double", "words", "config", "lanes", "cores", "kind", "facts", "none"],
)
def test_damage_is_one_sentence(file: Path, damage: str) -> None:
    pq.write_table(changed(pq.read_table(file), damage), file)
    with pytest.raises(InputError, match=r"^The recorded run of small is damaged; Run computes it here\.$"):
        Recording(recorded(CONFIG)).read()


def test_bytes_that_are_no_parquet_are_one_sentence(file: Path) -> None:
    whole = file.read_bytes()
    for content in (b"", b"x" * 100, whole[: len(whole) // 2], whole[:-8] + b"x" * 8, bytes(MOST_BYTES + 1)):
        file.write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            Recording(recorded(CONFIG)).read()


def test_what_ships_is_whole_small_and_says_where_it_comes_from() -> None:
    assert set(SHIPPED) == set(FIRST)
    assert sum(path.stat().st_size for path in recording.FOLDER.iterdir()) <= 5 << 20
    for name, first in FIRST.items():
        assert recorded(PRESETS[name].config) == RECORDED + name
        run = Recording(RECORDED + name).read()
        assert set(run.lanes["tpo"].curves) == first
        assert set(run.row.host) == {"cores", "memory", "platform", "python"}
        assert {"tpo-lab", "jax", "numpy"} <= set(run.row.versions)
