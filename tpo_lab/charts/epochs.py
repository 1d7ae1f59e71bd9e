"""Curves over the gradient epochs of one update: one line a method."""

from collections.abc import Mapping, Sequence

from tpo_lab.charts.axes import Columns, Spec, legend, log_axis, quantity, titled
from tpo_lab.methods.registry import METHODS

FLOOR = -5  # decade; smaller values are drawn there


def spec(title: str, methods: Sequence[str], *, log: bool, epochs: int, subtitle: str = "", height: int = 300) -> Spec:
    """The Vega-Lite specification; its data set `lines` is made by `data`.

    Args:
        methods: in the order of the legend.
        log: whether the values are on a log axis from 10^`FLOOR` to 10, or a plain one.
        epochs: the last one.
    """
    labels = [METHODS[name].label for name in methods]
    y = log_axis("value", "", FLOOR, 1) | {"title": None} if log else quantity("value", None)
    x: Spec = quantity("epoch", "gradient epochs taken", domain=[0, epochs], nice=False)
    x["axis"] |= {"grid": False, "tickMinStep": 1, "tickCount": epochs}
    encoding: Spec = {
        "x": x,
        "y": y,
        "color": {
            "field": "label",
            "type": "nominal",
            "sort": None,
            "scale": {"domain": labels, "range": [METHODS[name].colour for name in methods]},
            "legend": {**legend(4), "symbolType": "stroke"},
        },
        "tooltip": [
            {"field": "label", "type": "nominal", "title": "method"},
            {"field": "epoch", "type": "quantitative", "title": "epochs"},
            {"field": "value", "type": "quantitative", "format": ".3~g"},
        ],
    }
    return {
        "height": height,
        "title": titled(title, subtitle),
        "data": {"name": "lines"},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 3.5, "clip": True}},
            {"mark": {"type": "point", "size": 40, "filled": True, "opacity": 1, "clip": True}},
        ],
    }


def data(values: Mapping[str, Sequence[float]], *, log: bool) -> dict[str, Columns]:
    """The data of `spec`: one value an epoch and method, from epoch 0.

    Args:
        values: by name of the method.
    """
    rows = [(METHODS[name].label, i, v) for name, line in values.items() for i, v in enumerate(line)]
    return {
        "lines": {
            "label": [label for label, _, _ in rows],
            "epoch": [i for _, i, _ in rows],
            "value": [max(v, 10.0**FLOOR) if log else v for _, _, v in rows],
        }
    }
