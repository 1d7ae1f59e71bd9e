"""The rules against the spread: one line a rule, the chosen ones in colour, with what happens on the way marked.

The specification depends on what is chosen, not on the group: data sets are swapped beneath it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from tpo_lab.charts.axes import NEUTRAL, RAISED, Columns, Spec, legend, log_axis, look, quantity, titled
from tpo_lab.charts.bars import framed
from tpo_lab.group.curves import Curves
from tpo_lab.group.rules import Rule
from tpo_lab.group.scenario import Floats

Shown = Literal["q", "u"]
HEIGHT = 400
MAX_POINTS = 90  # a line
_BEND = 0.002  # of the range: what a straight line may leave out
_MARKS = {"leak": "leak", "explosion": "explosion", "flip": "flip", "cliff": "cliff"}


def spec(rules: Mapping[str, Rule], chosen: Sequence[str], shown: Shown) -> Spec:
    """The Vega-Lite specification; `datasets` has its data.

    Args:
        rules: all rules, by name.
        chosen: which of them are in colour.
        shown: the target of a candidate, or its standardised score.
    """
    x = log_axis("spread", "spread σ of the scores (population standard deviation, score units)", -9, 3)
    y = quantity("value", None, domain=[0, 1]) if shown == "q" else _advantages()
    looks = [look(name) for name in chosen]
    labels = [rules[name].label for name in chosen]
    colour: Spec = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": labels, "range": [colour for colour, _ in looks]},
        "legend": legend(4),
    }
    dash: Spec = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": labels, "range": [dash for _, dash in looks]},
        "legend": None,
    }
    value = {"field": "value", "type": "quantitative", "format": ".4~g", "title": "q" if shown == "q" else "u"}
    tooltip = [
        {"field": "label", "type": "nominal", "title": "rule"},
        {"field": "spread", "type": "quantitative", "format": ".2~e", "title": "σ"},
        value,
    ]
    return {
        "height": HEIGHT,
        "title": titled(
            framed("label"), "coloured: the chosen rules · grey: the others · vertical line: the spread of this group"
        ),
        "layer": [
            {
                "data": {"name": "others"},
                "mark": {"type": "line", "color": NEUTRAL, "opacity": 0.45, "strokeWidth": 1.5, "clip": True},
                "encoding": {"x": x, "y": y, "detail": {"field": "label", "type": "nominal"}},
            },
            {
                "data": {"name": "chosen"},
                "mark": {"type": "line", "strokeWidth": 3.5, "clip": True},
                "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash, "order": {"field": "spread"}},
            },
            {
                "data": {"name": "chosen"},
                "mark": {"type": "point", "size": 90, "opacity": 0, "clip": True},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
            _marks(x, y),
            {
                "data": {"name": "now"},
                "mark": {"type": "rule", "strokeWidth": 2.5, "strokeDash": [6, 4], "color": NEUTRAL},
                "encoding": {"x": x},
            },
            {"data": {"name": "frame"}, "mark": {"type": "point", "opacity": 0, "tooltip": None}, "encoding": {}},
        ],
    }


def _advantages() -> Spec:
    """An axis for numbers of either sign and any size: even in their logarithm beyond 1."""
    y = quantity("value", None, type="symlog", constant=1)
    powers = [10.0**n for n in range(7)]
    raised = "{" + ", ".join(f"'{n}': '10{str(n).translate(RAISED)}'" for n in range(3, 7)) + "}"
    sign = "datum.value < 0 ? '−' : ''"
    y["axis"] |= {
        "values": [-v for v in reversed(powers)] + [0.0, *powers],
        "labelExpr": f"abs(datum.value) < 1000 ? format(datum.value, '.0f') : ({sign}) + "
        f"{raised}[toString(round(log(abs(datum.value)) / LN10))]",
        "labelOverlap": True,
    }
    return y


def _marks(x: Spec, y: Spec) -> Spec:
    """Cliffs, leaks, explosions and flips of the chosen rules, each by a word at its place."""
    text = {
        "type": "text",
        "fontSize": 14,
        "fontWeight": 600,
        "dx": 12,
        "dy": -14,  # above the lines that go on from there
        "align": "left",
        "clip": True,
        "color": NEUTRAL,
    }
    point = {
        "type": "point",
        "size": 130,
        "filled": False,
        "strokeWidth": 2.5,
        "color": NEUTRAL,
        "shape": "triangle-up",
    }
    return {
        "data": {"name": "marks"},
        "encoding": {
            "x": x,
            "y": y,
            "tooltip": [{"field": "label", "type": "nominal", "title": "rule"}, {"field": "kind"}],
        },
        "layer": [{"mark": point}, {"mark": text, "encoding": {"text": {"field": "kind", "type": "nominal"}}}],
    }


def datasets(
    curves: Curves,
    rules: Mapping[str, Rule],
    chosen: Sequence[str],
    shown: Shown,
    sigma: float,
    who: str = "The winner",
) -> dict[str, Columns]:
    """The data of `spec`: lines thinned to where they bend, marks, the present spread, and whose values they are."""
    values = curves.q if shown == "q" else curves.u
    what = "target q" if shown == "q" else "standardised score u, or advantage"
    return {
        "chosen": _lines(curves.spreads, {name: values[name] for name in chosen if name in values}, rules),
        "others": _lines(curves.spreads, _distinct(values, chosen), rules),
        "marks": _marked(curves, values, rules, chosen),
        "now": {"spread": [sigma] if sigma > 0 else []},
        "frame": {"label": [f"{who}: {what}"]},
    }


def _distinct(values: Mapping[str, Floats], chosen: Sequence[str]) -> dict[str, Floats]:
    """The lines of the other rules that no line before them covers."""
    seen = {values[name].tobytes() for name in chosen if name in values}
    found = {}
    for name, line in values.items():
        if name not in chosen and line.tobytes() not in seen:
            seen.add(line.tobytes())
            found[name] = line
    return found


def _lines(spreads: Floats, values: Mapping[str, Floats], rules: Mapping[str, Rule]) -> Columns:
    labels: list[str] = []
    x: list[float] = []
    y: list[float] = []
    for name, line in values.items():
        kept = thinned(line)
        labels += [rules[name].label] * len(kept)
        x += spreads[kept].tolist()
        y += line[kept].tolist()
    return {"label": labels, "spread": x, "value": [v if np.isfinite(v) else None for v in y]}


def _marked(curves: Curves, values: Mapping[str, Floats], rules: Mapping[str, Rule], chosen: Sequence[str]) -> Columns:
    rows: dict[str, list[Any]] = {"label": [], "kind": [], "spread": [], "value": []}
    for finding in curves.findings:
        if finding.kind not in _MARKS or finding.rule not in chosen or finding.rule not in values:
            continue
        at = finding.high if finding.kind == "flip" else finding.low
        line = values[finding.rule]
        i = min(int(np.searchsorted(curves.spreads, at * (1 - 1e-9))), len(line) - 1)
        if np.isfinite(line[i]):
            for name, value in zip(
                rows, (rules[finding.rule].label, _MARKS[finding.kind], at, float(line[i])), strict=True
            ):
                rows[name].append(value)
    return rows


def thinned(line: Floats) -> list[int]:
    """Indices of the points of an evenly spaced line that straight strokes between them do not replace.

    The point that lies farthest from the stroke across a stretch is kept, again and again, until none is farther than
    `_BEND` of the range, or `MAX_POINTS` are kept.
    """
    y = np.where(np.isfinite(line), line, 0.0)
    scale = max(float(np.ptp(np.arcsinh(y))), 1e-12)
    y = np.arcsinh(y) / scale
    kept, stretches = {0, len(y) - 1}, [(0, len(y) - 1)]
    while stretches and len(kept) < MAX_POINTS:
        a, b = stretches.pop(0)
        if b - a < 2:
            continue
        stroke = y[a] + (y[b] - y[a]) * (np.arange(a, b + 1) - a) / (b - a)
        off = np.abs(y[a : b + 1] - stroke)
        i = a + int(np.argmax(off))
        if off[i - a] > _BEND:
            kept.add(i)
            stretches += [(a, i), (i, b)]
    return sorted(kept)
