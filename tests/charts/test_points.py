"""Which steps of a curve are drawn: both extremes of every bucket, and its ends."""

import numpy as np
import pytest

from tpo_lab.charts.points import MAX_POINTS, edges_of_seconds, edges_of_steps, picked


@pytest.mark.parametrize("total", [1, 5, 150, 151, 400, 10_000])
@pytest.mark.parametrize("share", [0.0, 0.37, 1.0])
def test_every_bucket_keeps_its_extremes(total: int, share: float) -> None:
    values = np.random.default_rng(total).random(round(share * total))
    values[np.random.default_rng(0).random(len(values)) < 0.3] = np.nan
    edges = edges_of_steps(total)
    picks = picked(values, edges)
    assert len(picks) <= (MAX_POINTS if total <= MAX_POINTS else MAX_POINTS // 2)
    for i, (first, second) in enumerate(picks[1:-1], 1):
        part = values[edges[i] : edges[i + 1]]
        assert edges[i] <= first <= second < edges[i + 1]
        if not np.isnan(part).all():
            assert {values[first], values[second]} == {np.nanmin(part), np.nanmax(part)}
    if len(values):
        assert (picks[0, 0], picks[-1, 1]) == (0, len(values) - 1)


def test_what_was_drawn_stays_as_the_run_goes_on() -> None:
    values, edges = np.random.default_rng(0).random(10_000), edges_of_steps(10_000)
    before, after = picked(values[:5_000], edges), picked(values, edges)
    assert np.array_equal(before[:-1], after[: len(before) - 1])


def test_a_bucket_without_a_step_repeats_the_step_before() -> None:
    found = picked(np.arange(7.0), np.array([0, 0, 3, 3, 5, 9]))
    assert found.tolist() == [[0, 0], [0, 2], [2, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("longest", [0.0, 0.01, 3.3, 86_400.0])
def test_buckets_of_seconds_reach_the_end_and_are_few(longest: float) -> None:
    edges = edges_of_seconds(longest)
    assert edges[0] == 0
    assert edges[-1] > longest
    assert len(edges) - 1 <= MAX_POINTS // 2
