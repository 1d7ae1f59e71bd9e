"""The MLP against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np

from tpo_lab.policies import mlp

init = jax.jit(mlp.init, static_argnums=1)


def test_it_is_relu_layers_and_a_log_softmax() -> None:
    params = init(jax.random.key(0), (6, 5, 4, 3))
    params = jax.tree.map(lambda x: x + 0.1, params)  # biases that count
    pixels = np.random.default_rng(0).normal(size=(2, 7, 6)).astype(np.float32)
    x = pixels.astype(np.float64)
    for i, (kernel, bias) in enumerate(params):
        x = x @ np.asarray(kernel, np.float64) + np.asarray(bias)
        x = np.maximum(x, 0) if i < 2 else x
    expected = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(mlp.log_probs(params, jnp.asarray(pixels)), expected, atol=1e-5)


def test_it_starts_with_lecun_kernels_and_zero_biases() -> None:
    (kernel, bias), *rest = init(jax.random.key(1), (784, 50, 50, 10))
    assert [k.shape for k, _ in rest] == [(50, 50), (50, 10)]
    np.testing.assert_allclose(np.std(kernel), 784**-0.5, rtol=0.02)
    assert not np.any(bias)
