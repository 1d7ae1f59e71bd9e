"""Bars side by side: one group of bars a candidate, one colour a kind.

Title, kinds, values and the ends of the axis all travel as data beneath one specification, so that a page which shows
something else in the same place draws its chart no second time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tpo_lab.charts.axes import FONT, INK, NEUTRAL, Columns, Spec, legend, quantity, titled

Ends = tuple[float, float]
PROBABILITIES: Ends = (0.0, 1.0)
_ALONE: Spec = {"x": None, "xOffset": None}  # a layer that knows no candidates


def spec(colours: Mapping[str, str], *, axis: str = "candidate", height: int | None = 320, columns: int = 4) -> Spec:
    """The Vega-Lite specification; its data sets are made by `data`.

    Args:
        colours: of every kind that may ever be shown, by what people read; the legend has those that are.
        axis: what stands along x.
        height: in pixels; None: of the place that the page has for it.
        columns: of the legend.
    """
    y = quantity("value", None)
    y |= {"stack": None, "axis": {**y["axis"], "labelFlush": False}}
    kind: Spec = {"field": "kind", "type": "nominal"}
    by_order: Spec = {"op": "min", "field": "order"}
    shown: Spec = {"expr": "domain('xOffset')"}
    scale: Spec = {"domain": list(colours), "range": list(colours.values())}
    tooltip = [
        {"field": "candidate", "type": "nominal", "title": axis},
        {**kind, "title": "what"},
        {"field": "value", "type": "quantitative", "format": ".4~g"},
    ]
    return {
        **({"height": height} if height else {}),
        "title": {**titled(framed("label"), " "), "subtitle": framed("kind")},
        "data": {"name": "bars"},
        "encoding": {
            "x": {
                "field": "candidate",
                "type": "nominal",
                "sort": None,
                "title": axis,
                "axis": {"labelAngle": 0, "labelOverlap": True, **FONT},
            },
            "xOffset": {**kind, "sort": by_order},
        },
        "layer": [
            {
                "mark": {"type": "bar", "aria": False},  # a label a bar takes as long to write as the bar
                "encoding": {
                    "y": y,
                    "color": {**kind, "scale": scale, "legend": {**legend(columns), "values": shown}},
                    "tooltip": tooltip,
                },
            },
            _ticks(y),
            {"mark": {"type": "rule", "color": NEUTRAL}, "encoding": {"y": {"datum": 0}, **_ALONE}},
            {
                "data": {"name": "frame"},
                "mark": {"type": "point", "opacity": 0, "tooltip": None},
                "encoding": {"y": y, **_ALONE},
            },
        ],
    }


def framed(column: str) -> Any:
    """A text of the data set `frame`; empty before there is one."""
    return {"expr": f"length(data('frame')) ? data('frame')[0].{column} : ''"}


def _ticks(y: Spec) -> Spec:
    """A stroke across the bars of each candidate."""
    return {
        "data": {"name": "ticks"},
        "mark": {"type": "rule", "strokeWidth": 3, "color": INK},
        "encoding": {
            "x": {"field": "candidate", "type": "nominal", "sort": None, "bandPosition": 0},
            "x2": {"field": "candidate", "bandPosition": 1},
            "y": y,
            "xOffset": None,
            "tooltip": [{"field": "value", "type": "quantitative", "format": ".4~g"}],
        },
    }


def data(
    title: str,
    names: Sequence[str],
    values: Mapping[str, Any],
    *,
    subtitle: str = "",
    ends: Ends = (0.0, 0.0),
    ticks: Any = (),
) -> dict[str, Columns]:
    """The data of `spec`: one value a name and kind.

    Args:
        names: of the candidates.
        values: by kind, one a name.
        ends: what the axis of the values holds in any case.
        ticks: a stroke a name; none if empty.
    """
    rows = [
        (name, kind, order, float(v))
        for order, (kind, row) in enumerate(values.items())
        for name, v in zip(names, row, strict=True)
    ]
    return {
        "bars": {column: [row[i] for row in rows] for i, column in enumerate(("candidate", "kind", "order", "value"))},
        "ticks": {"candidate": list(names) if len(ticks) else [], "value": [float(v) for v in ticks]},
        "frame": {"label": [title] * 2, "kind": [subtitle] * 2, "value": list(ends)},
    }
