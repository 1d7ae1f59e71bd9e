"""The rules against the spread: one line a rule, the chosen ones in colour, with what happens on the way marked.

The specification depends on which rules are chosen, not on the group, nor on whether q or u is shown: data sets are
swapped beneath it, and one of them says how the axis of the values runs.
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
_SHOWS_Q = "length(data('frame')) && data('frame')[0].kind === 'q'"
_MARKS = ("cliff", "explosion", "leak", "flip")
_ROW = 18  # pixels


def spec(rules: Mapping[str, Rule], chosen: Sequence[str]) -> Spec:
    """The Vega-Lite specification; `datasets` has its data.

    Args:
        rules: all rules, by name.
        chosen: which of them are in colour.
    """
    x = log_axis("spread", "spread σ of the scores (population standard deviation, score units)", -9, 3)
    y = _values()
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
    value = {"field": "value", "type": "quantitative", "format": ".4~g"}
    # What each point is called for a reader who does not see it takes as long to write as the point: the table says it.
    line: Spec = {"type": "line", "clip": True, "aria": False}
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
                "mark": {**line, "color": NEUTRAL, "opacity": 0.45, "strokeWidth": 1.5},
                "encoding": {"x": x, "y": y, "detail": {"field": "label", "type": "nominal"}},
            },
            {
                "data": {"name": "chosen"},
                "mark": {**line, "strokeWidth": 3.5},
                "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash, "order": {"field": "spread"}},
            },
            {
                "data": {"name": "chosen"},
                "mark": {"type": "point", "size": 90, "opacity": 0, "clip": True, "aria": False},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
            _marks(x, y),
            {
                "data": {"name": "now"},
                "mark": {"type": "rule", "strokeWidth": 2.5, "strokeDash": [6, 4], "color": NEUTRAL},
                "encoding": {"x": x},
            },
            {
                "data": {"name": "frame"},
                "mark": {"type": "point", "opacity": 0, "tooltip": None},
                "encoding": {"y": y},
            },
        ],
    }


def _values() -> Spec:
    """The axis of a target, linear; or of numbers of either sign and any size, even in their logarithm beyond 1."""
    y = quantity("value", None, type="symlog", constant={"expr": f"{_SHOWS_Q} ? 1e6 : 1"})
    powers = [0.5, *(10.0**n for n in range(7))]
    advantages = [-v for v in reversed(powers)] + [0.0, *powers]
    raised = "{" + ", ".join(f"'{n}': '10{str(n).translate(RAISED)}'" for n in range(3, 7)) + "}"
    power = f"(datum.value < 0 ? '−' : '') + {raised}[toString(round(log(abs(datum.value)) / LN10))]"
    y["axis"] |= {
        "tickCount": None,  # of more values every second would be left out
        "values": {"expr": f"{_SHOWS_Q} ? [0, 0.2, 0.4, 0.6, 0.8, 1] : {advantages}"},
        "labelExpr": f"{_SHOWS_Q} ? format(datum.value, '.1f') : abs(datum.value) < 1000 ? format(datum.value, '~g') "
        f": {power}",
        "labelOverlap": "greedy",
    }
    return y


def _marks(x: Spec, y: Spec) -> Spec:
    """Cliffs, leaks, explosions and flips of the chosen rules: a triangle at its place, and its word at the top.

    Each kind has a row of its own there: amid the lines no word could be read, and several begin at one spread.
    """
    text = {"type": "text", "fontSize": 16, "fontWeight": 600, "dx": 7, "align": "left", "color": NEUTRAL}
    point = {"type": "point", "size": 130, "filled": False, "strokeWidth": 2.5, "color": NEUTRAL}
    return {
        "data": {"name": "marks"},
        "encoding": {
            "x": x,
            "tooltip": [{"field": "label", "type": "nominal", "title": "rule"}, {"field": "kind"}],
        },
        "layer": [
            {
                "mark": {"type": "rule", "color": NEUTRAL, "opacity": 0.6, "clip": True},
                "encoding": {"y": y, "y2": {"value": 0}},
            },
            {"mark": {**point, "shape": "triangle-up", "clip": True}, "encoding": {"y": y}},
            {
                "mark": {**text, "clip": True},
                "encoding": {
                    "y": {"field": "row", "type": "quantitative", "scale": None, "axis": None},
                    "text": {"field": "kind", "type": "nominal"},
                },
            },
        ],
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
        "frame": {"label": [f"{who}: {what}"] * 2, "kind": [shown] * 2, "value": [0.0, 1.0 if shown == "q" else 0.0]},
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
    rows: dict[str, list[Any]] = {"label": [], "kind": [], "spread": [], "value": [], "row": []}
    for finding in curves.findings:
        if finding.kind not in _MARKS or finding.rule not in chosen or finding.rule not in values:
            continue
        at = finding.high if finding.kind == "flip" else finding.low
        line = values[finding.rule]
        i = min(int(np.searchsorted(curves.spreads, at * (1 - 1e-9))), len(line) - 1)
        if np.isfinite(line[i]):
            row = 10.0 + _ROW * _MARKS.index(finding.kind)
            mark = (rules[finding.rule].label, finding.kind, at, float(line[i]), row)
            for name, value in zip(rows, mark, strict=True):
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
