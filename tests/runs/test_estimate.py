"""The estimate of memory: what it refuses, that it grows with what is asked, and that workers take about as much."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs import estimate
from tpo_lab.runs.process import ENVIRONMENT

HUGE = MultiBanditConfig(contexts=10_000, actions=1_000, seeds=1_000)


def test_what_the_machine_cannot_hold_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "available", lambda: 3_500_000_000)
    with pytest.raises(InputError, match=r"needs about 80\d GB of memory, and 3\.5 GB are free") as refusal:
        estimate.check(HUGE, 2)
    assert refusal.value.field == "memory"
    estimate.check(BanditConfig(), 2)
    monkeypatch.setattr(estimate, "available", lambda: 500_000_000)
    with pytest.raises(InputError, match=r"needs about 0\.8\d* GB"):
        estimate.check(BanditConfig(), 2)
    estimate.check(BanditConfig(), 2, started=2)


def test_every_preset_can_be_run_on_a_small_machine() -> None:
    assert max(estimate.of_run(preset.config, 4) for preset in PRESETS.values()) < 8e9


def test_more_of_anything_needs_no_less() -> None:
    for config in (BanditConfig(), ReversalConfig(), MultiBanditConfig(), DigitsConfig(folder="mnist")):
        before = estimate.of_run(config, 2)
        for name in ("seeds", "actions", "samples", "contexts", "prompts", "hidden", "width", "length", "vocabulary"):
            if hasattr(config, name):
                more: AnyConfig = replace(config, **{name: 2 * getattr(config, name)})
                assert estimate.of_run(more, 2) >= before
        assert estimate.of_run(config, 4) > before
        assert estimate.of_run(replace(config, methods=config.methods[:1]), 2) < before


def test_a_containers_limit_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = estimate.available()
    assert whole > 1e8
    monkeypatch.setattr(estimate, "CGROUP", tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("700\n")
    assert estimate.available() > 1e8
    (tmp_path / "memory.max").write_text("1000\n")
    assert estimate.available() == 300
    (tmp_path / "memory.current").write_text("1200\n")
    assert estimate.available() == 0


MEASURE = """
import json, resource, sys
from tpo_lab.experiments.kinds import config_from
from tpo_lab.runs.lane import Lane
lane = Lane(config_from(sys.argv[1], sys.argv[2]), sys.argv[3])
lane.prepare()
for _ in range(2):
    lane.advance()
    lane.to_bytes()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""
LARGEST: list[tuple[AnyConfig, str]] = [
    (PRESETS["fig2"].config, "tpo"),
    (BanditConfig(actions=1_000, samples=10_000), "grpo"),
    (PRESETS["fig3"].config, "tpo"),
    (MultiBanditConfig(contexts=10_000, actions=100, seeds=100), "dg"),
    (MultiBanditConfig(contexts=10_000, samples=10_000, update="sampled", seeds=1), "pg"),
    (PRESETS["fig4-digits"].config, "tpo"),
    (DigitsConfig(prompts=10_000, hidden=1_000, seeds=2), "pg"),
    (replace(PRESETS["fig12-K64"].config, seeds=3), "tpo"),
    (PRESETS["table3-H10-interaction"].config, "ppo"),
    (PRESETS["table1-V16"].config, "tpo_token"),
]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no getrusage")
@pytest.mark.parametrize(("config", "method"), LARGEST, ids=lambda value: value if isinstance(value, str) else "")
def test_it_is_within_a_factor_of_two_of_what_a_worker_takes(config: AnyConfig, method: str) -> None:
    code = [sys.executable, "-c", MEASURE, kind_of(config), config.to_json(), method]
    environment = {**os.environ, **ENVIRONMENT}
    answer = subprocess.run(code, capture_output=True, text=True, check=True, env=environment)
    taken = json.loads(answer.stdout.splitlines()[-1])
    estimated = estimate.of_run(replace(config, methods=(method,)), 1)
    print(f"{kind_of(config)} {method}: estimated {estimated / 1e6:.0f} MB, taken {taken / 1e6:.0f} MB")
    assert taken / 2 < estimated < taken * 2
