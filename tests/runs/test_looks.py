"""Batches that are kept to be looked into: exactly what the step saw, once each, whatever happens to the worker."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.runs.store import DIAGNOSTICS, values_of
from tpo_lab import group
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs import looks
from tpo_lab.runs.curves import RunFile, path_of
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.lane import Lane
from tpo_lab.training.look import KEPT, Look, groups_kept, steps_kept

SMALL = ReversalConfig(length=3, vocabulary=3, prompts=5, candidates=4, width=8, layers=1, seeds=2, episodes=90)


def a_look(step: int) -> Look:
    return Look(*(np.full((2, 3), (step + i) % 7) for i in range(len(Look._fields))))


def same(found: looks.Kept | None, wanted: Look) -> bool:
    return isinstance(found, Look) and all(np.array_equal(x, y) for x, y in zip(found, wanted, strict=True))


@pytest.mark.parametrize("total", [1, 2, 3, 30, 31, 120, 2_000, 100_000])
def test_about_forty_steps_are_kept_the_first_and_the_last_among_them(total: int) -> None:
    kept = steps_kept(total)
    assert kept[0] == 0
    assert kept[-1] == total - 1
    assert list(kept) == sorted(set(kept))
    assert len(kept) <= KEPT
    assert len(kept) >= min(total, KEPT * 3 // 5)
    assert np.diff(kept).max(initial=0) <= max(1, -(-total // (KEPT * 3 // 5 - 1)))


def test_of_large_batches_some_groups_are_kept() -> None:
    assert [groups_kept(*size) for size in ((5, 12), (100, 80), (256, 256), (4_096, 64 * 256))] == [5, 32, 32, 4]


@pytest.mark.parametrize("method", ["tpo", "ppo", "tpo_token"])
def test_a_look_is_the_batch_of_its_step_and_a_resumed_lane_keeps_the_same(method: str) -> None:
    config = replace(SMALL, methods=(method,), reward="bag")
    lane, kept, values = Lane(config, method), {}, []
    lane.prepare()
    while lane.steps < 20:
        part = lane.advance()
        assert part is not None
        values.append(part)
        if lane.look:
            kept[lane.steps - 1] = lane.look
        if lane.steps == 7:
            lane = Lane(config, method, lane.to_bytes())
            lane.prepare()
    assert tuple(kept) == tuple(step for step in steps_kept(90) if step < lane.steps)
    curves = dict(zip(lane.diagnostics, np.concatenate(values).transpose(1, 0, 2), strict=True))
    for step, data in kept.items():
        look = looks.from_bytes(data)
        assert isinstance(look, Look)
        right = look.outputs == look.wanted[:, None]
        np.testing.assert_array_equal(look.wanted, look.prompts[:, ::-1])
        np.testing.assert_allclose(look.rewards.mean(), curves["reward"][step, 0], rtol=1e-6)
        np.testing.assert_allclose((~right).mean(), curves["error"][step, 0], rtol=1e-6)
        assert abs(look.rewards.mean() - curves["reward"][step, 1]) > 0 or step > 0  # another seed is another batch
        success = right.all(axis=-1)
        weights = look.weights
        if method == "tpo":
            taken = look.token_log_p.sum(axis=-1)
            np.testing.assert_allclose(look.log_p_old, taken, atol=1e-5)
            np.testing.assert_array_equal(look.signal, look.rewards.sum(axis=-1))
        elif method == "tpo_token":
            assert look.candidates.shape == (5, 3, 4)
            np.testing.assert_array_equal(look.candidates[..., 0], look.outputs[:, 0])
            success = look.candidates == look.wanted[..., None]
            np.testing.assert_array_equal(look.signal, success)
        if method.startswith("tpo"):
            q = group.target(look.log_p_old.astype(float), group.standardise(look.signal.astype(float)))
            np.testing.assert_allclose(weights, q, atol=1e-5)
            gap = np.abs(weights - group.policy(look.log_p_last.astype(float)))
            np.testing.assert_allclose(gap.mean(), curves["residual"][step, 0], atol=1e-5)
        if method != "ppo" and success.any():
            found = np.abs(weights)[success].mean()
            np.testing.assert_allclose(found, curves["weight_success"][step, 0], rtol=1e-4, atol=1e-6)


def test_a_look_comes_back_as_it_was_put_in_and_goes_with_its_steps(folder: Path) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        assert (file.looks(), file.look("tpo", 0)) == ({}, None)
        for first in range(0, 12, 2):
            state = b"state" if first == 4 else None
            file.append("tpo", first, values_of(first, 2), state, looks.to_bytes(a_look(first + 1)))
        assert file.looks() == {"tpo": (1, 3, 5, 7, 9, 11)}
        reading = RunFile.open(folder, "run")
        assert reading
        assert same(reading.look("tpo", 11), a_look(11))
        assert reading.look("tpo", 10) is None
        assert file.take("tpo").steps == 6  # as after a kill
        assert reading.looks() == {"tpo": (1, 3, 5)}
        file.append("tpo", 6, values_of(6, 2), None, looks.to_bytes(a_look(7)))
        assert reading.looks() == {"tpo": (1, 3, 5, 7)}
        file.compact()
        assert same(reading.look("tpo", 5), a_look(5))
        reading.close()


def test_a_write_that_fails_leaves_neither_steps_nor_look(folder: Path) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 2), None, looks.to_bytes(a_look(1)))
        (pages,) = file._connection.execute("PRAGMA page_count").fetchone()
        file._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="The disk is full"):
            file.append("tpo", 2, values_of(2, 2), None, b"x" * 100_000)
        assert (file.looks(), len(file.values("tpo"))) == ({"tpo": (1,)}, 2)


def test_a_file_of_a_lab_that_kept_none_is_read_and_gone_on_with(folder: Path) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 2), b"state")
        tables = file._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        assert ("looks",) not in tables
    reading = RunFile.open(folder, "run")
    assert reading
    assert (reading.looks(), reading.look("tpo", 1)) == ({}, None)
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 2, values_of(2, 1), None, looks.to_bytes(a_look(2)))
        assert (reading.looks(), len(reading.values("tpo"))) == ({"tpo": (2,)}, 3)
    reading.close()


@pytest.mark.parametrize("change", ["SET data = x'00'", "SET step = 3", "SET data = substr(data, 1, 100)"])
def test_damage_to_a_look_is_named_and_the_curves_stay(folder: Path, change: str) -> None:
    with RunFile.create(folder, "run", DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 4), None, looks.to_bytes(a_look(3)))
        file.append("tpo", 4, values_of(4, 1), None, looks.to_bytes(a_look(4)))
    with sqlite3.connect(path_of(folder, "run")) as connection:
        connection.execute("DELETE FROM looks WHERE step = 3")
        connection.execute(f"UPDATE looks {change}")
    connection.close()
    reading = RunFile.open(folder, "run")
    assert reading
    (step,) = reading.looks()["tpo"]
    with pytest.raises(StoreError, match=rf"is damaged: the batch of step {step} of tpo is not what was written\."):
        reading.look("tpo", step)
    assert len(reading.values("tpo")) == 5
    reading.close()
