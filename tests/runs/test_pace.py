"""How long a run will take: from the runs of this machine, in proportion to the work."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.runs.store import new_home
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.pace import seconds_of, work

CONFIG = ReversalConfig(length=4, prompts=32, episodes=100, seeds=2)


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    return Catalogue(new_home(tmp_path / "lab", monkeypatch))


def computed(catalogue: Catalogue, config: ReversalConfig, unit: float) -> None:
    """A run whose every unit of work took so long."""
    run_id = catalogue.add(config)
    for method in config.methods:
        seconds = config.episodes * config.seeds * work(config, method) * unit
        catalogue.set_lane(run_id, method, steps=config.episodes, seconds=seconds)


def test_nothing_is_said_before_anything_was_computed(catalogue: Catalogue) -> None:
    assert seconds_of(CONFIG, catalogue.list(), 2) is None
    catalogue.add(CONFIG)
    assert seconds_of(CONFIG, catalogue.list(), 2) is None


def test_lanes_share_the_workers_and_the_longest_sets_the_least(catalogue: Catalogue) -> None:
    computed(catalogue, CONFIG, 1e-9)
    lanes = [200 * work(CONFIG, method) * 1e-9 for method in CONFIG.methods]
    assert seconds_of(CONFIG, catalogue.list(), 1) == pytest.approx(sum(lanes))
    assert seconds_of(CONFIG, catalogue.list(), 100) == pytest.approx(max(lanes))
    longer = replace(CONFIG, episodes=300, seeds=4)
    assert seconds_of(longer, catalogue.list(), 1) == pytest.approx(6 * sum(lanes))


def test_a_method_has_its_own_pace(catalogue: Catalogue) -> None:
    computed(catalogue, replace(CONFIG, methods=("tpo", "dg")), 1e-9)
    computed(catalogue, replace(CONFIG, methods=("tpo",)), 3e-9)
    only_tpo, only_ppo = (replace(CONFIG, methods=(name,)) for name in ("tpo", "ppo"))
    assert seconds_of(only_tpo, catalogue.list(), 1) == pytest.approx(200 * work(CONFIG, "tpo") * 2e-9)
    assert seconds_of(only_ppo, catalogue.list(), 1) == pytest.approx(200 * work(CONFIG, "ppo") * 1e-9)


def test_a_run_of_another_machine_says_nothing(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    computed(catalogue, CONFIG, 1e-9)
    monkeypatch.setattr("tpo_lab.runs.pace.host", lambda: {"cores": 64})
    assert seconds_of(CONFIG, catalogue.list(), 2) is None
