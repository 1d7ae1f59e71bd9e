"""Curves of a run over its steps or seconds: a mean line and a band per method.

The specification depends on the configuration and the look alone, so that a live chart swaps data and never draws
itself anew.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tpo_lab.charts.diagnostics import ERROR, MISALIGNMENT, Diagnostic
from tpo_lab.charts.points import MAX_POINTS, Floats, edges_of_seconds, edges_of_steps, picked
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig, steps_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import Summary
from tpo_lab.methods.registry import METHODS

__all__ = [
    "ERROR",
    "FONT",
    "MAX_POINTS",
    "MISALIGNMENT",
    "NEUTRAL",
    "USUAL",
    "Diagnostic",
    "Look",
    "columns",
    "floor",
    "spec",
]

Spec = dict[str, Any]
HEIGHT = 360
FONT: Spec = {"labelFontSize": 16, "titleFontSize": 16}  # read from the back of a room
NEUTRAL = "#8C8C8C"  # read on both backgrounds
DEEPEST = -10  # decades
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENTS = "{" + ", ".join(f"'{n}': '{str(n).translate(_RAISED)}'" for n in range(DEEPEST, 0)) + "}"
POWER_OF_TEN = f"datum.value >= 1 ? '1' : '10' + {_EXPONENTS}[toString(round(log(datum.value) / LN10))]"


@dataclass(frozen=True)
class Look:
    """How a person wants to see curves.

    Attributes:
        log: a logarithmic axis, or a linear one; None: as the diagnostic usually has it.
        seconds: over seconds of computing instead of steps.
    """

    log: bool | None = None
    seconds: bool = False

    def is_log(self, diagnostic: Diagnostic) -> bool:
        """Whether the axis of a diagnostic is logarithmic."""
        return diagnostic.log if self.log is None else self.log

    def together(self, config: AnyConfig) -> bool:
        """Whether all methods have a point at every step, so that one column holds the steps of them all."""
        return not self.seconds and steps_of(config) <= MAX_POINTS


USUAL = Look()


def floor(diagnostic: Diagnostic, config: AnyConfig) -> int | None:
    """The decade at the foot of a log axis; for the bandit's error, the first that no run of it can reach."""
    if diagnostic.name == "error" and isinstance(config, BanditConfig):
        return max(DEEPEST, min(-3, math.floor(math.log10(max(config.least_error(), 10**DEEPEST)))))
    return diagnostic.floor


def spec(diagnostic: Diagnostic, config: AnyConfig, look: Look = USUAL) -> Spec:
    """The Vega-Lite specification; its data has the columns of `columns`."""
    y = _value_axis(diagnostic, config, look)
    band = "no band: one seed" if config.seeds == 1 else f"band: ± 1 s.e. over {config.seeds} seeds"
    layers = [layer for m in reversed(config.methods) for layer in _lines(m, diagnostic, config, look, y)]
    return {
        "height": HEIGHT,
        "title": {
            "text": diagnostic.title,
            "subtitle": f"mean line · {band}{_foot(diagnostic, config, look)}",
            "subtitleColor": NEUTRAL,
            "subtitleFontSize": 14,
            "subtitlePadding": 4,
            "anchor": "start",
            "offset": 6,
        },
        "layer": [*layers, *_threshold(diagnostic, look, y), _hover(diagnostic, config, look)],
        "config": {
            "legend": {
                "orient": "top",
                "title": None,
                "symbolStrokeWidth": 4,
                "offset": 4,
                "padding": 0,
                "labelFontSize": 16,
                "columns": 4 if len(config.methods) > 4 else 0,
            }
        },
    }


def columns(
    diagnostic: Diagnostic,
    config: AnyConfig,
    curves: Mapping[str, Summary],
    look: Look = USUAL,
    paces: Mapping[str, float] | None = None,
) -> dict[str, Sequence[float | None]]:
    """Data for `spec`: at most 150 rows; per method its mean, `_low`, `_high` and `_n`, and where it is: `_x`.

    Args:
        curves: by method, as far as they have come.
        paces: seconds per step by method, if the look is over seconds.
    """
    paces = {method: (paces or {}).get(method, 0.0) for method in config.methods}
    if look.seconds:
        longest = max((len(curve.mean) * paces[method] for method, curve in curves.items()), default=0.0)
        edges = edges_of_seconds(longest)
        bounds = {m: np.ceil(edges / pace).astype(np.int64) if pace else edges_of_steps(1) for m, pace in paces.items()}
    else:
        edges = edges_of_steps(steps_of(config)).astype(np.float64)
        bounds = dict.fromkeys(config.methods, edges_of_steps(steps_of(config)))
    single = look.together(config)
    picks = {
        method: picked(curve.mean, bounds[method])[:, : 1 if single else 2].ravel() for method, curve in curves.items()
    }
    length = max((len(steps) for steps in picks.values()), default=0)
    middles = (edges[:-1] + edges[1:]) / 2
    x = edges[:-1] if single else np.stack([edges[:-1], middles], axis=1).ravel()
    table: dict[str, Sequence[float | None]] = {"x": x[:length].tolist()}
    least = _least(diagnostic, config, look, curves)
    for method in config.methods:
        steps = picks.get(method, np.empty(0, np.int64))
        found = _values(curves[method], steps, least) if method in curves else np.empty((4, 0))
        names = ["", "_low", "_high", "_n"]
        if not single:
            found = np.vstack([found, steps * (paces[method] if look.seconds else 1)])
            names.append("_x")
        for suffix, column in zip(names, found.tolist(), strict=True):
            table[method + suffix] = [None if v != v else v for v in column] + [None] * (length - len(column))
    return table


def _values(curve: Summary, steps: Any, least: float) -> Floats:
    """Mean, band and count at some steps, (4, N); what a log axis cannot show is moved to its foot."""
    mean = curve.mean[steps]
    error = np.nan_to_num(curve.standard_error[steps])
    return np.stack([*(np.maximum(v, least) for v in (mean, mean - error, mean + error)), curve.n[steps]])


def _least(diagnostic: Diagnostic, config: AnyConfig, look: Look, curves: Mapping[str, Summary]) -> float:
    """The smallest value that the axis can show."""
    if not look.is_log(diagnostic):
        return -math.inf
    foot = floor(diagnostic, config)
    if foot is not None:
        return float(10.0**foot)
    positive = [curve.mean[curve.mean > 0] for curve in curves.values()]
    return float(min((np.min(values) for values in positive if len(values)), default=1.0))


def _foot(diagnostic: Diagnostic, config: AnyConfig, look: Look) -> str:
    """What the subtitle says of values that a log axis cannot show."""
    if not look.is_log(diagnostic) or diagnostic.name == "error":
        return ""
    foot = floor(diagnostic, config)
    return " · 0 is drawn at the foot" if foot is None else f" · cut off at 10{str(foot).translate(_RAISED)}"


def _value_axis(diagnostic: Diagnostic, config: AnyConfig, look: Look) -> Spec:
    axis: Spec = {**FONT, "labelOverlap": True}
    percent = diagnostic.format.endswith("%")
    foot = floor(diagnostic, config)
    if not look.is_log(diagnostic):
        scale: Spec = {"domain": [0, diagnostic.top], "nice": False} if diagnostic.top else {"zero": False}
        axis |= {"tickCount": 6, "format": "~%" if percent else "~g"}
    elif diagnostic.top and foot is not None:
        decades = [10.0**n for n in range(foot, 1)]
        scale = {"type": "log", "domain": [decades[0], diagnostic.top], "nice": False}
        small = percent and len(decades) <= 6  # 0.0001 % is read worse than 1e-6
        axis |= {"values": decades, **({"format": "~%"} if small else {"labelExpr": POWER_OF_TEN})}
    else:
        scale = {"type": "log"}
        axis |= {"values": [m * 10.0**n for n in range(DEEPEST, 7) for m in (1, 2, 5)], "format": "~g"}
    return {"type": "quantitative", "title": None, "scale": scale, "axis": axis}


def _x_axis(field: str, config: AnyConfig, look: Look) -> Spec:
    last = max(1, steps_of(config) - 1)
    return {
        "field": field,
        "type": "quantitative",
        "title": "seconds of computing" if look.seconds else _unit(config),
        "scale": {"zero": True, "nice": False} if look.seconds else {"domain": [0, last], "nice": False},
        "axis": {"grid": False, "tickCount": 6, **FONT, **({} if look.seconds else {"tickMinStep": 1})},
    }


def _unit(config: AnyConfig) -> str:
    return "episodes" if isinstance(config, ReversalConfig) else "updates taken"


def _lines(method: str, diagnostic: Diagnostic, config: AnyConfig, look: Look, y: Spec) -> list[Spec]:
    """Band and line of one method; the legend comes from the colour scale.

    The first method is drawn last and thinner: a line that it covers can still be seen on both sides of it.
    """
    colour = {
        "datum": METHODS[method].label,
        "type": "nominal",
        "scale": {
            "domain": [METHODS[n].label for n in config.methods],
            "range": [METHODS[n].colour for n in config.methods],
        },
    }
    x = _x_axis("x" if look.together(config) else f"{method}_x", config, look)
    mark = {"clip": True, **({"invalid": "filter"} if diagnostic.sparse else {})}
    width = 2.5 if method == config.methods[0] and len(config.methods) > 1 else 4
    return [
        {
            "mark": {"type": "area", "opacity": 0.25, "color": METHODS[method].colour, **mark},
            "encoding": {"x": x, "y": {**y, "field": f"{method}_low"}, "y2": {"field": f"{method}_high"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": width, **mark},
            "encoding": {"x": x, "y": {**y, "field": method}, "color": colour},
        },
    ]


def _threshold(diagnostic: Diagnostic, look: Look, y: Spec) -> list[Spec]:
    if diagnostic.threshold is None or not look.is_log(diagnostic):
        return []
    at = {"y": {**y, "datum": diagnostic.threshold}}
    return [{"mark": {"type": "rule", "strokeDash": [6, 4], "color": NEUTRAL}, "encoding": at}]


def _hover(diagnostic: Diagnostic, config: AnyConfig, look: Look) -> Spec:
    """A vertical rule at the row nearest to the pointer, with the exact values of every method.

    Where points stand for several steps each, every value says at which step it is.
    """
    unit = "second" if look.seconds else "step"
    foot = floor(diagnostic, config) if look.is_log(diagnostic) else None
    transform, tooltip = [], []
    if look.together(config):
        tooltip.append({"field": "x", "title": _unit(config)})
    for m in config.methods:
        mean, error = (f"format({x}, '{diagnostic.format}')" for x in (f"datum.{m}", f"datum.{m}_high - datum.{m}"))
        count = f"(datum.{m}_n < {config.seeds} ? ' (n ' + datum.{m}_n + ')' : '')"
        text = f"{mean} + ' ± ' + {error} + {count}"
        if foot is not None:
            text = f"(datum.{m} > {10.0**foot:.0e} ? {text} : '≤ {10.0**foot:.0e}')"
        if not look.together(config):
            text += f" + ' at {unit} ' + format(datum.{m}_x, '.4~g')"
        transform.append({"calculate": f"isValid(datum.{m}) ? {text} : 'undefined'", "as": f"{m}_text"})
        tooltip.append({"field": f"{m}_text", "title": METHODS[m].label})
    return {
        "transform": transform,
        "params": [
            {
                "name": "hover",
                "select": {
                    "type": "point",
                    "fields": ["x"],
                    "nearest": True,
                    "on": "pointermove",
                    "clear": "pointerout",
                },
            }
        ],
        "mark": {"type": "rule", "strokeWidth": 1.5, "color": NEUTRAL},
        "encoding": {
            "x": _x_axis("x", config, look),
            "opacity": {"condition": {"param": "hover", "empty": False, "value": 0.8}, "value": 0},
            "tooltip": tooltip,
        },
    }
