"""A lane computes what its task computes, however it is cut, written down and read back."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.lane import BANDIT_CHUNK, Lane
from tpo_lab.tasks import bandit, multi_bandit
from tpo_lab.training import digits, reversal

METHOD = "grpo"
REVERSAL = ReversalConfig(length=2, prompts=4, candidates=3, width=8, layers=1, episodes=12, seeds=2)
CASES: list[tuple[Any, str, Any]] = [
    (BanditConfig(steps=70, seeds=30, actions=7), "grpo", bandit),
    (REVERSAL, METHOD, reversal),
    (MultiBanditConfig(contexts=5, episodes=40, seeds=3), "dg", multi_bandit),
    (DigitsConfig(prompts=10, hidden=8, every=5, episodes=12, seeds=2), "ce", digits),
]


def directly(config: Any, method: str, task: Any) -> npt.NDArray[np.float32]:
    """(T, D, S), without a lane."""
    if task is bandit:
        _, record = bandit.chunk(config, method, bandit.init(config), config.steps, BANDIT_CHUNK * 2)
        return np.stack([*record.values()], axis=1)
    n = config.episodes
    records = [task.chunk(config, method, task.init(config, method, seed), n)[1] for seed in range(config.seeds)]
    return np.stack([np.stack([*record.values()], axis=1) for record in records], axis=2)


@pytest.mark.parametrize(("config", "method", "task"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_it_is_what_the_task_computes_bit_for_bit(config: Any, method: str, task: Any) -> None:
    lane = Lane(config, method)
    lane.prepare()
    assert lane.diagnostics == tuple(task.DIAGNOSTICS)
    parts = []
    while lane.steps < lane.total:
        values = lane.advance()
        assert values is not None
        assert values.dtype == np.float32
        parts.append(values)
        if len(parts) in (1, 4):
            seconds, lane = lane.seconds, Lane(config, method, lane.to_bytes())
            lane.prepare()
            assert lane.seconds == seconds > 0
    assert len(parts[0]) == 1  # the first point comes at once
    assert len(parts) > 4
    assert np.concatenate(parts).tobytes() == directly(config, method, task).tobytes()


def test_a_halt_leaves_it_as_it_was() -> None:
    lane = Lane(REVERSAL, METHOD)
    lane.prepare()
    lane.advance()
    before = lane.to_bytes()
    asked = iter((False, True))  # in the middle of a chunk: one seed has been computed
    assert lane.advance(lambda: next(asked)) is None
    assert (lane.steps, lane.to_bytes()) == (1, before)


def test_the_pace_is_of_steps_not_of_chunks_and_the_first_chunk_tells_none() -> None:
    lane = Lane(REVERSAL, METHOD)
    lane._note_pace(1, 2.0)
    assert lane.rate == 0
    lane._note_pace(1, 0.5)
    assert lane.rate == 2
    lane._note_pace(199, 1.0)
    assert lane.rate == pytest.approx((0.7 + 199) / (0.35 + 1))


def test_divergence_is_noted_by_seed_at_its_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    original = reversal.chunk_and_look  # `chunk` calls it too

    def breaks(config: Any, method: str, state: Any, n: int) -> Any:
        first = int(state.episode)
        state, record, look = original(config, method, state, n)
        bad = (np.arange(first, first + n) >= 3) & (float(np.asarray(record["reward"])[0]) >= 0)
        return state, {**record, "loss": np.where(bad, np.nan, record["loss"])}, look

    monkeypatch.setattr(reversal, "chunk_and_look", breaks)
    lane = Lane(REVERSAL, METHOD)
    lane.prepare()
    while lane.steps < 6:
        lane.advance()
    assert lane.diverged == {0: 3, 1: 3}
    again = Lane(REVERSAL, METHOD, lane.to_bytes())
    again.prepare()
    assert again.diverged == {0: 3, 1: 3}


@pytest.mark.parametrize("damage", ["cut", "longer", "other"])
def test_a_bad_checkpoint_is_one_sentence(damage: str) -> None:
    lane = Lane(REVERSAL, METHOD)
    lane.prepare()
    data = lane.to_bytes()
    config = REVERSAL if damage != "other" else replace(REVERSAL, seeds=3)
    bad = {"cut": data[: len(data) // 2], "longer": data + b"x", "other": data}
    with pytest.raises(InputError, match=f"The checkpoint of {METHOD} cannot be read"):
        Lane(config, METHOD, bad[damage]).prepare()
