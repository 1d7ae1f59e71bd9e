"""One implementation for NumPy and JAX: whose namespace and whose dtype."""

import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.group.arrays import as_arrays, masked_log_softmax, masked_max, masked_min


def test_plain_numbers_become_float64_numpy() -> None:
    xp, (a, b) = as_arrays([1, 2], 3)
    assert xp is np
    assert a.dtype == b.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numpy_keeps_its_dtype(dtype: type) -> None:
    _, (a, eta) = as_arrays(np.ones(2, dtype), 0.5)
    assert a.dtype == eta.dtype == dtype


def test_one_jax_array_makes_all_of_them_jax_of_its_dtype() -> None:
    xp, found = as_arrays(np.ones(2), jnp.ones(2, jnp.float32), np.float64(0.5), [1, 2])
    assert xp.__name__ == "jax.numpy"
    assert all(hasattr(a, "at") and a.dtype == jnp.float32 for a in found)


def test_integers_become_floats() -> None:
    assert as_arrays(np.array([1, 0]))[1][0].dtype == np.float64
    assert as_arrays(jnp.array([1, 0]))[1][0].dtype == jnp.float32


def test_reductions_over_nothing() -> None:
    x, nothing = np.array([1.0, 2.0]), np.array([False, False])
    assert masked_max(np, x, nothing) == masked_min(np, x, nothing) == 0
    assert np.all(np.isneginf(masked_log_softmax(np, x, nothing)))
    assert np.all(np.isneginf(masked_log_softmax(np, np.full(2, -np.inf), ~nothing)))
