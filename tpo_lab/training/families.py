"""Which methods of token reversal share machine code. Imports no JAX.

Methods that are run beside each other and sample alike differ in the loss of a few numbers, and nearly all of the time
to compile goes into sampling, the transformer and the optimiser.
"""

from contextlib import suppress

from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS

FAMILIES = (("tpo", "grpo"), ("tpo_token", "grpo_token"), ("dg", "ppo"))


def family_of(config: ReversalConfig, method: str) -> tuple[str, ...]:
    """The methods that share the machine code of one; alone if anything but its numbers is not as usual."""
    family = next((family for family in FAMILIES if method in family), (method,))
    usual = tuple(name for name in family if _is_usual(config, name))
    return usual if method in usual else (method,)


def _is_usual(config: ReversalConfig, method: str) -> bool:
    defaults = {knob.name for knob in METHODS[method].knobs if knob.default is not None}
    with suppress(InputError):  # a number that another method may have, and this one not
        plain = config.rule_of(method) is None and not config.averages_tokens(method)
        return plain and config.knobs(method).keys() == defaults
    return False
