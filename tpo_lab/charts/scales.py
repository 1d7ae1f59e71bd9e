"""The two axes of a chart of curves."""

import math
from collections.abc import Sequence

from tpo_lab.charts.axes import FONT, RAISED, Spec
from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.lines import Line, Look, unit
from tpo_lab.experiments.config import BanditConfig

DEEPEST = -10  # decades
MANY = 10_000  # of this many on, 10,000 is written 10k
_EXPONENTS = "{" + ", ".join(f"'{n}': '{str(n).translate(RAISED)}'" for n in range(DEEPEST, 0)) + "}"
POWER_OF_TEN = f"datum.value >= 1 ? '1' : '10' + {_EXPONENTS}[toString(round(log(datum.value) / LN10))]"


def floor(diagnostic: Diagnostic, lines: Sequence[Line]) -> int | None:
    """The decade at the foot of a log axis; for the bandit's error, the first that no run of it can reach."""
    least = [line.config.least_error() for line in lines if isinstance(line.config, BanditConfig)]
    if diagnostic.name == "error" and least:
        return max(DEEPEST, min(-3, math.floor(math.log10(max(*least, 10**DEEPEST)))))
    return diagnostic.floor


def value_axis(diagnostic: Diagnostic, lines: Sequence[Line], look: Look) -> Spec:
    """The vertical axis; its field is the reader's to add."""
    axis: Spec = {**FONT, "labelOverlap": True}
    percent = diagnostic.format.endswith("%")
    foot = floor(diagnostic, lines)
    if not look.is_log(diagnostic):
        scale: Spec = {"domain": [0, diagnostic.top], "nice": False} if diagnostic.top else {"zero": False}
        axis |= {"tickCount": 6, "format": "~%" if percent else "~g"}
    elif diagnostic.top and foot is not None:
        decades = [10.0**n for n in range(foot, 1)]
        scale = {"type": "log", "domain": [decades[0], diagnostic.top], "nice": False}
        small = percent and len(decades) <= 6  # 0.0001 % is read worse than 1e-6
        axis |= {"values": decades, **({"format": "~%"} if small else {"labelExpr": POWER_OF_TEN})}
    elif foot is not None:
        scale = {"type": "log", "domainMin": 10.0**foot}
        axis |= {"values": [10.0**n for n in range(foot, 7)], "format": "~g"}
    else:
        scale = {"type": "log"}
        axis |= {"values": [m * 10.0**n for n in range(DEEPEST, 7) for m in (1, 2, 5)], "format": "~g"}
    return {"type": "quantitative", "title": None, "scale": scale, "axis": axis}


def x_axis(lines: Sequence[Line], look: Look) -> Spec:
    """The horizontal axis of the field `x`; over seconds, how far it goes is not known before."""
    known = look.over != "seconds"
    last = max(1.0, *((line.steps - 1) * line.length(look.over) for line in lines))
    return {
        "field": "x",
        "type": "quantitative",
        "title": unit(lines, look.over),
        "scale": {"domain": [0, last], "nice": False} if known else {"zero": True},
        "axis": {"grid": False, "tickCount": 6, "titlePadding": 4, **FONT, **(_ticks(last) if known else {})},
    }


def _ticks(last: float) -> Spec:
    return {"tickMinStep": 1, **({"labelExpr": "format(datum.value, '~s')"} if last >= MANY else {})}
