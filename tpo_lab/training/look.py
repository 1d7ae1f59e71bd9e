"""One batch of token reversal as it is kept for people to look into: what a step saw, and what it made of it.

Importing this loads no JAX: pages read it too.
"""

from typing import Any, NamedTuple

GROUPS = 32  # prompts of a batch that are kept at most
NUMBERS = 2**15  # log-probs of a batch that are kept at most, unless four prompts have more
KEPT = 40  # batches of a lane, about


class Look(NamedTuple):
    """The first G prompts of one batch, arrays of JAX or NumPy.

    `...` and N as in `tpo_lab.training.rollouts`: (G, K) for groups of outputs, (G, H, K) for groups of next tokens,
    and (G, H) for single samples.
    """

    prompts: Any  # tokens, (G, H)
    wanted: Any  # the right output of each, (G, H)
    outputs: Any  # what was written, (G, K', H); K' = 1 unless outputs are compared
    candidates: Any  # (G, H, K) next tokens, the one that was written first; K = 0 unless tokens are compared
    rewards: Any  # of each token that was written, 0 or 1, (G, K', H)
    token_log_p: Any  # log-prob of each token that was written, under the behaviour policy, (G, K', H)
    signal: Any  # scores or advantages, (..., N)
    log_p_old: Any  # of what the loss compares, under the behaviour policy, (..., N)
    log_p_last: Any  # the same at the last gradient of the batch, before its step, (..., N)
    weights: Any  # what the loss weighs it by in the first epoch: q, or the advantage, (..., N)


def groups_kept(prompts: int, numbers: int) -> int:
    """G of a batch.

    Args:
        prompts: B.
        numbers: log-probs of one prompt.
    """
    return min(prompts, GROUPS, max(4, NUMBERS // numbers))


def steps_kept(total: int) -> tuple[int, ...]:
    """The steps whose batches are kept, counted from 0: close to each other at first, evenly spread over the rest."""
    early, even = KEPT * 2 // 5, KEPT * 3 // 5
    last = total - 1
    close = {round(last ** (i / (early - 1))) for i in range(early)} if last else set()
    return tuple(sorted({0} | close | {round(last * i / (even - 1)) for i in range(even)}))
