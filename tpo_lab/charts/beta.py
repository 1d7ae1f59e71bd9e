"""beta(p), by how much an exact update moves the logits of a context, with where the contexts of a run are now."""

from collections.abc import Sequence

from tpo_lab.charts.axes import FONT, Spec, legend, quantity, titled
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.methods.registry import METHODS

TOP = 2.0  # of the axis: GRPO's runs off it
MARKS = {"p_0": "smallest", "p_25": "quartile", "p_50": "median", "p_75": "quartile", "p_100": "largest"}
SIZES = {"smallest": 70, "quartile": 170, "median": 420, "largest": 70}


def spec(config: MultiBanditConfig) -> Spec:
    """The specification; data sets `beta` and `now` have the columns `p`, `value`, `kind`, and `now` also `label`."""
    labels, colours = zip(*((METHODS[m].label, METHODS[m].colour) for m in config.methods), strict=True)
    colour = {"field": "kind", "type": "nominal", "scale": {"domain": list(labels), "range": list(colours)}}
    x = quantity("p", "p, the probability of the right action in a context", domain=[0, 1])
    y = quantity("value", None, domain=[0, TOP])
    size = {
        "field": "label",
        "type": "nominal",
        "scale": {"domain": list(SIZES), "range": list(SIZES.values())},
        "legend": None,
    }
    tooltip = [
        {"field": "kind", "title": "method"},
        {"field": "label", "title": "of the contexts"},
        {"field": "p", "title": "p", "format": ".3~g"},
        {"field": "value", "title": "β(p)", "format": ".3~g"},
    ]
    said = "the mark of the median is the largest, beside it both quartiles, at the ends the extremes; mean over seeds"
    x["axis"] = {**FONT, "tickCount": 6}
    return {
        "height": 330,
        "title": titled("β(p): how hard a context is pushed, and where the contexts are now", said),
        "layer": [
            {
                "data": {"name": "beta"},
                "mark": {"type": "line", "strokeWidth": 3, "clip": True},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "data": {"name": "now"},
                "mark": {"type": "point", "filled": True, "opacity": 0.85, "clip": True},
                "encoding": {"x": x, "y": y, "color": colour, "size": size, "tooltip": tooltip},
            },
        ],
        "config": {"legend": legend()},
    }


def rows(table: Sequence[tuple[float, float, str, str]]) -> dict[str, list[float] | list[str]]:
    """Columns of rows of p, value, method and what the mark stands for."""
    return {
        "p": [p for p, *_ in table],
        "value": [value for _, value, *_ in table],
        "kind": [METHODS[method].label for *_, method, _ in table],
        "label": [label for *_, label in table],
    }
