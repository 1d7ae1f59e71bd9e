"""Curves of one run or of several over steps, rollouts, gradient steps or seconds: a mean line and a band each.

The specification depends on the configurations and the look alone, so that a live chart swaps data and never draws
itself anew. Colours stand for methods, strokes for runs. A click on the legend hides, Ctrl and the wheel zoom.
"""

import json
from collections.abc import Iterable, Sequence

from tpo_lab.charts.axes import NEUTRAL, RAISED, Spec
from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.lines import BANDS, USUAL, Line, Look, methods_of, runs_of, thin, together, unit
from tpo_lab.charts.scales import floor, value_axis, x_axis
from tpo_lab.methods.registry import METHODS

HEIGHT = 360
# In the older syntax of selections: one of `params` that is bound to scales is reset by Streamlit when data come.
ZOOM: Spec = {
    "zoom": {
        "type": "interval",
        "encodings": ["x"],
        "zoom": "wheel![event.ctrlKey || event.metaKey]",
        "bind": "scales",
    }
}
MARK: Spec = {"type": "point", "shape": "triangle-down", "filled": True, "size": 160, "opacity": 1}
DASHES = ([8, 0], [8, 5], [2, 4], [14, 4, 2, 4], [5, 2], [18, 6], [2, 2, 8, 2], [10, 2])


def spec(diagnostic: Diagnostic, lines: Sequence[Line], look: Look = USUAL) -> Spec:
    """The Vega-Lite specification; its data sets are those of `curve_data.datasets`.

    Raises:
        InputError: if the lines cannot be drawn over what the look says.
    """
    y, x = value_axis(diagnostic, lines, look), x_axis(lines, look)
    return {
        "height": HEIGHT,
        "title": {
            "text": diagnostic.title,
            "subtitle": _subtitle(diagnostic, lines, look),
            "subtitleColor": NEUTRAL,
            "subtitleFontSize": 14,
            "subtitlePadding": 4,
            "anchor": "start",
            "offset": 6,
        },
        "data": {"name": "curves"},
        "layer": [
            *_thin_lines(lines, look, x, y),
            _means(diagnostic, lines, look, x, y),
            *_threshold(diagnostic, lines, look, x, y),
            _hover(diagnostic, lines, look, x),
        ],
        "config": {
            "legend": {
                "orient": "top",
                "title": None,
                "symbolType": "stroke",
                "symbolStrokeWidth": 4,
                "symbolOpacity": 1,
                "symbolSize": 400,
                "offset": 4,
                "padding": 0,
                "labelFontSize": 16,
                "labelLimit": 300,
                "columns": 4 if max(len(methods_of(lines)), len(runs_of(lines))) > 4 else 0,
                **({"layout": {"top": {"anchor": "start", "direction": "vertical"}}} if runs_of(lines) else {}),
            }
        },
    }


def _subtitle(diagnostic: Diagnostic, lines: Sequence[Line], look: Look) -> str:
    counts = sorted({line.config.seeds for line in lines})
    seeds = f"{counts[0]} seeds" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds"
    parts = ["mean line", "no band: one seed" if counts == [1] else f"band: {BANDS[look.band].lower()} over {seeds}"]
    if look.seeds:
        n = thin(lines)
        parts.append("thin: every seed" if n >= counts[-1] else f"thin: the first {n} seed{'s' * (n > 1)}")
    if look.is_log(diagnostic) and diagnostic.name != "error":
        foot = floor(diagnostic, lines)
        parts.append("0 is drawn at the foot" if foot is None else f"cut off at 10{str(foot).translate(RAISED)}")
    return " · ".join(parts)


def _of_line(name: str, values: Iterable[tuple[str, str]], index: str = "datum.line") -> Spec:
    """A transform that gives a row what belongs to its line."""
    return {"calculate": f"{json.dumps(dict(values), ensure_ascii=False)}[{index}]", "as": name}


def _named(lines: Sequence[Line], index: str = "datum.line") -> list[Spec]:
    """Transforms that name the method and the run of a row, and drop what is hidden."""
    named = [_of_line("method", ((line.key, METHODS[line.method].label) for line in lines), index)]
    named.append({"filter": {"param": "methods", "empty": False}})
    if runs_of(lines):
        named.append(_of_line("run", ((line.key, line.run) for line in lines), index))
        named.append({"filter": {"param": "runs", "empty": False}})
    return named


def _colour(lines: Sequence[Line]) -> Spec:
    methods = [METHODS[m] for m in methods_of(lines)]
    scale = {"domain": [m.label for m in methods], "range": [m.colour for m in methods]}
    return {"field": "method", "type": "nominal", "scale": scale}


def _clicked(name: str, field: str, values: Iterable[str]) -> Spec:
    """A parameter of what is shown: all at first; a click on the legend takes one out, or back in.

    Without the filter every other click would repeat the last one.
    """
    select = {"type": "point", "fields": [field], "toggle": "true", "clear": False}
    here = f"event.item && event.item.mark && indexof('' + event.item.mark.name, '{field}_legend') === 0"
    bind = {"legend": {"source": "view", "type": "click", "filter": here}}
    return {"name": name, "select": select, "bind": bind, "value": [{field: value} for value in values]}


def _means(diagnostic: Diagnostic, lines: Sequence[Line], look: Look, x: Spec, y: Spec) -> Spec:
    """Bands and mean lines.

    The first method is drawn last and thinner: a line that it covers can still be seen on both sides of it.
    """
    first, runs = lines[0].method, runs_of(lines)
    single = together(lines, look)
    mark: Spec = {"clip": True, **({"invalid": "filter"} if diagnostic.sparse else {})}
    width: Spec = {"value": 3 if runs else 4}
    if len(methods_of(lines)) > 1 and not runs:
        width["condition"] = {"test": f"datum.method === {json.dumps(METHODS[first].label)}", "value": 2.5}
    stroke = {"strokeDash": _dash(runs)} if runs else {}
    cap = {} if runs else {"strokeCap": "round"}  # a single point is seen; of a dash it would fill the gap
    params = [
        _clicked("methods", "method", [METHODS[m].label for m in methods_of(lines)]),
        *([_clicked("runs", "run", runs)] if runs else []),
    ]
    detail = {"field": "line", "type": "nominal"}
    return {
        "transform": [
            {"fold": [line.key for line in reversed(lines)], "as": ["line", "mean"]},
            *({"calculate": f"datum[datum.line + '_{part}']", "as": part} for part in ("low", "high")),
            *([] if single else [{"calculate": "datum[datum.line + '_x']", "as": "x"}]),
            *_named(lines),
        ],
        "layer": [
            {
                "selection": ZOOM,
                "mark": {"type": "area", "opacity": 0.12 if runs else 0.25, **mark},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "color": _colour(lines),
                    "detail": detail,
                },
            },
            {
                "params": params,
                "mark": {"type": "line", **cap, **mark},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "mean"},
                    "color": _colour(lines),
                    "strokeWidth": width,
                    "detail": detail,
                    **stroke,
                },
            },
        ],
    }


def _dash(runs: Sequence[str]) -> Spec:
    dashes = [DASHES[i % len(DASHES)] for i in range(len(runs))]
    return {"field": "run", "type": "nominal", "scale": {"domain": list(runs), "range": dashes}}


def _thin_lines(lines: Sequence[Line], look: Look, x: Spec, y: Spec) -> list[Spec]:
    if not look.seeds:
        return []
    columns = {f"{line.key}_seed{s}": line for line in lines for s in range(min(thin(lines), line.config.seeds))}
    return [
        {
            "data": {"name": "seeds"},
            "transform": [
                {"fold": list(columns), "as": ["seed", "value"]},
                _of_line("line", ((column, line.key) for column, line in columns.items()), "datum.seed"),
                *_named(lines),
            ],
            "mark": {"type": "line", "strokeWidth": 1, "opacity": 0.45, "clip": True, "invalid": "filter"},
            "encoding": {
                "x": x,
                "y": {**y, "field": "value"},
                "color": _colour(lines),
                "detail": {"field": "seed", "type": "nominal"},
            },
        }
    ]


def _threshold(diagnostic: Diagnostic, lines: Sequence[Line], look: Look, x: Spec, y: Spec) -> list[Spec]:
    """A line across, and on it a mark where each mean falls below it."""
    if diagnostic.threshold is None:
        return []
    keys = [line.key for line in lines]
    name = f"below {diagnostic.threshold:.0%} at {unit(lines, look.over)}"
    return [
        {
            "data": {"values": [{}]},
            "mark": {"type": "rule", "strokeDash": [6, 4], "color": NEUTRAL},
            "encoding": {"y": {**y, "datum": diagnostic.threshold}},
        },
        {
            "data": {"name": "reached"},
            "transform": [
                {"calculate": f"{json.dumps(keys)}[datum.place]", "as": "line"},
                *_named(lines),
                _of_line("label", ((line.key, line.label) for line in lines)),
            ],
            "mark": {**MARK, "yOffset": -8},
            "encoding": {
                "x": x,
                "y": {**y, "field": "y"},
                "color": _colour(lines),
                "tooltip": [
                    {"field": "label", "type": "nominal", "title": "line"},
                    {"field": "x", "type": "quantitative", "format": ",.4~g", "title": name},
                ],
            },
        },
    ]


def _hover(diagnostic: Diagnostic, lines: Sequence[Line], look: Look, x: Spec) -> Spec:
    """A vertical rule at the row nearest to the pointer, with the exact values of every line.

    Where lines have points of their own, two in each part of the axis, every value says where it is; the first of the
    two is enough, as a text for each is a third of what a browser does when data come.
    """
    single, name = together(lines, look), unit(lines, look.over)
    foot = floor(diagnostic, lines) if look.is_log(diagnostic) else None
    transform: list[Spec] = [] if single else [{"filter": "datum.first"}]
    tooltip: list[Spec] = [{"field": "x", "title": name}] if single else []
    for line in lines:
        transform.append({"calculate": _text(diagnostic, line, look, foot, None if single else name), "as": line.key})
        tooltip.append({"field": line.key, "title": line.label})
    nearest = {"type": "point", "fields": ["x"], "nearest": True, "on": "pointermove", "clear": "pointerout"}
    return {
        "transform": transform,
        "params": [{"name": "hover", "select": nearest}],
        "mark": {"type": "rule", "strokeWidth": 1.5, "color": NEUTRAL},
        "encoding": {
            "x": x,
            "opacity": {"condition": {"param": "hover", "empty": False, "value": 0.8}, "value": 0},
            "tooltip": tooltip,
        },
    }


def _text(diagnostic: Diagnostic, line: Line, look: Look, foot: int | None, name: str | None) -> str:
    """An expression for the exact value of a line in words: mean, band, seeds, and where, if each has its own place."""

    def number(x: str) -> str:
        return f"format({x}, '{diagnostic.format}')"

    m = f"datum.{line.key}"
    band = f"' ± ' + {number(f'{m}_high - {m}')}"
    if look.band != "error":
        band = f"' (' + {number(f'{m}_low')} + ' to ' + {number(f'{m}_high')} + ')'"
    text = f"{number(m)} + {band} + ({m}_n < {line.config.seeds} ? ' (n ' + {m}_n + ')' : '')"
    if foot is not None:
        text = f"({m} > {10.0**foot:.0e} ? {text} : '≤ {10.0**foot:.0e}')"
    if name:
        text += f" + ' at ' + format({m}_x, ',.4~g')"
    return f"isValid({m}) ? {text} : 'undefined'"
