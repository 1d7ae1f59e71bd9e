"""The built-in digits: the split and the scale that every figure rests on."""

import numpy as np
from sklearn.datasets import load_digits  # type: ignore[import-untyped]

from tpo_lab.tasks.digits import load


def test_the_last_500_of_the_built_in_digits_are_the_test_set() -> None:
    data = load()
    source = load_digits()
    np.testing.assert_array_equal(np.concatenate([data.train_pixels, data.test_pixels]) * 16, source.data)
    np.testing.assert_array_equal(np.concatenate([data.train_labels, data.test_labels]), source.target)
    assert (data.train_pixels.shape, data.test_pixels.shape) == ((1297, 64), (500, 64))
    assert np.bincount(data.test_labels).min() >= 46
    assert load() is data
