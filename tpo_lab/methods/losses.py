"""The loss of every method, under the name it has in `METHODS`.

Axes: `...` any leading axes (prompts B; prompts and positions B, H), `N` what a loss compares or adds up, always last:
the K candidates of a group (`candidates`, `tokens`), or the H tokens of one sample (`none`).

Every loss is `loss(log_p, log_p_old, signal, **knobs) -> (value, aux)`:

    log_p      log-probs under the policy that is trained, shape (..., N)
    log_p_old  the same under the behaviour policy, a constant of the update, shape (..., N)
    signal     scores of the candidates (groups), advantages of the tokens (`none`), or 1 on the label (CE): (..., N)
    value      one loss per group or sample, summed over N, shape (...); the batch takes their mean

so a batch is the map of its groups. What compares candidates treats NaN as a missing score.
"""

from collections.abc import Mapping
from typing import Protocol

from jax import Array

from tpo_lab.methods.losses_aux import Aux
from tpo_lab.methods.losses_group import (
    awr,
    cross_entropy_loss,
    dapo,
    dr_grpo,
    group_pg,
    grpo,
    grpo_masked,
    grpo_no_kl,
    gspo,
    max_rl,
    pmpo,
    rebel,
    rloo,
    tpo,
    tpo_no_anchor,
)
from tpo_lab.methods.losses_token import dg, pg, ppo
from tpo_lab.methods.registry import METHODS

__all__ = ["LOSSES", "Aux", "Loss", "loss_of"]


class Loss(Protocol):
    """A loss as the module describes it; a method's knobs are keywords."""

    def __call__(self, log_p: Array, log_p_old: Array, signal: Array, /) -> tuple[Array, Aux]: ...


LOSSES: Mapping[str, Loss] = {
    "tpo": tpo,
    "dg": dg,
    "grpo": grpo,
    "pg": pg,
    "ppo": ppo,
    "tpo_no_anchor": tpo_no_anchor,
    "group_pg": group_pg,
    "grpo_no_kl": grpo_no_kl,
    "grpo_masked": grpo_masked,
    "tpo_token": tpo,
    "grpo_token": grpo,
    "ce": cross_entropy_loss,
    "rloo": rloo,
    "dr_grpo": dr_grpo,
    "dapo": dapo,
    "gspo": gspo,
    "awr": awr,
    "rebel": rebel,
    "pmpo": pmpo,
    "max_rl": max_rl,
}


def loss_of(name: str) -> Loss:
    """The loss of a method.

    Raises:
        InputError: if the name is unknown; the message lists the known ones.
    """
    return LOSSES[METHODS[name].name]
