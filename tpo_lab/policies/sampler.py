"""The one sampler: K outputs of each prompt, token by token, with keys and values kept. Axes as in `transformer`."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab.policies.layers import causal
from tpo_lab.policies.transformer import Params, Shape, block_of, embed, finish, project, read_out

Cache = tuple[Array, Array]  # keys and values of one layer


def sample(params: Params, shape: Shape, prompts: Array, uniforms: Array) -> tuple[Array, Array]:
    """Write K outputs of each prompt from the policy.

    Args:
        prompts: tokens, (B, H).
        uniforms: numbers uniform in [0, 1), (B, K, H): each decides its token, see `pick`.

    Returns:
        The tokens (B, K, H), and the log-probabilities (B, K, H, V) that each was drawn from.
    """
    b, outputs, h = uniforms.shape
    read, log_p = _read(params, shape, prompts)
    places = max(h - 1, 1)  # what is written last is never read
    empty = jnp.zeros((b, outputs, places, shape.heads, shape.width // shape.heads))
    written: list[Cache] = [(empty, empty)] * shape.layers
    log_p = jnp.broadcast_to(log_p[:, None], (b, outputs, shape.vocabulary))

    def step(
        carry: tuple[list[Cache], Array], place: tuple[Array, Array]
    ) -> tuple[tuple[list[Cache], Array], tuple[Array, Array]]:
        t, uniform = place
        caches, log_p = _write(params, shape, read, carry[0], carry[1], t)
        token = pick(log_p, uniform)
        return (caches, token), (token, log_p)

    first = pick(log_p, uniforms[..., 0])
    places_after = (jnp.arange(h - 1), jnp.moveaxis(uniforms[..., 1:], -1, 0))
    _, (tokens, later) = lax.scan(step, (written, first), places_after)
    return (
        jnp.concatenate([first[..., None], jnp.moveaxis(tokens, 0, -1)], axis=-1),
        jnp.concatenate([log_p[:, :, None], jnp.moveaxis(later, 0, 2)], axis=2),
    )


def pick(log_p: Array, uniform: Array) -> Array:
    """The token (...) at which the cumulative probability of log_p (..., V) passes a uniform number (...)."""
    cumulative = jnp.cumsum(jnp.exp(log_p[..., :-1]), axis=-1)
    return jnp.sum(uniform[..., None] >= cumulative, axis=-1)


def _read(params: Params, shape: Shape, prompts: Array) -> tuple[list[Cache], Array]:
    """Keys and values (B, H, A, E) of the prompts in each layer, and log-probs (B, V) of the first token."""
    x = embed(params, prompts) + params.positions[: shape.length]
    caches = []
    for layer in range(shape.layers):
        block = block_of(params, layer)
        q, k, v = project(block, shape, x)
        caches.append((k, v))
        weights = jax.nn.softmax(causal(jnp.einsum("bthe,bshe->bhts", q, k)))
        x = finish(block, x, jnp.einsum("bhts,bshe->bthe", weights, v))
    return caches, read_out(params, x[:, -1])


def _write(
    params: Params, shape: Shape, read: list[Cache], written: list[Cache], token: Array, t: Array
) -> tuple[list[Cache], Array]:
    """One token further: token (B, K) stands at place t of the outputs; log-probs (B, K, V) of the one after it."""
    x = embed(params, token) + params.positions[shape.length + t]
    caches = []
    places = written[0][0].shape[2]
    past = jnp.arange(places) <= t
    for layer in range(shape.layers):
        block = block_of(params, layer)
        q, k, v = project(block, shape, x)
        keys, values = (
            lax.dynamic_update_slice_in_dim(old, new[:, :, None], t, axis=2)
            for old, new in zip(written[layer], (k, v), strict=True)
        )
        caches.append((keys, values))
        prompt_keys, prompt_values = read[layer]
        to_prompt = jnp.einsum("bkhe,bshe->bkhs", q, prompt_keys)
        to_own = jnp.where(past, jnp.einsum("bkhe,bkshe->bkhs", q, keys), -jnp.inf)
        weights = jax.nn.softmax(jnp.concatenate([to_prompt, to_own], axis=-1))
        on_prompt, on_own = lax.split(weights, (shape.length, places), axis=3)
        gathered = jnp.einsum("bkhs,bshe->bkhe", on_prompt, prompt_values)
        x = finish(block, x, gathered + jnp.einsum("bkhs,bkshe->bkhe", on_own, values))
    return caches, read_out(params, x)
