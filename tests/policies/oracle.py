"""The obvious transformer: every sequence read in full, layer by layer, from the same parameters. Slow and plain."""

import jax
import jax.numpy as jnp
from jax import Array

from tpo_lab.policies.transformer import Params, Shape


def norm(x: Array, scale: Array, bias: Array) -> Array:
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6) * scale + bias


def forward(params: Params, shape: Shape, tokens: Array) -> Array:
    """Log-probs (n, T, V) of the next token after each of tokens (n, T)."""
    n, t = tokens.shape
    d, a = shape.width, shape.heads
    x = params.embedding[tokens] + params.positions[:t]
    for layer in range(shape.layers):
        b = jax.tree.map(lambda p, layer=layer: p[layer], params.blocks)
        y = norm(x, b.norm_scale[0], b.norm_bias[0])
        q, k, v = (
            (y @ b.attention[:, i] + b.attention_bias[i * d : (i + 1) * d]).reshape(n, t, a, d // a) for i in range(3)
        )
        scores = jnp.einsum("nqae,nkae->naqk", q, k) / jnp.sqrt(d // a)
        scores = jnp.where(jnp.arange(t)[:, None] >= jnp.arange(t), scores, -1e9)
        heads = jnp.einsum("naqk,nkae->nqae", jax.nn.softmax(scores), v)
        x = x + heads.reshape(n, t, d) @ b.join + b.join_bias
        y = norm(x, b.norm_scale[1], b.norm_bias[1])
        x = x + jax.nn.gelu(y @ b.up + b.up_bias, approximate=True) @ b.down + b.down_bias
    y = norm(x, params.norm_scale, params.norm_bias)
    return jax.nn.log_softmax(y @ params.output + params.output_bias)


def log_probs(params: Params, shape: Shape, prompts: Array, outputs: Array) -> Array:
    """(B, K, H, V): every output read after a copy of its prompt."""
    b, k, h = outputs.shape
    copies = jnp.broadcast_to(prompts[:, None], (b, k, h))
    tokens = jnp.concatenate([copies, outputs], axis=-1).reshape(b * k, 2 * h)
    return forward(params, shape, tokens)[:, h - 1 : -1].reshape(b, k, h, shape.vocabulary)


def sample(params: Params, shape: Shape, prompts: Array, key: Array, outputs: int) -> Array:
    """(B, K, H): one forward pass over all 2H places per token, with the sampler's random numbers."""
    b, h = prompts.shape
    tokens = jnp.zeros((b, outputs, h), dtype=jnp.int32)
    for t in range(h):
        log_p = log_probs(params, shape, prompts, tokens)[:, :, t]
        tokens = tokens.at[:, :, t].set(jax.random.categorical(jax.random.fold_in(key, t), log_p))
    return tokens
