"""The standardisation rules, as data: how each training stack turns the scores of one group into standardised scores.

A rule is a value, not a function, so that Python, JAX and the browser interpret the same registry.
`tpo_lab.group.standardise` holds the arithmetic.
"""

from dataclasses import dataclass, replace
from typing import Literal, Self

from tpo_lab.registry import Registry

Centre = Literal["mean", "leave_one_out"]
Scale = Literal["population", "sample", "leave_one_out", "centred", "mean", "none"]
Guard = Literal["add", "add_if_positive", "cutoff", "floor", "relative_floor", "root", "positive_mean"]
Squash = Literal["none", "clip", "tanh"]
Single = Literal["zero", "raw", "refused"]


@dataclass(frozen=True)
class Rule:
    """u_i = squash((s_i - centre_i) / guard(scale_i, amount)), over the scored candidates of one group.

    Attributes:
        name: the key, as in URLs, commands and files.
        label: the name that people read.
        centre: what is subtracted: the group mean, or the mean of the other candidates.
        scale: what divides: population (divisor K) or sample (K - 1) standard deviation, the sample deviation of the
            other candidates, that of the centred scores (K / (K - 1) times the scores' own where the centre leaves one
            out), the group mean, or nothing.
        guard: how `amount` protects the division. `add`: scale + amount. `add_if_positive`: the same where scale > 0,
            else no division. `cutoff`: scale where it exceeds the amount, else no division.
            `floor`: max(scale, amount). `relative_floor`: max(scale, amount * max |s|).
            `root`: sqrt(scale^2 + amount^2). `positive_mean`: scale + amount where scale > 0, else u = 0.
        amount: the guard's constant, in units of the score (`relative_floor`: a fraction).
        squash: `clip`: u limited to [-bound, bound]; `tanh`: bound * tanh(u / bound).
        bound: the squash's constant, in standard deviations.
        single: what the stack does with one scored candidate: 0, the raw score, or refuses to run.
        equal: what the stack does with a group of equal scores (exact arithmetic always gives 0 here).
        missing: what the stack does with a candidate without a score, where that is known; the lab leaves it out.
        source: where the rule is defined; a stack's commit is the one that was read.
    """

    name: str
    label: str
    source: str
    scale: Scale
    centre: Centre = "mean"
    guard: Guard = "add"
    amount: float = 0.0
    squash: Squash = "none"
    bound: float = 0.0
    single: Single = "zero"
    equal: str = "Kept, with no guard: a rounded mean leaks into float32 advantages."
    missing: str = ""

    @property
    def tunable(self) -> Literal["amount", "bound"] | None:
        """Which constant a person may change: only the robust rules have one; a stack's rule is what the stack does."""
        if not self.name.startswith("robust_"):
            return None
        return "bound" if self.squash != "none" else "amount"

    def tuned(self, strength: float | None) -> Self:
        """The rule with the strength in the place of its tunable constant; unchanged where it has none."""
        if strength is None or self.tunable is None:
            return self
        return replace(self, bound=strength) if self.tunable == "bound" else replace(self, amount=strength)


_TPO = "Kaddour, Target Policy Optimization, arXiv 2604.06159"
_OWN = "TPO Lab; a robust variant of the paper's rule"
_TRL_GRPO_MISSING = "Mean and deviation leave NaN (None) out; its advantage is set to 0."
_TRL_RLOO_MISSING = "Rewards are added with nansum: a completion whose every reward is NaN (None) scores 0."

RULES: Registry[Rule] = Registry(
    "rule",
    (
        Rule("tpo_paper", "TPO, paper", _TPO, "population", equal="u = 0 exactly."),
        Rule(
            "tpo_reference",
            "TPO, reference code",
            "the public JAX reference code of arXiv 2604.06159",
            "population",
            guard="cutoff",
            amount=1e-6,
            equal="Standard deviations up to 1e-6 are not divided by: the centred scores are used.",
        ),
        Rule(
            "reference_grpo",
            "GRPO, TPO's reference code",
            "the public JAX reference code of arXiv 2604.06159",
            "population",
            amount=1e-8,
        ),
        Rule(
            "trl_group",
            "TRL GRPO, scale_rewards=group",
            "TRL, GRPO trainer, commit f2cd577",
            "sample",
            amount=1e-4,
            equal="Kept and logged as frac_reward_zero_std (isclose, atol 1e-8).",
            missing=_TRL_GRPO_MISSING,
        ),
        Rule(
            "trl_batch",
            "TRL GRPO, scale_rewards=batch (this group as the batch)",
            "TRL, GRPO trainer, commit f2cd577",
            "sample",
            amount=1e-4,
            equal="Kept and logged as frac_reward_zero_std; the deviation is the whole batch's, not the group's.",
            missing=_TRL_GRPO_MISSING,
        ),
        Rule(
            "trl_none",
            "TRL GRPO, scale_rewards=none",
            "TRL, GRPO trainer, commit f2cd577",
            "none",
            missing=_TRL_GRPO_MISSING,
        ),
        Rule(
            "trl_rloo",
            "TRL RLOO",
            "TRL, RLOO trainer, commit f2cd577",
            "none",
            centre="leave_one_out",
            missing=_TRL_RLOO_MISSING,
        ),
        Rule(
            "trl_rloo_batch",
            "TRL RLOO, normalize_advantages (this group as the batch)",
            "TRL, RLOO trainer, commit 00313f2",
            "centred",
            centre="leave_one_out",
            amount=1e-4,
            equal="Kept and logged as frac_reward_zero_std; the deviation is that of the whole batch's advantages.",
            missing=_TRL_RLOO_MISSING,
        ),
        Rule("verl_grpo", "verl GRPO", "verl, commit 1dda039", "sample", amount=1e-6, single="raw"),
        Rule("dr_grpo", "Dr. GRPO (verl)", "verl, commit 1dda039", "none", single="raw"),
        Rule("rloo", "RLOO (verl)", "verl, commit 1dda039", "none", centre="leave_one_out", single="raw"),
        Rule(
            "openrlhf_group_norm",
            "OpenRLHF group_norm",
            "OpenRLHF, commit 3c3be62",
            "sample",
            amount=1e-9,
            single="refused",
        ),
        Rule(
            "open_instruct_centered",
            "open-instruct, centered",
            "open-instruct, commit e6c3044",
            "none",
            equal="The group is dropped (std == 0).",
        ),
        Rule(
            "open_instruct_standard",
            "open-instruct, standard",
            "open-instruct, commit e6c3044",
            "population",
            amount=1e-8,
            equal="The group is dropped (std == 0).",
        ),
        Rule(
            "prime_rl_grpo",
            "prime-rl GRPO",
            "prime-rl, commit 559b447",
            "none",
            equal="The group is pruned (advantage == 0).",
        ),
        Rule(
            "prime_rl_max_rl",
            "prime-rl MaxRL",
            "prime-rl, commit 559b447",
            "mean",
            guard="positive_mean",
            equal="u = 0; a mean of 0 or less gives 0 to every candidate.",
        ),
        Rule(
            "skyrl_grpo",
            "SkyRL GRPO",
            "SkyRL, commit a956457",
            "sample",
            amount=1e-6,
            equal="Kept, unless the optional filter drops it (max - min <= 1e-6).",
        ),
        Rule(
            "skyrl_max_rl",
            "SkyRL MaxRL",
            "SkyRL, commit a956457",
            "mean",
            amount=1e-6,
            equal="u = 0; a negative mean flips the sign of every advantage.",
        ),
        Rule(
            "nemo_rl",
            "NeMo-RL, leave-one-out",
            "NeMo-RL, commit 7ea279a",
            "leave_one_out",
            centre="leave_one_out",
            guard="add_if_positive",
            amount=1e-6,
            equal="Centred, not divided.",
        ),
        Rule(
            "slime",
            "slime",
            "slime, commit 624b824",
            "sample",
            amount=1e-6,
            equal="The optional filter keeps groups with std > 1e-6.",
        ),
        Rule("robust_floor", "Variance floor", _OWN, "population", guard="floor", amount=0.05, equal="u = 0."),
        Rule(
            "robust_relative_floor",
            "Relative floor",
            _OWN,
            "population",
            guard="relative_floor",
            amount=0.05,
            equal="u = 0.",
        ),
        Rule("robust_shrinkage", "Shrinkage", _OWN, "population", guard="root", amount=0.05, equal="u = 0."),
        Rule("robust_clip", "Clip", _OWN, "population", squash="clip", bound=2.0, equal="u = 0."),
        Rule("robust_tanh", "Tanh", _OWN, "population", squash="tanh", bound=2.0, equal="u = 0."),
    ),
)
