"""Health: what each figure is on groups that were worked out by hand."""

import math

import numpy as np
import pytest

from tests.rollouts_io.making import of, sample
from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.export import as_mapping
from tpo_lab.rollouts_io.health import KINDS, health, suggested_threshold
from tpo_lab.rollouts_io.settings import Setting

TABLE = of(
    [0, 0, 0],
    [-1, -1],
    [1, 1, 1],
    [0.5, 0.5],
    [0.01, 0, 0],
    [1, 0, 0],
    [1],
    [1, None],
    [None, None],
    steps=[1, 1, 1, 2, 2, 2, 3, 3, 3],
)


def test_every_group_has_one_kind() -> None:
    found = health(TABLE)
    assert [KINDS[kind] for kind in found.kinds] == [
        "all_fail", "all_fail", "all_pass", "other_constant", "low_variance", "informative",
        "single", "single", "unscored",
    ]  # fmt: skip
    assert sum(found.shares.values()) == pytest.approx(1)


def test_the_figures() -> None:
    s = health(TABLE).summary
    assert (s["groups"], s["candidates"], s["scored"], s["steps"]) == (9, 21, 18, 3)
    assert s["k"] == {"min": 1, "median": 2, "max": 3}
    assert s["zero_variance"] == pytest.approx(4 / 9)
    assert s["all_fail"] == pytest.approx(2 / 9)
    assert s["low_variance"] == s["informative"] == pytest.approx(1 / 9)
    assert s["reward_mean_informative"] == pytest.approx(1 / 3)
    assert s["sigma"]["p50"] == 0  # of the six groups with two scores, four are constant
    assert s["sigma"]["p95"] == pytest.approx(math.sqrt(2) / 3 - 0.25 * (math.sqrt(2) / 3) * 0.99, rel=1e-9)
    assert s["argmax_moved"] == 0  # from a uniform policy every candidate was a most probable one


def test_the_threshold_moves_groups_between_kinds() -> None:
    assert health(TABLE, threshold=0.001).shares["low_variance"] == 0
    assert health(TABLE, threshold=0.5).shares["low_variance"] == pytest.approx(2 / 9)
    with pytest.raises(InputError, match="threshold"):
        health(TABLE, threshold=-1)
    with pytest.raises(InputError, match="threshold"):
        health(TABLE, threshold=math.nan)


def test_the_figures_over_the_steps() -> None:
    steps = health(TABLE).steps
    np.testing.assert_allclose(steps["step"], [1, 2, 3])
    np.testing.assert_allclose(steps["zero_variance"], [1, 1 / 3, 0])
    np.testing.assert_allclose(steps["all_pass"], [1 / 3, 0, 0])
    np.testing.assert_allclose(steps["reward_mean_informative"], [np.nan, 1 / 3, np.nan])


def test_a_float32_deviation_of_equal_scores_is_not_always_zero() -> None:
    table = of(*[[0.2] * 8, [0.7] * 7, [1000.1] * 8, [0.1] * 7, [0.1] * 11, [0.3] * 13], [1, 0])
    exact = health(table).summary["zero_variance"]
    assert exact == pytest.approx(6 / 7)
    assert health(table).summary["frac_reward_zero_std"] < exact
    assert health(of([1, 1], [0, 0], [1, 0])).summary["frac_reward_zero_std"] == pytest.approx(2 / 3)


def test_the_suggested_threshold_is_one_candidate_across_the_widest_gap() -> None:
    binary = of(*[[1, 0, 0, 0]] * 10)
    assert suggested_threshold(binary) == pytest.approx(math.sqrt(3) / 4, abs=0.01)
    found = health(binary, threshold=suggested_threshold(binary) or 0)
    assert found.shares["low_variance"] == 0  # groups on it are not below it
    shaped = of(*[[1, 0, 0, 0]] * 10, *[[0.02, 0.01, 0, 0.03]] * 10)
    found = health(shaped, threshold=suggested_threshold(shaped) or 0)
    assert found.shares["low_variance"] == 0.5
    assert suggested_threshold(of([1, 1], [1, 1])) is None
    assert suggested_threshold(of(*[[0, 5e-324]] * 9)) is None
    stray = of(*[[1, 0, 0, 0]] * 60, [-500, 0, 0, 0])
    assert suggested_threshold(stray) == suggested_threshold(binary)


def test_the_json_has_every_name_that_is_asked_for() -> None:
    table = sample("table")
    mapping = as_mapping(table, health(table, Setting(eta=2)), None)
    asked = "format rows rows_unreadable groups candidates zero_variance all_fail all_pass other_constant low_variance"
    assert set(f"{asked} sigma mean_abs_q_minus_p argmax_moved frac_reward_zero_std".split()) <= set(mapping)
    assert mapping["zero_variance"] == pytest.approx(
        sum(mapping[k] for k in ("all_fail", "all_pass", "other_constant"))
    )
    assert mapping["unreadable"] == {"score is no finite number": {"rows": 1, "first": ["rollouts.csv, row 17"]}}


def test_a_figure_that_nobody_asks_for_is_not_computed() -> None:
    found = health(TABLE)
    assert found.summary["mean_abs_q_minus_p"] > 0
    assert found.steps["reward_mean"].shape == (3,)
    assert "kl" not in vars(found.numbers.target)
    assert found.steps["kl_q_p"].shape == (3,)
    assert "kl" in vars(found.numbers.target)
