"""The fast transformer and its sampler against the obvious one; initialisation; what it may see."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from tpo_lab.bench import obvious as oracle
from tpo_lab.policies.layers import dense
from tpo_lab.policies.sampler import pick, sample
from tpo_lab.policies.transformer import Params, Shape, init, log_probs
from tpo_lab.training.reversal import QUICK

jit = partial(jax.jit, compiler_options=QUICK)  # as the engine compiles it
SHAPES = [Shape(3, 4, width=16), Shape(5, 1, width=8, heads=1, layers=1)]


@partial(jit, static_argnums=0)
def moved(shape: Shape) -> Params:
    """Parameters away from their initial zeros and ones, so that a forgotten bias shows."""
    params = init(jax.random.key(0), shape)
    flat, back = ravel_pytree(params)
    moved: Params = back(flat + 0.1 * jax.random.normal(jax.random.key(1), flat.shape))
    return moved


def tokens(shape: Shape, b: int = 3, k: int = 4) -> tuple[jax.Array, jax.Array]:
    a, c = jax.random.split(jax.random.key(2))
    h, v = shape.length, shape.vocabulary
    return jax.random.randint(a, (b, h), 0, v), jax.random.randint(c, (b, k, h), 0, v)


def test_log_probs_and_their_gradient_equal_the_obvious_ones() -> None:
    shape = SHAPES[0]
    params, (prompts, outputs) = moved(shape), tokens(shape)

    def weighted(f, params: Params) -> tuple[jax.Array, jax.Array]:  # type: ignore[no-untyped-def]
        log_p = f(params, shape, prompts, outputs)
        return jnp.sum(log_p * jnp.cos(jnp.arange(log_p.size)).reshape(log_p.shape)) / log_p.size, log_p

    fast, obvious = (
        jit(jax.value_and_grad(partial(weighted, f), has_aux=True))(params) for f in (log_probs, oracle.log_probs)
    )
    np.testing.assert_allclose(fast[0][1], obvious[0][1], atol=1e-5)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), fast[1], obvious[1])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_sampler_draws_the_same_tokens_from_the_same_log_probs(shape: Shape) -> None:
    params, (prompts, _) = moved(shape), tokens(shape)
    uniforms = jax.random.uniform(jax.random.key(3), (3, 4, shape.length))
    drawn, log_p = jit(sample, static_argnums=1)(params, shape, prompts, uniforms)
    expected = jit(oracle.sample, static_argnums=1)(params, shape, prompts, uniforms)
    np.testing.assert_array_equal(drawn, expected)
    for read in (jit(oracle.log_probs, static_argnums=1), jit(log_probs, static_argnums=1)):
        np.testing.assert_allclose(log_p, read(params, shape, prompts, drawn), atol=1e-5)


def test_uniform_numbers_become_tokens_with_the_probabilities_of_the_policy() -> None:
    """A grid of 1,000 uniform numbers hits every token in proportion to its probability, and never misses."""
    p = np.array([0.2, 0.05, 0.7, 0.05])
    picked = pick(jnp.log(jnp.broadcast_to(p, (1000, 4))), (jnp.arange(1000) + 0.5) / 1000)
    np.testing.assert_array_equal(np.bincount(picked), 1000 * p)
    assert pick(jnp.log(jnp.array([0.5, 0.5 - 1e-7])), jnp.float32(0.9999999)) == 1


def test_a_token_sees_neither_itself_nor_what_follows_nor_other_outputs() -> None:
    shape = SHAPES[0]
    params, (prompts, outputs) = moved(shape), tokens(shape)
    read = jit(log_probs, static_argnums=1)
    before = read(params, shape, prompts, outputs)
    after = read(params, shape, prompts, outputs.at[:, 1, 2].set((outputs[:, 1, 2] + 1) % 3))
    changed = np.abs(after - before).max(axis=(0, 3)) > 0
    expected = np.zeros((4, 4), dtype=bool)
    expected[1, 3] = True
    np.testing.assert_array_equal(changed, expected)


def test_initial_deviations_are_the_papers() -> None:
    params = jit(init, static_argnums=1)(jax.random.key(0), Shape(16, 50))
    deviations = {
        "embedding": (params.embedding, 1 / 8),
        "positions": (params.positions, 0.02),
        "attention": (params.blocks.attention, 1 / 8),
        "join": (params.blocks.join, 1 / 8),
        "up": (params.blocks.up, 1 / 8),
        "down": (params.blocks.down, 1 / 16),
        "output": (params.output, 1 / 8),
    }
    for name, (values, expected) in deviations.items():
        assert abs(float(jnp.std(values)) / expected - 1) < 0.05, name


@pytest.mark.parametrize(("inputs", "outputs"), [(3, 5), (5, 3)])
def test_the_hand_written_derivative_of_dense_is_that_of_autodiff(inputs: int, outputs: int) -> None:
    keys = jax.random.split(jax.random.key(0), 3)
    args = [jax.random.normal(k, s) for k, s in zip(keys, [(2, 4, inputs), (inputs, outputs), (outputs,)], strict=True)]
    fast = jax.grad(lambda a: jnp.sum(jnp.sin(dense(*a))))(args)
    plain = jax.grad(lambda a: jnp.sum(jnp.sin(a[0] @ a[1] + a[2])))(args)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), fast, plain)
