"""The choices under which a table is judged: method, rule, temperature, policy, and what is masked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import parse_number, write_number
from tpo_lab.group.rules import RULES
from tpo_lab.group.verdict import LOW_SIGMA
from tpo_lab.methods.registry import METHODS

Policy = Literal["file", "uniform"]
LogProb = Literal["sum", "mean"]
Missing = Literal["drop", "zero", "stack"]

# What a method's loss reads of the scores, where it leaves no choice.
RULE_OF: Mapping[str, str] = {"rloo": "rloo", "dr_grpo": "dr_grpo", "max_rl": "prime_rl_max_rl", "awr": "dr_grpo"}
# Rules whose stack gives a candidate without a score the score 0; the others leave it out (see `Rule.missing`).
MISSING_SCORES_ZERO = frozenset({"trl_rloo", "trl_rloo_batch"})
COMPARED = ("tpo", "tpo_no_anchor", "group_pg", "grpo", "rloo", "dr_grpo", "max_rl", "awr")
"""Methods whose weights in the first step of a group follow from its scores and p_old alone."""


@dataclass(frozen=True)
class Setting:
    """How the groups of a file are turned into an update.

    Attributes:
        method: a name in `COMPARED`.
        rule: a name in `RULES`; some methods have their own (`RULE_OF`).
        eta: temperature > 0.
        strength: of a robust rule.
        policy: the file's log-probs, or uniform.
        log_prob: of a whole answer: the sum over its tokens, or their mean.
        missing: a candidate without a score is left out, scores 0, or is what the rule's stack makes of it.
        mask: groups whose sigma is not above this give no update; below 0: none is masked.

    Raises:
        InputError: for an unknown name or a number out of range.
    """

    method: str = "tpo"
    rule: str = "tpo_paper"
    eta: float = 1.0
    strength: float | None = None
    policy: Policy = "file"
    log_prob: LogProb = "sum"
    missing: Missing = "drop"
    mask: float = -1.0

    def __post_init__(self) -> None:
        if self.method not in COMPARED:
            known = ", ".join(COMPARED)
            raise InputError("method", f"Unknown method {shown(self.method)} for a whole file; known: {known}.")
        rule = RULES[self.rule]
        own = RULE_OF.get(self.method)
        if own is not None and rule.name != own:
            raise InputError("rule", f"{METHODS[self.method].label} has its own rule, {own!r}.")
        if not 0 < self.eta < float("inf"):
            raise InputError("eta", f"eta must be greater than 0, not {self.eta:g}.")
        if self.strength is not None and (rule.tunable is None or not 0 < self.strength < float("inf")):
            raise InputError("strength", "Only the robust rules have a strength, and it is greater than 0.")
        if self.policy not in ("file", "uniform") or self.log_prob not in ("sum", "mean"):
            raise InputError("policy", "The policy is file or uniform, and its log-probs are a sum or a mean.")
        if self.missing not in ("drop", "zero", "stack"):
            raise InputError("missing", f"A missing score is drop, zero or stack, not {shown(self.missing)}.")
        if not -1 <= self.mask < float("inf"):
            raise InputError("mask", f"The mask must be a spread of scores from 0 up, not {self.mask:g}.")

    @property
    def missing_is_zero(self) -> bool:
        """Whether a candidate without a score scores 0."""
        return self.missing == "zero" or (self.missing == "stack" and self.rule in MISSING_SCORES_ZERO)

    def to_query(self, prefix: str = "") -> dict[str, str]:
        """The setting as URL parameters; defaults are left out."""
        texts = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value != getattr(Setting, name):
                texts[prefix + name] = value if isinstance(value, str) else write_number(value)
        return texts

    @classmethod
    def from_query(cls, query: Mapping[str, str], prefix: str = "") -> Self:
        """The setting of URL parameters; others are not looked at.

        Raises:
            InputError: for wrong values.
        """
        values: dict[str, object] = {}
        for name in cls.__dataclass_fields__:
            if (text := query.get(prefix + name)) is not None:
                values[name] = parse_number(text, name) if name in ("eta", "strength", "mask") else text
        return cls(**values)  # type: ignore[arg-type]  # checked on the way in


DEFAULT_THRESHOLD = LOW_SIGMA
