"""Curves over the gradient epochs of one update: one line a method, whichever the data hold."""

from collections.abc import Mapping, Sequence

from tpo_lab.charts.axes import Columns, Spec, legend, log_axis, quantity, titled
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.updates import EPOCHS, UPDATED

FLOOR, TOP = -5, 1  # decades of a log axis; smaller and larger values are drawn at its ends


def spec(title: str, *, log: bool, epochs: int, subtitle: str = "", height: int | None = 320) -> Spec:
    """The Vega-Lite specification; its data set `lines` is made by `data`.

    Args:
        log: whether the values are on a log axis from 10^`FLOOR` to 10^`TOP`, or a plain one.
        epochs: the last one.
        height: in pixels; None: of the place that the page has for it.
    """
    y = log_axis("value", "", FLOOR, TOP) | {"title": None} if log else quantity("value", None)
    x: Spec = quantity("epoch", "gradient epochs taken", domain=[0, epochs], nice=False)
    x["axis"] |= {"grid": False, "values": list(range(0, epochs + 1, 2))}
    label: Spec = {"field": "label", "type": "nominal"}
    scale = {"domain": [m.label for m in UPDATED.values()], "range": [m.colour for m in UPDATED.values()]}
    # Of all methods the legend has those of the data: the second scale, which looks alike for all, knows them.
    present: Spec = {"expr": "domain('strokeDash')"}
    alike: Spec = {"sort": {"op": "min", "field": "order"}, "scale": {"range": [[1, 0]]}, "legend": None}
    encoding: Spec = {
        "x": x,
        "y": y,
        "color": {**label, "scale": scale, "legend": {**legend(4), "symbolType": "stroke", "values": present}},
        "tooltip": [
            {**label, "title": "method"},
            {"field": "epoch", "type": "quantitative", "title": "epochs"},
            {"field": "value", "type": "quantitative", "format": ".3~g"},
        ],
    }
    return {
        **({"height": height} if height else {}),
        "title": titled(title, subtitle),
        "data": {"name": "lines"},
        "encoding": encoding,
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 3.5, "clip": True, "aria": False},
                "encoding": {"strokeDash": {**label, **alike}},
            },
            {
                # A dot where the tables have a number: one an epoch took most of the time of a press.
                "transform": [{"filter": {"field": "epoch", "oneOf": [0, *EPOCHS]}}],
                "mark": {"type": "point", "size": 60, "filled": True, "opacity": 1, "clip": True, "aria": False},
            },
        ],
    }


def data(values: Mapping[str, Sequence[float]], *, log: bool) -> dict[str, Columns]:
    """The data of `spec`: one value an epoch and method, from epoch 0.

    Args:
        values: by name of the method, in the order of the legend.
    """
    rows = [
        (METHODS[name].label, order, i, min(max(v, 10.0**FLOOR), 10.0**TOP) if log else v)
        for order, (name, line) in enumerate(values.items())
        for i, v in enumerate(line)
    ]
    return {"lines": dict(zip(("label", "order", "epoch", "value"), map(list, zip(*rows, strict=True)), strict=True))}
