"""The measurement of the store: what it measures is there, on a small store."""

import json

import pytest

from tpo_lab.bench import store
from tpo_lab.cli import main


def test_it_measures_every_figure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in {"RUNS_LISTED": 3, "ROUNDS": 2, "TICK": 0.05, "TICKS": 4}.items():
        monkeypatch.setattr(store, name, value)
    assert main(["bench", "store", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert all(figures[name] > 0 for name in ("open_ms", "list_ms", "list_again_ms", "append_ms", "poll_percent"))
    lines = store.StoreTimes(**figures).as_text().splitlines()
    assert lines[0].endswith(f"{figures['open_ms']:.1f} ms")
