"""The causal transformer that writes H tokens after a prompt of H tokens. Pure `init` and `log_probs`.

Axes: `B` prompts, `K` outputs of each, `H` tokens of a prompt and of an output, `V` vocabulary, `D` width, `L` layers,
`A` attention heads, `E` = D / A.

Pre-norm, learned positions for 2H tokens, GELU (tanh), biases everywhere, layer norm at the end.

Source: arXiv 2604.06159, token reversal. The paper has 4 heads, its reference code 2; the default here is 2. Both come
near Table 1, 4 heads a little nearer: TPO per token needs 50 and 54 episodes at V = 2 (paper: 58; three seeds), 120 and
118 at V = 16 (paper: 102; three and two seeds).
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from tpo_lab.policies.layers import causal, dense, gather, gelu, norm, pick_rows, score, softmax


@dataclass(frozen=True)
class Shape:
    """What fixes the sizes of all parameters."""

    vocabulary: int
    length: int
    width: int = 64
    heads: int = 2
    layers: int = 2


class Blocks(NamedTuple):
    """The layers, stacked along a leading axis L."""

    norm_scale: Array  # (L, 2, D): before attention, before the feed-forward part
    norm_bias: Array  # (L, 2, D)
    attention: Array  # (L, D, 3, D): queries, keys, values
    attention_bias: Array  # (L, 3D)
    join: Array  # (L, D, D): the heads back into the residual
    join_bias: Array  # (L, D)
    up: Array  # (L, D, 4D)
    up_bias: Array  # (L, 4D)
    down: Array  # (L, 4D, D)
    down_bias: Array  # (L, D)


class Params(NamedTuple):
    """All parameters of the policy."""

    embedding: Array  # (V, D)
    positions: Array  # (2H, D)
    blocks: Blocks
    norm_scale: Array  # (D,)
    norm_bias: Array  # (D,)
    output: Array  # (D, V)
    output_bias: Array  # (V,)


def init(key: Array, shape: Shape) -> Params:
    """LeCun normal kernels, embedding of deviation D^-1/2, positions of .02, zero biases, unit scales."""
    v, h, d, layers = shape.vocabulary, shape.length, shape.width, shape.layers
    keys = jax.random.split(key, 7)
    lecun = jax.nn.initializers.lecun_normal(batch_axis=0)
    blocks = Blocks(
        norm_scale=jnp.ones((layers, 2, d)),
        norm_bias=jnp.zeros((layers, 2, d)),
        attention=lecun(keys[0], (layers, d, 3 * d)).reshape(layers, d, 3, d),
        attention_bias=jnp.zeros((layers, 3 * d)),
        join=lecun(keys[1], (layers, d, d)),
        join_bias=jnp.zeros((layers, d)),
        up=lecun(keys[2], (layers, d, 4 * d)),
        up_bias=jnp.zeros((layers, 4 * d)),
        down=lecun(keys[3], (layers, 4 * d, d)),
        down_bias=jnp.zeros((layers, d)),
    )
    return Params(
        embedding=jax.random.normal(keys[4], (v, d)) * d**-0.5,
        positions=jax.random.normal(keys[5], (2 * h, d)) * 0.02,
        blocks=blocks,
        norm_scale=jnp.ones(d),
        norm_bias=jnp.zeros(d),
        output=lecun(keys[6], (1, d, v))[0],
        output_bias=jnp.zeros(v),
    )


def log_probs(params: Params, shape: Shape, prompts: Array, outputs: Array) -> Array:
    """log pi(. | prompt, output before t) at every position t of every output, in one causal pass.

    A prompt is read once for its K outputs: the layers see H + K (H - 1) tokens per prompt in place of K (2H - 1).

    Args:
        prompts: tokens, (B, H).
        outputs: tokens, (B, K, H); the last one of each is predicted, never read.

    Returns:
        (B, K, H, V) log-probabilities, in nats.
    """
    b, k, h = outputs.shape
    x = jnp.concatenate(
        [
            embed(params, prompts) + params.positions[:h],
            (embed(params, outputs[..., :-1]) + params.positions[h:-1]).reshape(b, k * (h - 1), shape.width),
        ],
        axis=1,
    )
    for layer in range(shape.layers):
        block = block_of(params, layer)
        q, keys, values = project(block, shape, x)
        x = finish(block, x, _attend(q, keys, values, k, h))
    _, last, rest = lax.split(x, (h - 1, 1, k * (h - 1)), axis=1)
    first = jnp.broadcast_to(last[:, None], (b, k, 1, shape.width))
    return read_out(params, jnp.concatenate([first, rest.reshape(b, k, h - 1, shape.width)], axis=2))


def embed(params: Params, tokens: Array) -> Array:
    """Embeddings (..., D) of tokens (...)."""
    rows: Array = pick_rows(jax.nn.one_hot(tokens, params.embedding.shape[0]), params.embedding)
    return rows


def block_of(params: Params, layer: int) -> Blocks:
    """The parameters of one layer. Layers are unrolled: two of them compile and run faster than a scan."""
    return Blocks(*(a[layer] for a in params.blocks))


def unstacked(params: Params) -> Params:
    """The same parameters, those of each layer apart, in the same order: the derivative of a slice is a padded copy."""
    layers = range(params.blocks.join.shape[0])
    return params._replace(blocks=Blocks(*(tuple(a[layer] for layer in layers) for a in params.blocks)))  # type: ignore[arg-type]


def project(block: Blocks, shape: Shape, x: Array) -> tuple[Array, Array, Array]:
    """Queries (scaled by E^-1/2), keys and values of x (..., D), each (..., A, E)."""
    d, a = shape.width, shape.heads
    y = norm(x, block.norm_scale[0], block.norm_bias[0])
    # A split has a concatenation as its derivative; slices would have three padded copies.
    parts = lax.split(dense(y, block.attention.reshape(d, 3 * d), block.attention_bias), (d, d, d), axis=x.ndim - 1)
    q, k, v = (part.reshape(*x.shape[:-1], a, d // a) for part in parts)
    return q * (d // a) ** -0.5, k, v


def finish(block: Blocks, x: Array, attended: Array) -> Array:
    """The residual stream after a layer: x (..., D) and what its heads gathered (..., A, E)."""
    x = x + dense(attended.reshape(x.shape), block.join, block.join_bias)
    y = norm(x, block.norm_scale[1], block.norm_bias[1])
    return x + dense(gelu(dense(y, block.up, block.up_bias)), block.down, block.down_bias)


def read_out(params: Params, x: Array) -> Array:
    """Log-probabilities (..., V) of the next token from the residual stream (..., D)."""
    y = norm(x, params.norm_scale, params.norm_bias)
    return jax.nn.log_softmax(dense(y, params.output, params.output_bias))


def _attend(q: Array, k: Array, v: Array, outputs: int, length: int) -> Array:
    """Causal attention over a prompt and its K outputs laid end to end, (B, H + K (H - 1), A, E).

    A token of an output sees the prompt and the tokens before it in the same output. The outputs share the prompt's
    keys, so they are folded into one query axis there; keys of their own are a second, small product.
    """
    b, _, a, e = q.shape
    rest = length - 1
    # Heads come first from here on, once: left to the products below, the compiler copies more and compiles longer.
    q, k, v = (jnp.moveaxis(t, 2, 1) for t in (q, k, v))
    (qp, qo), (kp, ko), (vp, vo) = (lax.split(t, (length, outputs * rest), axis=2) for t in (q, k, v))
    gathered = gather(softmax(causal(score(qp, kp))), vp)
    if rest:
        own_q, own_k, own_v = (t.reshape(b, a, outputs, rest, e) for t in (qo, ko, vo))
        to_own = causal(score(own_q, own_k)).reshape(b, a, outputs * rest, rest)
        weights = softmax(jnp.concatenate([score(qo, kp), to_own], axis=-1))
        on_prompt, on_own = lax.split(weights, (length, rest), axis=3)
        own = gather(on_own.reshape(b, a, outputs, rest, rest), own_v).reshape(b, a, outputs * rest, e)
        gathered = jnp.concatenate([gathered, gather(on_prompt, vp) + own], axis=2)
    return jnp.moveaxis(gathered, 1, 2)
