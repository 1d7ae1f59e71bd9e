"""Which runs a sweep finds among those that are there."""

from dataclasses import replace
from typing import Any

from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.sweeps import SWEEPS
from tpo_lab.runs.rows import RunRow
from tpo_lab.ui.mechanism_sweep import runs_of
from tpo_lab.ui.runs_words import is_held

LIVE = ReversalConfig(**vars(PRESETS["live-why"].config))
CONFIGS = SWEEPS["candidates"].configs(LIVE)


def row(name: str, config: ReversalConfig = LIVE, status: Any = "done", wanted: Any = "run") -> RunRow:
    nobody: dict[str, Any] = dict.fromkeys(("preset", "owner", "name", "note", "reason"), "")
    shelved: dict[str, Any] = {"pinned": False, "deleted": False, "created": 0.0, "began": None, "ended": None}
    rest: dict[str, Any] = {"seconds": 0.0, "versions_json": "{}", "host_json": "{}", "lanes": ()}
    return RunRow(
        name, "reversal", status=status, wanted=wanted, config_json=config.to_json(), **nobody, **shelved, **rest
    )


def found(*rows: RunRow, linked: tuple[str, ...] = ()) -> dict[str, str]:
    return {name: run.id for name, run in runs_of(CONFIGS, rows, linked).items()}


def test_runs_of_these_settings_are_found_by_value() -> None:
    assert found() == {}
    assert found(row("a"), row("b", replace(LIVE, candidates=32)), row("c", replace(LIVE, seed=1))) == {
        "K = 8": "a",
        "K = 32": "b",
    }


def test_of_runs_that_are_alike_the_linked_one_is_taken_else_one_that_is_done_else_one_under_way() -> None:
    stopped, going, done, older = row("s", status="stopped"), row("g", status="running"), row("d"), row("o")
    rows = (stopped, going, done, older)
    assert found(*rows) == {"K = 8": "d"}
    assert found(*rows, linked=("nothing", "o")) == {"K = 8": "o"}
    assert found(*rows, linked=("s",)) == {"K = 8": "s"}
    assert found(stopped, going) == {"K = 8": "g"}
    assert found(stopped) == {"K = 8": "s"}


def test_a_run_of_settings_that_this_lab_does_not_know_is_passed_over() -> None:
    assert found(replace(row("a"), config_json='{"colour": 1}'), row("b")) == {"K = 8": "b"}


def test_what_can_go_on() -> None:
    held = {status: is_held(row("a", status=status)) for status in ("queued", "running", "done")}
    assert held == {"queued": False, "running": False, "done": False}
    assert all(is_held(row("a", status=status)) for status in ("paused", "stopped", "failed", "interrupted"))
    assert is_held(row("a", status="running", wanted="pause"))
