"""The methods: one entry each, with the name, colour and definition that every page, run and test uses.

Importing this loads no JAX: a page needs labels and colours only. `tpo_lab.methods.losses` holds the arithmetic under
the same names.
"""

from dataclasses import dataclass
from typing import Literal

from tpo_lab.registry import Registry

GroupKind = Literal["none", "candidates", "tokens"]
Choice = Literal["rule", "log_probs"]

# Okabe and Ito's palette: apart for every common kind of colour vision, on white and on near-black. The methods that
# are compared most have it; the others take muted tones between.
BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#CC79A7",
    "#56B4E9",
    "#8C8C8C",
)


@dataclass(frozen=True)
class Knob:
    """A constant of a method that a person may change.

    Attributes:
        name: the keyword of the loss function.
        label: the name that people read.
        default: the paper's value; None is off.
        low, high: the range that is allowed, both ends included.
    """

    name: str
    label: str
    default: float | None
    low: float
    high: float


ETA = Knob("eta", "temperature eta", 1.0, 1e-3, 1e3)
CLIP = Knob("clip", "clip range", 0.2, 1e-6, 0.99)
CLIP_HIGH = Knob("clip_high", "upper clip range", 0.28, 1e-6, 10.0)
KL_WEIGHT = Knob("kl_weight", "KL weight beta", 0.04, 0.0, 100.0)
KL_BUDGET = Knob("kl_budget", "KL budget in nats, in place of eta", None, 1e-6, 1e3)
ANCHOR = Knob("anchor", "anchor to the reference policy", None, 0.0, 1e3)


@dataclass(frozen=True)
class Method:
    """One way to turn scored samples into an update.

    Attributes:
        name: the key, as in URLs, commands and files.
        label: the name that people read.
        colour: the same on every chart.
        equation: the loss in LaTeX: rho is the ratio to the behaviour policy, u or A a standardised score.
        source: where it is defined.
        group: what is compared: nothing, the candidates of a prompt, or next-token candidates at each prefix.
        epochs: gradient epochs per batch by default, on sequences.
        knobs: its constants, as keywords of the loss.
        choices: what else may be chosen: the standardisation `rule`, and whether `log_probs` of a candidate are summed
            over its tokens or averaged.
        fits_target: it fits the policy to a target over the group, which is what its loss weighs candidates by.
        neutral: a group of equal scores leaves the policy exactly where it was in the first epoch.
    """

    name: str
    label: str
    colour: str
    equation: str
    source: str
    group: GroupKind
    epochs: int = 4
    knobs: tuple[Knob, ...] = ()
    choices: tuple[Choice, ...] = ()
    fits_target: bool = False
    neutral: bool = True


_PAPER = "arXiv 2604.06159"
_TPO = r"-\sum_i q_i \log p_i,\quad q_i \propto p_i^{old} e^{u_i/\eta}"
_GRPO = r"-\sum_i \min(\rho_i A_i,\ \mathrm{clip}(\rho_i) A_i)"
_KL = r" + \beta (e^{-d_i} + d_i - 1)"

METHODS: Registry[Method] = Registry(
    "method",
    (
        Method(
            "tpo",
            "TPO",
            BLUE,
            _TPO,
            _PAPER,
            "candidates",
            knobs=(ETA, KL_BUDGET, ANCHOR),
            choices=("rule", "log_probs"),
            fits_target=True,
        ),
        Method(
            "dg",
            "DG",
            GREEN,
            r"-w A \log \pi(a),\quad w = \sigma(-A \log \pi(a) / \eta)",
            "Osband 2026, delightful policy gradient",
            "none",
            1,
            (ETA,),
        ),
        Method("grpo", "GRPO", VERMILLION, _GRPO + _KL, "arXiv 2402.03300", "candidates", knobs=(CLIP, KL_WEIGHT)),
        Method("pg", "PG", PURPLE, r"-A \log \pi(a)", "Williams 1992, REINFORCE", "none"),
        Method(
            "ppo", "PPO", "#A89000", r"-\min(\rho A,\ \mathrm{clip}(\rho) A)", "arXiv 1707.06347", "none", knobs=(CLIP,)
        ),
        Method(
            "tpo_no_anchor",
            "TPO, no anchor",
            SKY,
            r"-\sum_i q_i \log p_i,\quad q_i \propto e^{u_i/\eta}",
            _PAPER,
            "candidates",
            knobs=(ETA,),
            choices=("rule",),
            fits_target=True,
            neutral=False,
        ),
        Method("group_pg", "Group PG", "#A04668", r"-\sum_i u_i \log p_i", _PAPER, "candidates", choices=("rule",)),
        Method("grpo_no_kl", "GRPO, no KL", ORANGE, _GRPO, _PAPER, "candidates", knobs=(CLIP,)),
        Method(
            "grpo_masked",
            "GRPO, zero-variance masked",
            "#B5533C",
            r"\mathbf{1}[\max s > \min s]\,\mathcal{L}_{GRPO}",
            _PAPER,
            "candidates",
            knobs=(CLIP, KL_WEIGHT),
        ),
        Method(
            "tpo_token",
            "TPO, per token",
            "#3F6BE0",
            _TPO,
            _PAPER,
            "tokens",
            knobs=(ETA, KL_BUDGET, ANCHOR),
            choices=("rule",),
            fits_target=True,
        ),
        Method("grpo_token", "GRPO, per token", "#E8743B", _GRPO + _KL, _PAPER, "tokens", knobs=(CLIP, KL_WEIGHT)),
        Method("ce", "CE (oracle)", GREY, r"-\log \pi(y)", _PAPER, "none", 1),
        Method("rloo", "RLOO", "#44AA99", r"-\sum_i (s_i - \bar s_{-i}) \log p_i", "arXiv 2402.14740", "candidates"),
        Method("dr_grpo", "Dr. GRPO", "#CC6677", _GRPO, "arXiv 2503.20783", "candidates", knobs=(CLIP,)),
        Method("dapo", "DAPO", "#AA4499", _GRPO, "arXiv 2503.14476", "candidates", knobs=(CLIP, CLIP_HIGH)),
        Method(
            "gspo",
            "GSPO",
            "#999933",
            _GRPO + r",\quad \rho_i = e^{d_i / |y_i|}",
            "arXiv 2507.18071",
            "candidates",
            knobs=(Knob("clip", "clip range", 3e-4, 1e-6, 0.99), Knob("clip_high", "upper clip range", 4e-4, 1e-6, 10)),
        ),
        Method(
            "awr",
            "AWR",
            "#9A6A4F",
            r"-\sum_i \min(e^{A_i/\eta}, 20) \log p_i",
            "arXiv 1910.00177, the group mean as the critic",
            "candidates",
            knobs=(ETA,),
            neutral=False,
        ),
        Method(
            "rebel",
            "REBEL",
            "#6699CC",
            r"\tfrac{1}{K}\sum_{i<j} \left((d_i - d_j) / \eta - (s_i - s_j)\right)^2",
            "arXiv 2404.16767",
            "candidates",
            knobs=(ETA,),
        ),
        Method(
            "pmpo",
            "PMPO",
            "#2F8F5B",
            r"-\tfrac12 \overline{\log p}_{A>0} + \tfrac12 \overline{\log p}_{A<0} + \beta (e^{d_i} - d_i - 1)",
            "arXiv 2410.04166",
            "candidates",
            knobs=(Knob("kl_weight", "KL weight beta", 0.5, 0.0, 100.0),),
        ),
        Method(
            "max_rl",
            "MaxRL",
            "#7A6FF0",
            r"-\sum_i (s_i / \bar s - 1) \log p_i",
            "arXiv 2602.02710",
            "candidates",
        ),
    ),
)
