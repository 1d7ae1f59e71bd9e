"""Charts of a file of rollouts: kinds of groups and figures over the training steps, and histograms to brush.

The specifications depend on no data but the unit of the axes: data sets are swapped beneath them. What each mark is
called for a reader who does not see it takes as long to write as the mark: the whole chart has a name instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tpo_lab.charts.axes import FONT, NEUTRAL, Columns, Spec, legend, quantity, titled
from tpo_lab.methods.registry import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION

Floats = npt.NDArray[np.float64]
HEIGHT, LOW_HEIGHT = 330, 240
MAX_STEPS, FEW_STEPS = 120, 40  # of a chart, and of each of ten: a press draws them in as long as three
BINS = 40
COLOURS = {
    "all_fail": VERMILLION,
    "all_pass": GREEN,
    "other_constant": PURPLE,
    "low_variance": ORANGE,
    "informative": BLUE,
    "single": SKY,
    "unscored": GREY,
}
_LINES = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)


def kinds_spec(labels: Mapping[str, str], steps: bool) -> Spec:
    """Shares of the kinds, stacked: over the training steps, or one bar where there are none.

    Args:
        labels: what each kind is called, in the order of the stack.
    """
    colour = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(labels.values()), "range": [COLOURS[kind] for kind in labels]},
        "legend": legend(),
    }
    share = quantity("share", None, domain=[0, 1])
    share["axis"] |= {"format": "~%", "tickCount": 4, "labelOverlap": True}
    share["stack"] = "zero"
    tooltip = [
        *([{"field": "step", "type": "quantitative", "title": "step"}] if steps else []),
        {"field": "label", "type": "nominal", "title": "groups"},
        {"field": "share", "type": "quantitative", "format": ".1%"},
    ]
    encoding: Spec = {"color": colour, "order": {"field": "order", "type": "quantitative"}, "tooltip": tooltip}
    if steps:
        encoding |= {"x": {**_steps(), "bin": "binned"}, "x2": {"field": "next"}, "y": share}
    else:
        encoding |= {"x": share}
    mark: Spec = {"type": "bar", "aria": False} | ({"binSpacing": 0} if steps else {"size": 44})
    return {
        "height": HEIGHT if steps else 230,
        "title": titled(
            "Groups by kind", "share of the groups of each training step" if steps else "share of the groups"
        ),
        "data": {"name": "kinds"},
        "mark": mark,
        "encoding": encoding,
    }


def kinds_data(labels: Mapping[str, str], steps: Mapping[str, Floats], shares: Mapping[str, float]) -> Columns:
    """Data of `kinds_spec`: one row a kind and step."""
    rows: dict[str, list[Any]] = {"label": [], "order": [], "step": [], "next": [], "share": []}
    edges, binned = _binned(steps, labels)
    for order, (kind, label) in enumerate(labels.items()):
        values = binned[kind].tolist() if len(edges) else [shares[kind]]
        n = len(values)
        rows["label"] += [label] * n
        rows["order"] += [order] * n
        rows["step"] += edges[:-1].tolist() if len(edges) else [0]
        rows["next"] += edges[1:].tolist() if len(edges) else [1]
        rows["share"] += values
    return rows


def lines_spec(title: str, subtitle: str, labels: Sequence[str], *, percent: bool = False) -> Spec:
    """Up to five figures over the steps."""
    y = quantity("value", None, zero=False)
    if percent:
        y["axis"] |= {"format": "~%"}
    colour = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": list(labels), "range": list(_LINES[: len(labels)])},
        "legend": legend(),
    }
    tooltip = [
        {"field": "step", "type": "quantitative", "title": "step"},
        {"field": "label", "type": "nominal", "title": "line"},
        {"field": "value", "type": "quantitative", "format": ".1%" if percent else ".4~g"},
    ]
    x = _steps()
    return {
        "height": HEIGHT,
        "title": titled(title, subtitle),
        "data": {"name": "lines"},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 3, "aria": False}, "encoding": {"color": colour}},
            {
                "mark": {"type": "point", "size": 40, "filled": True, "opacity": 1, "aria": False},
                "encoding": {"color": {**colour, "legend": None}, "tooltip": tooltip},
            },
        ],
    }


def lines_data(steps: Mapping[str, Floats], names: Mapping[str, str], most: int = MAX_STEPS) -> Columns:
    """Data of `lines_spec`: the named figures of `steps`, under their labels, at up to `most` places."""
    edges, binned = _binned(steps, names, most)
    middle = (edges[:-1] if len(edges) else edges).tolist()
    rows: dict[str, list[Any]] = {"label": [], "step": [], "value": []}
    for name, label in names.items():
        rows["label"] += [label] * len(middle)
        rows["step"] += middle
        rows["value"] += [value if np.isfinite(value) else None for value in binned[name].tolist()]
    return rows


def histogram_spec(title: str, x_title: str) -> Spec:
    """Groups by a figure, in bars; an interval that is brushed across them comes back as `brush`."""
    groups = quantity("groups", "groups")
    groups["axis"] |= {"tickCount": 3, "labelOverlap": True, "format": "d"}
    return {
        "height": LOW_HEIGHT,
        "title": titled(title),
        "data": {"name": "bars"},
        "params": [{"name": "brush", "select": {"type": "interval", "encodings": ["x"]}}],
        "mark": {"type": "bar", "color": BLUE, "binSpacing": 1, "aria": False},
        "encoding": {
            "x": {**quantity("low", x_title, zero=False, nice=False), "bin": "binned"},
            "x2": {"field": "high"},
            "y": groups,
            "opacity": {"condition": {"param": "brush", "value": 1}, "value": 0.3},
            "tooltip": [
                {"field": "low", "type": "quantitative", "title": "from", "format": ".4~g"},
                {"field": "high", "type": "quantitative", "title": "to", "format": ".4~g"},
                {"field": "groups", "type": "quantitative"},
            ],
        },
    }


def histogram_data(values: Floats) -> Columns:
    """Data of `histogram_spec`."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return {"low": [], "high": [], "groups": []}
    low, high = float(finite.min()), float(finite.max())
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(finite, BINS, (low, high))
    return {"low": edges[:-1].tolist(), "high": edges[1:].tolist(), "groups": counts.tolist()}


def mass_spec(labels: Mapping[str, str], sides: Sequence[str]) -> Spec:
    """The share of the update that goes to each kind of group, now and then."""
    share = quantity("share", "share of the update", domain=[0, 1])
    share["axis"] |= {"format": "~%"}
    return {
        "height": HEIGHT,
        "title": titled("Where the update goes", "sum of |weight| over the candidates, by kind of group"),
        "data": {"name": "mass"},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "kind",
                "type": "nominal",
                "sort": list(labels.values()),
                "title": None,
                "axis": {**FONT, "labelLimit": 200},
            },
            "yOffset": {"field": "label", "type": "nominal", "sort": list(sides)},
            "x": share,
            "color": {
                "field": "label",
                "type": "nominal",
                "sort": None,
                "scale": {"domain": list(sides), "range": [NEUTRAL, BLUE]},
                "legend": legend(),
            },
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "update"},
                {"field": "kind", "type": "nominal", "title": "groups"},
                {"field": "share", "type": "quantitative", "format": ".2%"},
            ],
        },
    }


def _steps() -> Spec:
    x = quantity("step", "training step", nice=False, zero=False)
    x["axis"] |= {"grid": False, "labelOverlap": True, "tickMinStep": 1}
    return x


def _binned(
    steps: Mapping[str, Floats], names: Mapping[str, str], most: int = MAX_STEPS
) -> tuple[Floats, dict[str, Floats]]:
    """At most `most` stretches of steps: their edges, and the mean of each figure, weighted by the groups."""
    at = steps["step"]
    if not len(at):
        return np.zeros(0), {name: np.zeros(0) for name in names}
    starts = np.unique(np.linspace(0, len(at) - 1, min(len(at), most)).astype(np.int64))
    last = at[-1] + (at[-1] - at[-2] if len(at) > 1 else 1.0)
    edges = np.append(at[starts], last)
    found = {}
    for name in names:
        there = np.isfinite(steps[name])
        weight = np.where(there, steps["groups"], 0.0)
        total = np.add.reduceat(np.where(there, steps[name], 0.0) * weight, starts)
        n = np.add.reduceat(weight, starts)
        found[name] = np.where(n > 0, total / np.where(n > 0, n, 1), np.nan)
    return edges, found
