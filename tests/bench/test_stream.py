"""What is said of the figures of watching a run, and the run that is watched."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from tpo_lab.bench import stream
from tpo_lab.bench.stream import StreamFigures, Tab
from tpo_lab.cli import main
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.reader import Reader


def test_memory_is_compared_by_quarters_and_drawings_are_counted() -> None:
    figures = StreamFigures(
        1.0, (Tab("", 7.0, 20.0, 0), Tab("&over=seconds", 1.0, 2.0, 2)), (100.0, 102.0, 180.0, 104.0)
    )
    assert figures.growth() == 4
    assert figures.as_json()["memory_growth"] == 4
    text = figures.as_text()
    assert "blocked  7.0 %, busy 20.0 %, charts drawn anew: 0" in text
    assert "100 MB at first, 180 at most, 104 at last, +4.0 by quarters" in text


def test_the_run_that_is_watched_grows_like_one_of_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "CHUNKS_PER_SECOND", 20)
    config = ReversalConfig(methods=("tpo", "dg"), seeds=2, episodes=3)
    with closing(Catalogue(tmp_path)) as catalogue:
        run_id = catalogue.add(config)
        stream._write(catalogue, run_id, config, threading.Event())
        with closing(Reader(catalogue, run_id)) as reader:
            run = reader.read()
    assert run.steps == 3
    assert [lane.steps for lane in run.row.lanes] == [3, 3]
    assert 0 < run.lanes["dg"].curves["error"].mean[-1] < 1


def test_a_time_that_makes_no_sense_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "stream", "--minutes", "0"]) == 2
    assert "--minutes must be above 0 and at most 120, not 0." in capsys.readouterr().err
