"""Token reversal: read H tokens, write H tokens. Targets, rewards, scores.

Axes: `...` any leading axes (prompts B, candidates K), `H` tokens.

Source: arXiv 2604.06159, token reversal (Figs. 5 to 7).
"""

from typing import Literal

import jax.numpy as jnp
from jax import Array

Target = Literal["copy", "flip", "reverse_copy", "reverse_flip"]
Reward = Literal["bag", "sequential", "terminal"]


def wanted(prompts: Array, target: Target, vocabulary: int) -> Array:
    """The right output of each prompt, (..., H): as it is, or flipped to V - 1 - x, in order or backwards."""
    tokens = vocabulary - 1 - prompts if target.endswith("flip") else prompts
    return tokens[..., ::-1] if target.startswith("reverse") else tokens


def rewards(correct: Array, reward: Reward) -> Array:
    """Reward of every token, (..., H), from which tokens are right, bool (..., H).

    bag: 1 for each right token. sequential: 1 as long as all so far are right. terminal: 1 on every token if all are.
    """
    if reward == "sequential":
        return _float(jnp.cumsum(~correct, axis=-1) == 0)
    if reward == "terminal":
        return _float(jnp.broadcast_to(jnp.all(correct, axis=-1, keepdims=True), correct.shape))
    return _float(correct)


def candidate_rewards(correct: Array, candidates_correct: Array, reward: Reward) -> Array:
    """Reward of each next-token candidate after the prefix that was written, (..., H, K).

    Args:
        correct: which written tokens are right, bool (..., H).
        candidates_correct: which candidates are right at their place, bool (..., H, K).
        reward: bag or sequential; a terminal reward says nothing about a token before the output ends.
    """
    if reward == "sequential":
        wrong_before = jnp.cumsum(~correct, axis=-1) - ~correct
        return _float(candidates_correct & (wrong_before == 0)[..., None])
    return _float(candidates_correct)


def _float(x: Array) -> Array:
    return x.astype(jnp.float32)
