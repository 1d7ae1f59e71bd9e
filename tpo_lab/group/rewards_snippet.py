"""Copy as code: several rewards of one group in every order, as a program that needs nothing of this package."""

import numpy as np

from tpo_lab.group.rewards import ORDERS, Order, check
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Floats
from tpo_lab.group.snippets import LANGUAGES, in_language, indented, standardisation

_MIXED = "q_mix_targets = (weights[:, None] * xp.stack([softmax(row / eta) for row in each])).sum(0) / weights.sum()"


def rewards_snippet(
    rewards: Floats, weights: Floats, *, eta: float, rule: str, strength: float | None = None, language: str = "numpy"
) -> str:
    """A program that prints u and q in each order of `combine`, from a uniform old policy; of mixed targets q alone.

    Its names end in `_sum_first`, `_standardise_first` and `_mix_targets`.

    Args:
        rewards: shape (M, K), finite.
        weights: shape (M,); of a negative one no targets are mixed.
        eta, rule, strength: as in `combine`.
        language: a name in `LANGUAGES`.

    Raises:
        InputError: as `combine`, and for an unknown language.
    """
    check(rewards, weights)
    lib, tuned = LANGUAGES[language], RULES[rule].tuned(strength)
    rows = "".join(f"    {row!r},\n" for row in rewards.tolist())
    orders = [
        _order("sum_first", "standardise((weights[:, None] * rewards).sum(0))"),
        _order("standardise_first", "(weights[:, None] * each).sum(0)"),
    ]
    if np.all(weights >= 0):
        orders.append(f"# {ORDERS['mix_targets']}\n{_MIXED}\nprint(q_mix_targets)\n")
    text = (
        f"# Several rewards of one group. Rule: {tuned.label}\n"
        f"{lib.imports}\n\n\n"
        f"def standardise(scores):\n{indented(*standardisation(tuned), 'return u')}\n\n\n"
        f"def softmax(z):\n{indented('q = xp.exp(z - z.max())', 'return q / q.sum()')}\n\n\n"
        f"# One row a reward, one column a candidate.\n"
        f"rewards = {lib.array.format(f'[{chr(10)}{rows}]')}\n"
        f"weights = {lib.array.format(weights.tolist())}\n"
        f"eta = {eta!r}\n"
        f"each = xp.stack([standardise(row) for row in rewards])\n\n" + "\n".join(orders)
    )
    return in_language(lib, text)


def _order(name: Order, u: str) -> str:
    return f"# {ORDERS[name]}\nu_{name} = {u}\nq_{name} = softmax(u_{name} / eta)\nprint(u_{name}, q_{name})\n"
