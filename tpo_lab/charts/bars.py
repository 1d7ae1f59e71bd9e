"""Bars side by side: one group of bars a candidate, one colour a kind."""

from collections.abc import Mapping, Sequence
from typing import Any

from tpo_lab.charts.axes import FONT, INK, NEUTRAL, Columns, Spec, legend, quantity, titled


def spec(
    title: str,
    kinds: Mapping[str, str],
    *,
    subtitle: str = "",
    axis: str = "candidate",
    domain: Sequence[float] | None = None,
    height: int = 260,
    columns: int = 0,
    ticks: bool = False,
) -> Spec:
    """The Vega-Lite specification; its data set `bars` is made by `data`.

    Args:
        kinds: colour by what people read, in the order of the bars.
        axis: what stands along x.
        domain: of the values; None: it follows them.
        columns: of the legend; 0: one line.
        ticks: whether a data set `ticks` (candidate, value) is drawn across the bars.
    """
    y = quantity("value", None, **({"domain": list(domain)} if domain else {}))
    return {
        "height": height,
        "title": titled(title, subtitle),
        "data": {"name": "bars"},
        "encoding": {
            "x": {
                "field": "candidate",
                "type": "nominal",
                "sort": None,
                "title": axis,
                "axis": {"labelAngle": 0, "labelOverlap": True, **FONT},
            },
            "xOffset": {"field": "kind", "type": "nominal", "sort": None, "scale": {"domain": list(kinds)}},
        },
        "layer": [
            {
                "mark": {"type": "bar"},
                "encoding": {
                    "y": y,
                    "color": {
                        "field": "kind",
                        "type": "nominal",
                        "sort": None,
                        "scale": {"domain": list(kinds), "range": list(kinds.values())},
                        "legend": legend(columns),
                    },
                    "tooltip": [
                        {"field": "candidate", "type": "nominal", "title": axis},
                        {"field": "kind", "type": "nominal", "title": "what"},
                        {"field": "value", "type": "quantitative", "format": ".4~g"},
                    ],
                },
            },
            {"mark": {"type": "rule", "color": NEUTRAL}, "encoding": {"y": {"datum": 0}, "x": None, "xOffset": None}},
            *([_ticks(y)] if ticks else []),
        ],
    }


def _ticks(y: Spec) -> Spec:
    """A stroke across the bars of each candidate."""
    return {
        "data": {"name": "ticks"},
        "mark": {"type": "tick", "thickness": 3, "bandSize": 40, "color": INK},
        "encoding": {
            "y": y,
            "xOffset": None,
            "tooltip": [{"field": "value", "type": "quantitative", "format": ".4~g"}],
        },
    }


def data(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Columns]:
    """The data of `spec`: one value a name and kind."""
    rows = [(name, kind, float(v)) for kind, row in values.items() for name, v in zip(names, row, strict=True)]
    return {
        "bars": {
            "candidate": [name for name, _, _ in rows],
            "kind": [kind for _, kind, _ in rows],
            "value": [value for _, _, value in rows],
        }
    }
