"""Curves of a run over its steps: a mean line and a band per method on a log axis, with fixed axes.

The specification depends on the configuration alone, so that a live chart swaps data and never draws itself anew.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.summaries import Summary
from tpo_lab.methods.registry import METHODS

Spec = dict[str, Any]
MAX_POINTS = 150
HEIGHT = 360
FONT: Spec = {"labelFontSize": 16, "titleFontSize": 16}  # read from the back of a room
NEUTRAL = "#8C8C8C"  # read on both backgrounds
DEEPEST = -10  # decades
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENTS = "{" + ", ".join(f"'{n}': '{str(n).translate(_RAISED)}'" for n in range(DEEPEST, 0)) + "}"
POWER_OF_TEN = f"datum.value >= 1 ? '1' : '10' + {_EXPONENTS}[toString(round(log(datum.value) / LN10))]"


@dataclass(frozen=True)
class Diagnostic:
    """What is drawn on one chart.

    Attributes:
        name: its name in the run.
        title: what people read.
        format: of its values, as Vega takes it.
        top: largest value.
        floor: decade at the foot of the axis; smaller values are drawn there. None: it follows the configuration.
        threshold: where a line is drawn across.
        partial: undefined for some seeds: their number belongs to each value.
    """

    name: str
    title: str
    format: str
    top: float
    floor: int | None = None
    threshold: float | None = None
    partial: bool = False


ERROR = Diagnostic("error", "Error 1 − π(y*)", ".2~%", 1.0, threshold=0.01)
MISALIGNMENT = Diagnostic(
    "misalignment",
    "Misalignment 1 − cos(update, expected gradient)",
    ".1e",
    2.0,
    floor=-8,
    partial=True,
)


def floor(diagnostic: Diagnostic, config: BanditConfig) -> int:
    """The decade at the foot of the axis; for the error, the first that no run of this configuration can reach."""
    if diagnostic.floor is not None:
        return diagnostic.floor
    return max(DEEPEST, min(-3, math.floor(math.log10(max(config.least_error(), 10**DEEPEST)))))


def spec(diagnostic: Diagnostic, config: BanditConfig) -> Spec:
    """The Vega-Lite specification; its data has the columns of `columns`."""
    decades = [10.0**n for n in range(floor(diagnostic, config), 1)]
    percent = diagnostic.format.endswith("%") and len(decades) <= 6  # 0.0001 % is read worse than 1e-6
    band = "no band: one seed" if config.seeds == 1 else f"band: ± 1 s.e. over {config.seeds} seeds"
    foot = str(floor(diagnostic, config)).translate(_RAISED)
    clipped = f" · cut off at 10{foot}" if diagnostic.partial else ""
    x: Spec = {
        "field": "step",
        "type": "quantitative",
        "title": "updates taken",
        "scale": {"domain": [0, max(1, config.steps - 1)], "nice": False},
        "axis": {"grid": False, "tickMinStep": 1, "tickCount": 6, **FONT},
    }
    y: Spec = {
        "type": "quantitative",
        "title": None,
        "scale": {"type": "log", "domain": [decades[0], diagnostic.top], "nice": False},
        "axis": {
            "values": decades,
            **FONT,
            **({"format": "~%"} if percent else {"labelExpr": POWER_OF_TEN}),
            "labelOverlap": True,
        },
    }
    layers = [layer for method in reversed(config.methods) for layer in _lines(method, config.methods, y)]
    return {
        "height": HEIGHT,
        "title": {
            "text": diagnostic.title,
            "subtitle": f"mean line · {band}{clipped}",
            "subtitleColor": NEUTRAL,
            "subtitleFontSize": 14,
            "subtitlePadding": 4,
            "anchor": "start",
            "offset": 6,
        },
        "encoding": {"x": x},
        "layer": [*layers, *_threshold(diagnostic.threshold, y), _hover(diagnostic, config)],
        "config": {
            "legend": {
                "orient": "top",
                "title": None,
                "symbolStrokeWidth": 4,
                "offset": 4,
                "padding": 0,
                "labelFontSize": 16,
            }
        },
    }


def columns(
    diagnostic: Diagnostic, config: BanditConfig, curves: Mapping[str, Summary]
) -> dict[str, Sequence[float | None]]:
    """Data for `spec`: at most 150 steps, and per method `tpo`, `tpo_low`, `tpo_high`, `tpo_n`; None: nothing there.

    Args:
        curves: by method, as far as they have come.
    """
    stride = math.ceil(config.steps / MAX_POINTS)
    reached = max((len(curve.mean) for curve in curves.values()), default=0)
    steps = range(0, reached, stride)
    least = 10.0 ** floor(diagnostic, config)
    table: dict[str, Sequence[float | None]] = {"step": list(steps)}
    for method in config.methods:
        curve = curves.get(method)
        points = [_point(curve, i, least) for i in steps]
        for suffix, values in zip(
            ("", "_low", "_high", "_n"), zip(*points, strict=True) if points else [[]] * 4, strict=True
        ):
            table[method + suffix] = values
    return table


def _point(curve: Summary | None, i: int, least: float) -> tuple[float | None, ...]:
    """Mean, band and count at one step; what a log axis cannot show is moved to its foot."""
    if curve is None or i >= len(curve.mean) or math.isnan(curve.mean[i]):
        return None, None, None, 0 if curve is not None and i < len(curve.mean) else None
    mean, error = float(curve.mean[i]), float(curve.standard_error[i])
    error = 0.0 if math.isnan(error) else error
    return max(mean, least), max(mean - error, least), max(mean + error, least), float(curve.n[i])


def _lines(method: str, methods: Sequence[str], y: Spec) -> list[Spec]:
    """Band and line of one method; the legend comes from the colour scale.

    The first method is drawn last and thinner: a line that it covers can still be seen on both sides of it.
    """
    colour = {
        "datum": METHODS[method].label,
        "type": "nominal",
        "scale": {"domain": [METHODS[n].label for n in methods], "range": [METHODS[n].colour for n in methods]},
    }
    return [
        {
            "mark": {"type": "area", "opacity": 0.25, "clip": True, "color": METHODS[method].colour},
            "encoding": {"y": {**y, "field": f"{method}_low"}, "y2": {"field": f"{method}_high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2.5 if method == methods[0] else 4, "clip": True},
            "encoding": {"y": {**y, "field": method}, "color": colour},
        },
    ]


def _threshold(value: float | None, y: Spec) -> list[Spec]:
    if value is None:
        return []
    at = {"y": {**y, "datum": value}}
    return [{"mark": {"type": "rule", "strokeDash": [6, 4], "color": NEUTRAL}, "encoding": {**at, "x": None}}]


def _hover(diagnostic: Diagnostic, config: BanditConfig) -> Spec:
    """A vertical rule at the step nearest to the pointer, with the exact values of every method."""
    least = f"{10.0 ** floor(diagnostic, config):.0e}"
    transform, tooltip = [], [{"field": "step", "title": "updates"}]
    for m in config.methods:
        mean, error = (f"format({x}, '{diagnostic.format}')" for x in (f"datum.{m}", f"datum.{m}_high - datum.{m}"))
        count = f" + ' (n ' + datum.{m}_n + ')'" if diagnostic.partial else ""
        text = f"datum.{m} > {least} ? {mean} + ' ± ' + {error}{count} : '≤ {least}'"
        transform.append({"calculate": f"isValid(datum.{m}) ? {text} : 'undefined'", "as": f"{m}_text"})
        tooltip.append({"field": f"{m}_text", "title": METHODS[m].label})
    return {
        "transform": transform,
        "params": [
            {
                "name": "hover",
                "select": {
                    "type": "point",
                    "fields": ["step"],
                    "nearest": True,
                    "on": "pointermove",
                    "clear": "pointerout",
                },
            }
        ],
        "mark": {"type": "rule", "strokeWidth": 1.5, "color": NEUTRAL},
        "encoding": {
            "opacity": {"condition": {"param": "hover", "empty": False, "value": 0.8}, "value": 0},
            "tooltip": tooltip,
        },
    }
