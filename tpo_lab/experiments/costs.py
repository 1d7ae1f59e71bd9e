"""What one step of a method costs, by which methods that sample or train differently are compared. Imports no JAX."""

from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig


def rollouts(config: AnyConfig, method: str) -> int:
    """Samples of the policy that a method draws per step: outputs, or actions of a bandit.

    Token reversal: prompts x candidates, of an interaction-matched method K times the prompts. Candidates for single
    tokens branch off one output each and are not counted.

    Raises:
        InputError: if the updates are exact.
    """
    if isinstance(config, ReversalConfig):
        prompts, outputs, _ = config.budget(method)
        return prompts * outputs
    if isinstance(config, DigitsConfig):
        return config.prompts
    if config.update == "exact":
        raise InputError("over", "Exact updates draw no rollouts; steps, gradient steps and seconds can be counted.")
    return config.samples * (config.contexts if isinstance(config, MultiBanditConfig) else 1)


def gradient_steps(config: AnyConfig, method: str) -> int:
    """Updates of the policy that a method takes per step: its epochs per batch, or one."""
    return config.epochs_of(method) if isinstance(config, ReversalConfig) else 1
