"""Several configurations beside each other: in what they differ, what each is called, and the sweeps of one setting."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.differences import LISTS, written
from tpo_lab.experiments.kinds import AnyConfig, kind_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS
from tpo_lab.registry import Registry

MOST = 2  # settings in a name
SYMBOLS = {
    "candidates": "K",
    "actions": "K",
    "prompts": "B",
    "samples": "B",
    "contexts": "N",
    "length": "H",
    "vocabulary": "V",
    "eta": "η",
    "alpha": "α",
    "steps": "steps",
}  # what people write; any other setting goes by its name


def symbol(name: str) -> str:
    """How a setting is called where there is little room."""
    return SYMBOLS.get(name, name.replace("_", " "))


def differing(configs: Sequence[AnyConfig]) -> dict[str, tuple[Any, ...]]:
    """The settings that not all have alike, each with every configuration's value; None where there is none."""
    fields = dict.fromkeys(name for config in configs for name in vars(config))
    table: dict[str, tuple[Any, ...]] = {"task": tuple(kind_of(config) for config in configs)}
    table |= {name: tuple(getattr(config, name, None) for config in configs) for name in fields}
    return {name: values for name, values in table.items() if any(value != values[0] for value in values)}


def said(value: Any) -> str:
    """A value of a setting as people read it."""
    return "not set" if value is None else written(value).replace("_", " ").replace(",", ", ")


def names(configs: Sequence[AnyConfig]) -> tuple[str, ...]:
    """What each is called among the others: "K = 16"; those that differ in nothing are numbered."""
    differ = differing(configs)
    told = [name for name in differ if name != LISTS] or list(differ)
    found = [
        ", ".join(f"{symbol(name)} = {said(differ[name][i])}" for name in told[:MOST]) for i in range(len(configs))
    ]
    again = Counter(found)
    if all(n == 1 for n in again.values()):
        return tuple(found)
    return tuple(f"{i}: {name}" if name else f"run {i}" for i, name in enumerate(found, 1))


@dataclass(frozen=True)
class Sweep:
    """One setting of token reversal that takes several values, a run each; or methods that one run compares.

    Attributes:
        name: of the setting, or of what the methods differ in.
        label: what people read.
        paper: what arXiv 2604.06159 found, in one sentence.
        values: that the setting takes unless others are given.
        methods: that are compared; none where a setting varies.
    """

    name: str
    label: str
    paper: str
    values: tuple[float, ...] = ()
    methods: tuple[str, ...] = ()

    def configs(self, base: ReversalConfig, values: Sequence[float] = ()) -> dict[str, ReversalConfig]:
        """What is run, by what each run is called beside the others.

        Args:
            base: all other settings.
            values: in place of its own.

        Raises:
            InputError: if a value is out of range, or no method of the base has this setting.
        """
        if self.methods:
            return {self.label: replace(base, methods=self.methods)}
        if self.name == "eta":
            base = replace(base, methods=_with_knob(base.methods, "eta"))
        changes: Iterator[dict[str, Any]] = ({self.name: value} for value in values or self.values)
        return {f"{symbol(self.name)} = {change[self.name]:g}": replace(base, **change) for change in changes}


def _with_knob(methods: Sequence[str], knob: str) -> tuple[str, ...]:
    """Those of the methods that have this constant: of the others all runs would be alike."""
    found = tuple(name for name in methods if any(k.name == knob for k in METHODS[name].knobs))
    if not found:
        known = ", ".join(m.label for m in METHODS.values() if any(k.name == knob for k in m.knobs))
        raise InputError("methods", f"None of the methods chosen has {symbol(knob)} to vary; those that have: {known}.")
    return found


SWEEPS: Registry[Sweep] = Registry(
    "sweep",
    (
        Sweep(
            "candidates",
            "Candidates K",
            "The paper at H = 8, B = 256: with K = 4, 8, 16, 32 TPO ends at 8.9, 5.2, 5.1, 2.6 %, GRPO at 19.4, 19.8, "
            "9.2, 4.4 %.",
            values=(4, 8, 16, 32),
        ),
        Sweep(
            "epochs",
            "Gradient epochs",
            "The paper at H = 8, K = 32, B = 256: with 1, 2, 4, 8, 16 epochs TPO ends at 2.3 % or less, GRPO at 4.3, "
            "37.6, 6.3, 3.3, 1.1 %.",
            values=(1, 2, 4, 8, 16),
        ),
        Sweep(
            "eta",
            "Temperature η",
            "The paper with a reward per token, H = 10: TPO per token falls below 1 % at 72, 67, 96, 141, 260.",
            values=(0.25, 0.5, 1, 2, 4),
        ),
        Sweep(
            "masking",
            "Masking",
            "The paper at H = 8, K = 32, B = 256: GRPO ends at 6.3 %; with its groups of equal scores masked, at 29.7 "
            "%; TPO at .05 %.",
            methods=("tpo", "grpo", "grpo_masked"),
        ),
        Sweep(
            "anchor",
            "Anchor",
            "The paper at H = 10, K = 8, B = 100: TPO ends at 7.4 %; without its anchor, as Group PG, and GRPO without "
            "KL, above 99 %.",
            methods=("tpo", "tpo_no_anchor", "group_pg", "grpo", "grpo_no_kl"),
        ),
    ),
)


def values_of(text: str, most: int) -> tuple[float, ...]:
    """The values of a sweep as a person types them, each once; none of an empty text.

    Args:
        most: how many there may be.

    Raises:
        InputError: if one is no number, or there are too few or too many.
    """
    found = []
    for part in text.replace(",", " ").split():
        try:
            found.append(float(part))
        except ValueError:
            raise InputError(
                "values", f"Values must be numbers, with commas between them, not {shown(part)}."
            ) from None
    values = tuple(dict.fromkeys(found))
    if text.strip() and not 2 <= len(values) <= most:
        raise InputError("values", f"A sweep takes from 2 to {most} values, not {len(values)}.")
    return values
