"""`tpo-lab run`, `list` and `methods`: what they print, write and refuse, and what Ctrl-C leaves behind."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tpo_lab.cli import main
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS
from tpo_lab.training import lanes, reversal
from tpo_lab.training.diagnostics import DIAGNOSTICS
from tpo_lab.training.reversal import chunk

SMALL = {"length": 3, "prompts": 16, "candidates": 6, "width": 32, "layers": 1, "episodes": 70}
COMMAND = ["run", "live-terminal", "--methods", "tpo", *(w for k, v in SMALL.items() for w in ("--set", f"{k}={v}"))]


@pytest.fixture(autouse=True)
def _no_cache_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path))


def test_a_run_writes_every_diagnostic_of_every_step_and_a_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.parquet"
    assert main([*COMMAND, "--seeds", "2", "--out", str(out), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    table = pd.read_parquet(out)
    assert list(table.columns) == ["method", "seed", "step", *DIAGNOSTICS]
    assert table.groupby(["method", "seed"]).step.apply(list).to_dict() == {("tpo", s): list(range(70)) for s in (0, 1)}
    entry = summary["methods"]["tpo"]
    assert entry["final_errors"] == pytest.approx(table[table.step == 69].error.tolist())
    assert entry["final_error_mean"] == pytest.approx(np.mean(entry["final_errors"]))
    assert entry["diverged"] == {}
    assert entry["seeds_ended"] == 2
    assert entry["seconds"] > 0 < entry["compile_seconds"]

    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    metadata = pq.read_schema(out).metadata
    config = ReversalConfig.from_json(metadata[b"tpo_lab.config"].decode())
    assert (config.length, config.seeds, config.methods) == (3, 2, ("tpo",))
    assert {"tpo-lab", "jax", "numpy"} <= json.loads(metadata[b"tpo_lab.versions"]).keys()


def test_ctrl_c_keeps_the_lanes_that_ended_and_the_part_of_the_one_that_ran(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def interrupted(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == 4:  # a lane of 70 episodes has two chunks
            raise KeyboardInterrupt
        return chunk(*args)

    monkeypatch.setattr(reversal, "chunk", interrupted)
    out = tmp_path / "run.parquet"
    assert main([*COMMAND, "--seeds", "3", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "1 of 3 lanes ended" in printed.err
    assert "TPO" in printed.out
    assert pd.read_parquet(out).groupby("seed").size().to_dict() == {0: 70, 1: 64}


def test_divergence_is_told_at_its_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: Any) -> Any:
        state, record = chunk(*args)
        record["loss"] = np.where(np.arange(len(record["loss"])) < 3, record["loss"], np.nan)
        return state, record

    monkeypatch.setattr(reversal, "chunk", breaks)
    config = PRESETS["live-terminal"].config
    config = type(config).from_mapping({**json.loads(config.to_json()), **SMALL, "methods": ["tpo"], "seeds": 1})
    assert [lane.diverged_at for lane in lanes.run(config)] == [3]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["run", "fig99"], "Unknown preset 'fig99'; known: live-..., fig2, fig3, fig4-..., table1-..."),
        (["run", "live-terminal", "--set", "length"], "needs KEY=VALUE"),
        (["run", "live-terminal", "--set", "speed=1"], "Unknown setting 'speed'"),
        (["run", "live-terminal", "--set", "eta=-1"], "temperature eta must be a number"),
        (["run", "live-terminal", "--seeds", "0"], "from 1 to"),
        (["run", "live-terminal", "--out", "/nowhere/at/all.parquet"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    words: list[str], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert answer in capsys.readouterr().err


def test_the_single_context_bandit_runs_like_any_other_preset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.parquet"
    small = [w for k, v in {"actions": 4, "samples": 8, "steps": 160}.items() for w in ("--set", f"{k}={v}")]
    assert main(["run", "fig2", "--seeds", "2", "--methods", "tpo,pg", *small, "--out", str(out), "--json"]) == 0
    table = pd.read_parquet(out)
    assert table.groupby(["method", "seed"]).size().to_dict() == {(m, s): 160 for m in ("pg", "tpo") for s in (0, 1)}
    assert table[table.method == "tpo"].groupby("seed").error.last().tolist() == pytest.approx(
        json.loads(capsys.readouterr().out)["methods"]["tpo"]["final_errors"]
    )
    assert table.error.iloc[0] == pytest.approx(0.75)


def test_progress_shows_the_last_error_that_was_measured() -> None:
    shown: list[float] = []
    config = DigitsConfig(methods=("pg",), prompts=4, every=150, episodes=410, seeds=1)
    list(lanes.run(config, lambda progress: shown.append(progress.error)))
    assert len(shown) == 3
    assert np.isfinite(shown).all()  # the test errors after 150, 300, and 410 steps


def test_list_and_methods_name_everything(capsys: pytest.CaptureFixture[str]) -> None:
    for command, registry in (("list", PRESETS), ("methods", METHODS)):
        assert main([command]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[1:]] == list(registry)
        assert main([command, "--json"]) == 0
        assert [entry["name"] for entry in json.loads(capsys.readouterr().out)] == list(registry)
