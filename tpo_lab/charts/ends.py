"""Where curves have ended, against the setting in which their runs differ: one line per method, an error bar a point.

The specification depends on the configurations and the look alone; points are added beneath it as runs end.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tpo_lab.charts.axes import FONT, Columns, Spec, legend, titled
from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.lines import USUAL, Line, Look, methods_of
from tpo_lab.charts.scales import floor, value_axis
from tpo_lab.methods.registry import METHODS

HEIGHT = 340


class End(NamedTuple):
    """Where one method of one run has ended.

    Attributes:
        label: its place on the axis.
        mean, error: over n seeds; the standard error of one seed is NaN.
    """

    label: str
    method: str
    mean: float
    error: float
    n: int


def spec(
    diagnostic: Diagnostic, lines: Sequence[Line], setting: str, labels: Sequence[str], look: Look = USUAL
) -> Spec:
    """The Vega-Lite specification; its data set `ends` is made by `data`.

    Args:
        setting: what the axis is called; empty where its places are the methods.
        labels: its places, all of them.
    """
    y, methods = value_axis(diagnostic, lines, look), [METHODS[m] for m in methods_of(lines)]
    seeds = lines[0].config.seeds
    band = "point: mean · one seed" if seeds == 1 else f"point: mean · bar: ± 1 s.e. over {seeds} seeds"
    places: Spec = {
        "field": "label",
        "type": "ordinal",
        "title": setting or None,
        "sort": None,
        "scale": {"domain": list(labels)},
        "axis": {"labelAngle": 0, "labelOverlap": True, "labelLimit": 240, "grid": False, **FONT},
    }
    colour: Spec = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": [m.label for m in methods], "range": [m.colour for m in methods]},
        "legend": {**legend(), "symbolType": "circle"} if setting else None,
    }
    tooltip = [
        *([{"field": "label", "type": "nominal", "title": setting}] if setting else []),
        {"field": "kind", "type": "nominal", "title": "method"},
        {"field": "exact", "type": "quantitative", "format": diagnostic.format, "title": "mean"},
        {"field": "error", "type": "quantitative", "format": diagnostic.format, "title": "± 1 s.e."},
        {"field": "n", "type": "quantitative", "title": "seeds"},
    ]
    return {
        "height": HEIGHT,
        "title": titled(f"{diagnostic.title.partition(':')[0]} at the end", band),
        "data": {"name": "ends"},
        "encoding": {"x": places, "color": colour, "tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2.5, "clip": True},
                "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "line", "strokeWidth": 3, "clip": True}, "encoding": {"y": {**y, "field": "mean"}}},
            {
                "mark": {"type": "point", "filled": True, "size": 130, "opacity": 1},
                "encoding": {"y": {**y, "field": "mean"}},
            },
        ],
    }


def data(ends: Iterable[End], diagnostic: Diagnostic, lines: Sequence[Line], look: Look = USUAL) -> dict[str, Columns]:
    """The data of `spec`; what a log axis cannot show is drawn at its foot."""
    foot = floor(diagnostic, lines) if look.is_log(diagnostic) else None
    least = 0.0 if foot is None else 10.0**foot
    table: dict[str, list[str | float | None]] = {
        name: [] for name in ("label", "kind", "mean", "low", "high", "exact", "error", "n")
    }
    for end in ends:
        error = 0.0 if math.isnan(end.error) else end.error
        drawn = (max(x, least) for x in (end.mean, end.mean - error, end.mean + error))
        known = None if math.isnan(end.error) else end.error
        row = (end.label, METHODS[end.method].label, *drawn, end.mean, known, float(end.n))
        for column, value in zip(table.values(), row, strict=True):
            column.append(value)
    return {"ends": table}
