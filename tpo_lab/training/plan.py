"""What fixes the machine code of a run of token reversal, apart from what only changes its numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from jax import lax
from jax.typing import ArrayLike

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS
from tpo_lab.policies.transformer import Shape
from tpo_lab.tasks.reversal import Reward, Target
from tpo_lab.training.families import family_of
from tpo_lab.training.optimiser import Partition

BLOCK = 2**16  # numbers of the residual stream that one core reads at a time


@dataclass(frozen=True)
class Plan:
    """A method, or a family of them, under one configuration: names and sizes. Another plan is another compilation."""

    methods: tuple[str, ...]
    target: Target
    reward: Reward
    partition: Partition
    shape: Shape
    prompts: int
    outputs: int  # of each prompt
    candidates: int  # K
    rule: str | None = None  # of standardisation, where the method's own is not meant
    mean: bool = False  # over a candidate's tokens, where the method would take the sum
    anchored: bool = False  # to the initial policy

    @property
    def group(self) -> str:
        """What the methods compare: `candidates`, `tokens` or `none`."""
        return METHODS[self.methods[0]].group

    @property
    def drawing(self) -> "Plan":
        """The plan of all whose rollouts are drawn and scored alike."""
        alike = next(name for name, method in METHODS.items() if method.group == self.group)
        return replace(self, methods=(alike,), partition="reference", rule=None, mean=False, anchored=False)


class Numbers(NamedTuple):
    """What may change without compiling again; all of it enters the machine code as an argument.

    NumPy's until then: to make scalars with JAX compiles a program for each type.
    """

    method: ArrayLike  # its place in the plan
    learning_rate: ArrayLike
    epochs: ArrayLike
    knobs: dict[str, dict[str, ArrayLike]]  # of each method of the plan


def plan_of(config: ReversalConfig, method: str) -> tuple[Plan, Numbers]:
    """The plan and the numbers of one method of a configuration.

    Raises:
        InputError: if the configuration does not allow the method.
    """
    prompts, outputs, learning_rate = config.budget(method)
    methods = family_of(config, method)
    knobs: dict[str, dict[str, ArrayLike]] = {
        m: {name: np.float32(value) for name, value in config.knobs(m).items()} for m in methods
    }
    plan = Plan(
        methods=methods,
        target=cast(Target, config.target),
        reward=cast(Reward, config.reward),
        partition=cast(Partition, config.partition),
        shape=Shape(config.vocabulary, config.length, config.width, config.heads, config.layers),
        prompts=prompts,
        outputs=outputs,
        candidates=config.candidates,
        rule=config.rule_of(method),
        mean=config.averages_tokens(method),
        anchored="anchor" in knobs[method],
    )
    place, epochs = methods.index(method), config.epochs_of(method)
    return plan, Numbers(np.int32(place), np.float32(learning_rate), np.int32(epochs), knobs)


def of_method(plan: Plan, numbers: Numbers, what: Callable[..., Any], *args: Any) -> Any:
    """`what(method, *args)` of the method that the numbers name."""
    return lax.switch(numbers.method, [partial(what, name) for name in plan.methods], *args)


def blocks(plan: Plan) -> int:
    """Into how many blocks of prompts a gradient is cut: the divisor of B that fits the caches of one core best.

    A core takes blocks of 2^16 numbers (tokens times D) through the layers a fifth faster than the whole batch of the
    paper, which it would fetch from memory again for every layer.
    """
    h = plan.shape.length
    numbers = plan.prompts * (h + plan.outputs * (h - 1)) * plan.shape.width
    divisors = [n for n in range(1, plan.prompts + 1) if plan.prompts % n == 0]
    return min(divisors, key=lambda n: abs(math.log(numbers / n / BLOCK)))
