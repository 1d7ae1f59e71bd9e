"""Token reversal as one would first write it: what the engine is measured against, and checked against in the tests.

Every sequence is read in full, a prompt once per output, and decoding reads it again for every token. Parameters and
random numbers are the engine's, so that both compute the same thing.
"""

from typing import Any

import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jax import Array

from tpo_lab.methods.losses import loss_of
from tpo_lab.policies.transformer import Params, Shape
from tpo_lab.tasks.reversal import candidate_rewards, rewards, wanted
from tpo_lab.training.optimiser import optimiser
from tpo_lab.training.plan import Numbers, Plan


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


def sample(params: Params, shape: Shape, prompts: Array, uniforms: Array) -> Array:
    """(B, K, H): one forward pass over all 2H places per token, with the sampler's random numbers."""
    b, outputs, h = uniforms.shape
    tokens = jnp.zeros((b, outputs, h), dtype=jnp.int32)
    for t in range(h):
        log_p = log_probs(params, shape, prompts, tokens)[:, :, t]
        above = jnp.cumsum(jnp.exp(log_p), axis=-1) > uniforms[:, :, t, None]
        tokens = tokens.at[:, :, t].set(jnp.where(above.any(-1), jnp.argmax(above, axis=-1), shape.vocabulary - 1))
    return tokens


def episode(plan: Plan, method: str, numbers: Numbers, params: Params, moments: Any, key: Array) -> tuple[Params, Any]:
    """One episode of a grouped method with its gradient epochs; `key` is the one that the engine's episode gets."""
    b, k, h, v = plan.prompts, plan.outputs, plan.shape.length, plan.shape.vocabulary
    tokens = plan.group == "tokens"
    uniforms = jax.random.uniform(key, (b, h, 1 + k + (plan.candidates - 1 if tokens else 0)))
    prompts = (uniforms[:, :, 0] * v).astype(jnp.int32)
    outputs = sample(params, plan.shape, prompts, jnp.moveaxis(uniforms[:, :, 1 : 1 + k], 2, 1))
    right = wanted(prompts, plan.target, v)
    if tokens:
        behaviour = _prefix_log_probs(params, plan.shape, prompts, outputs[:, 0])
        above = jnp.cumsum(jnp.exp(behaviour), axis=-1)[:, :, None] > uniforms[:, :, 2:, None]
        others = jnp.where(above.any(-1), jnp.argmax(above, axis=-1), v - 1)
        candidates = jnp.concatenate([outputs[:, 0, :, None], others], axis=-1)
        scores = candidate_rewards(outputs[:, 0] == right, candidates == right[..., None], plan.reward)
    else:
        scores = rewards(outputs == right[:, None], plan.reward).sum(-1)

    def log_p(params: Params) -> Array:
        if tokens:
            every = _prefix_log_probs(params, plan.shape, prompts, outputs[:, 0])
            return jnp.take_along_axis(every, candidates, axis=-1)
        every = log_probs(params, plan.shape, prompts, outputs)
        return jnp.take_along_axis(every, outputs[..., None], axis=-1)[..., 0].sum(-1)

    def loss(params: Params, old: Array) -> Array:
        return loss_of(method)(log_p(params), old, scores, **numbers.knobs[method])[0].sum() / b

    old = log_p(params)
    update = optimiser(numbers.learning_rate, plan.partition).update

    def epoch(_: Array, carry: tuple[Params, Any]) -> tuple[Params, Any]:
        params, moments = carry
        updates, moments = update(jax.grad(loss)(params, old), moments, params)
        return optax.apply_updates(params, updates), moments

    done: tuple[Params, Any] = jax.lax.fori_loop(0, numbers.epochs, epoch, (params, moments))
    return done


def _prefix_log_probs(params: Params, shape: Shape, prompts: Array, output: Array) -> Array:
    """(B, H, V): the state before each token of output (B, H) read as a sequence of its own, H copies of all."""
    b, h = prompts.shape
    seen = jnp.where(jnp.arange(h) < jnp.arange(h)[:, None], output[:, None], 0)
    every = log_probs(params, shape, prompts, seen)
    return every[:, jnp.arange(h), jnp.arange(h)].reshape(b, h, shape.vocabulary)
