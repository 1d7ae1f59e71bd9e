"""Statistics over seeds, by hand."""

import math

import numpy as np

from tpo_lab.experiments.summaries import first_below, joined, summarise


def test_mean_standard_error_range_and_count_leave_undefined_values_out() -> None:
    summary = summarise(np.array([[1, 2, 3, 6], [5, np.nan, np.nan, 7], [4, np.nan, np.nan, np.nan], [np.nan] * 4]))
    np.testing.assert_allclose(summary.mean, [3, 6, 4, np.nan])
    # Sample variance 14 / 3 over 4 seeds; 2 over 2 seeds; one seed has no spread.
    np.testing.assert_allclose(summary.standard_error, [math.sqrt(14 / 3 / 4), 1, np.nan, np.nan])
    np.testing.assert_array_equal(summary.low, [1, 5, 4, np.nan])
    np.testing.assert_array_equal(summary.high, [6, 7, 4, np.nan])
    np.testing.assert_array_equal(summary.n, [4, 2, 1, 0])


def test_chunks_join_to_the_whole() -> None:
    values = np.random.default_rng(0).random((7, 5))
    whole = summarise(values)
    parts = joined([summarise(values[:2]), summarise(values[2:])])
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)
    assert all(len(column) == 0 for column in joined([]))


def test_the_first_step_below_a_threshold() -> None:
    assert first_below(np.array([0.5, 0.01, 0.009, 0.02]), 0.01) == 2
    assert first_below(np.array([0.5, np.nan]), 0.01) is None
    assert first_below(np.array([]), 0.01) is None
