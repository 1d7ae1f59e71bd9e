"""The methods: one entry each, with the name, colour and definition that every page, run and test uses.

Importing this loads no JAX: a page needs labels and colours only.
"""

from dataclasses import dataclass
from typing import Literal

from tpo_lab.registry import Registry

GroupKind = Literal["none", "candidates", "tokens"]

# Okabe and Ito's palette: apart for every common kind of colour vision, on white and on near-black.
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
class Method:
    """One way to turn scored samples into an update.

    Attributes:
        name: the key, as in URLs, commands and files.
        label: the name that people read.
        colour: the same on every chart.
        equation: the loss or update in LaTeX.
        source: where it is defined.
        group: what is compared: nothing, the candidates of a prompt, or next-token candidates at each prefix.
        epochs: gradient epochs per batch by default, on sequences.
    """

    name: str
    label: str
    colour: str
    equation: str
    source: str
    group: GroupKind
    epochs: int = 4


_PAPER = "arXiv 2604.06159"

METHODS: Registry[Method] = Registry(
    "method",
    (
        Method(
            "tpo", "TPO", BLUE, r"-\sum_i q_i \log p_i,\quad q_i \propto p_i^{old} e^{u_i/\eta}", _PAPER, "candidates"
        ),
        Method(
            "dg", "DG", GREEN, r"-w A \log \pi(a),\quad w = \sigma(-A \log \pi(a) / \eta)", "Osband 2026", "none", 1
        ),
        Method(
            "grpo",
            "GRPO",
            VERMILLION,
            r"-\min(\rho A,\ \mathrm{clip}(\rho) A) + \beta\,\mathrm{KL}",
            _PAPER,
            "candidates",
        ),
        Method("pg", "PG", PURPLE, r"-A \log \pi(a)", "Williams 1992", "none"),
    ),
)
