"""What the charts of one group share: axes, sizes, and the fixed looks of the standardisation rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from tpo_lab.methods.registry import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION

Spec = dict[str, Any]
Columns = Mapping[str, Sequence[Any]]  # data for a chart: texts or numbers by column; None is a gap
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TEXT = frozenset({"label", "kind", "candidate"})  # the columns that hold texts
FONT: Spec = {"labelFontSize": 16, "titleFontSize": 16}  # read from the back of a room
NEUTRAL = "#8C8C8C"  # read on both backgrounds
INK = "#D55E00"  # a stroke that is read on bars of any colour
SOLID, DASHED, DOTTED, MIXED = [1, 0], [8, 4], [2, 4], [10, 4, 2, 4]

# By the beginning of a rule's name: a stack has one colour, its rules differ in their strokes.
_LOOKS = {
    "tpo_paper": (BLUE, SOLID),
    "tpo_reference": (SKY, DASHED),
    "reference_grpo": (VERMILLION, SOLID),
    "trl_group": (ORANGE, SOLID),
    "trl_batch": (ORANGE, DASHED),
    "trl_none": (ORANGE, DOTTED),
    "trl_rloo_batch": (ORANGE, MIXED),
    "trl_rloo": (ORANGE, [4, 2]),
    "verl_grpo": (GREEN, SOLID),
    "dr_grpo": (GREEN, DOTTED),
    "rloo": (GREEN, [4, 2]),
    "openrlhf": (PURPLE, SOLID),
    "open_instruct_centered": ("#44AA99", DOTTED),
    "open_instruct_standard": ("#44AA99", SOLID),
    "prime_rl_grpo": ("#A89000", DOTTED),
    "prime_rl_max_rl": ("#A89000", SOLID),
    "skyrl_grpo": ("#7A6FF0", SOLID),
    "skyrl_max_rl": ("#7A6FF0", DASHED),
    "nemo_rl": ("#AA4499", SOLID),
    "slime": ("#9A6A4F", SOLID),
    "robust_floor": ("#CC6677", SOLID),
    "robust_relative_floor": ("#CC6677", DASHED),
    "robust_shrinkage": ("#B5533C", SOLID),
    "robust_clip": ("#6699CC", DASHED),
    "robust_tanh": ("#6699CC", SOLID),
    "variance_floor": ("#CC6677", MIXED),
}


def look(rule: str) -> tuple[str, list[int]]:
    """Colour and dash pattern of a rule, the same on every chart."""
    found = _LOOKS.get(rule) or next((value for name, value in _LOOKS.items() if rule.startswith(name)), (GREY, SOLID))
    return found[0], list(found[1])


def log_axis(field: str, title: str, low: int, high: int, *, every: int = 1) -> Spec:
    """A log axis over the decades from 10^low to 10^high, labelled as powers of ten."""
    decades = range(low, high + 1)
    names = "{" + ", ".join(f"'{n}': '10{str(n).translate(RAISED)}'" for n in decades) + "}"
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "domain": [10.0**low, 10.0**high], "nice": False},
        "axis": {
            "values": [10.0**n for n in decades if (n - low) % every == 0],
            "labelExpr": f"{names}[toString(round(log(datum.value) / LN10))]",
            "labelOverlap": True,
            "grid": False,
            **FONT,
        },
    }


def quantity(field: str, title: str | None, **scale: Any) -> Spec:
    """A plain axis of numbers."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": {**FONT, "tickCount": 5, "labelOverlap": False},
        **({"scale": scale} if scale else {}),
    }


def titled(text: str, subtitle: str = "") -> Spec:
    """The title of a chart, at its left, with one line of explanation."""
    return {
        "text": text,
        **({"subtitle": subtitle} if subtitle else {}),
        "subtitleColor": NEUTRAL,
        "subtitleFontSize": 14,
        "subtitlePadding": 4,
        "anchor": "start",
        "offset": 12,
    }


def legend(columns: int = 0) -> Spec:
    """The configuration of a legend above the chart, readable from the back of a room; 0 columns: one line."""
    return {
        "orient": "top",
        "title": None,
        "symbolStrokeWidth": 4,
        "symbolSize": 220,
        "offset": 4,
        "padding": 0,
        "labelFontSize": 15,
        "labelLimit": 340,
        "columnPadding": 16,
        "columns": columns,
    }
