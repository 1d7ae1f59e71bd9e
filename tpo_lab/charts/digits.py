"""The surplus of an update over how concentrated an error is (Fig. 4b): bars by method, whiskers of one s.e."""

from collections.abc import Mapping

import numpy as np

from tpo_lab.charts.axes import FONT, NEUTRAL, Columns, Spec, legend, quantity, titled
from tpo_lab.experiments.digits import WITH_SURPLUS, DigitsConfig
from tpo_lab.experiments.summaries import Floats, Summary
from tpo_lab.methods.registry import METHODS

BINS = {"surplus_0_25": "0 to ¼", "surplus_25_50": "¼ to ½", "surplus_50_75": "½ to ¾", "surplus_75_100": "¾ to 1"}
USUAL = (-0.02, 0.1)  # the axis, unless a bar is longer: one that follows the bars would jump


def surplus_spec(config: DigitsConfig) -> Spec:
    """The specification; its data set `surplus` has the columns of `surplus_columns`."""
    names = [METHODS[m].label for m in config.methods if m in WITH_SURPLUS]
    without = [METHODS[m].label for m in config.methods if m not in WITH_SURPLUS]
    x = {
        "field": "label",
        "type": "nominal",
        "sort": list(BINS.values()),
        "scale": {"domain": list(BINS.values())},
        "title": "share of the wrong probability on one class",
        "axis": {**FONT, "labelAngle": 0, "grid": False},
    }
    offset = {"field": "kind", "type": "nominal", "scale": {"domain": names}}
    y = quantity("value", None, domain={"unionWith": list(USUAL)})
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": names, "range": [METHODS[m].colour for m in config.methods if m in WITH_SURPLUS]},
    }
    tooltip = [
        {"field": "kind", "title": "method"},
        {"field": "label", "title": "concentration"},
        {"field": "value", "title": "surplus", "format": ".3f"},
        {"field": "error", "title": "± s.e.", "format": ".3f"},
        {"field": "n", "title": "seeds", "format": "d"},
    ]
    said = " · no closed form: ".join(filter(None, ("± 1 s.e. over seeds", ", ".join(without))))
    return {
        "height": 330,
        "title": titled("Surplus on misclassified test images", said),
        "data": {"name": "surplus"},
        "layer": [
            {
                "mark": {"type": "bar"},
                "encoding": {"x": x, "xOffset": offset, "y": y, "color": colour, "tooltip": tooltip},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": NEUTRAL},
                "encoding": {
                    "x": x,
                    "xOffset": offset,
                    "y": quantity("low", None),
                    "y2": {"field": "high"},
                },
            },
        ],
        "config": {"legend": legend()},
    }


def surplus_columns(curves: Mapping[str, Mapping[str, Summary]]) -> Columns:
    """Data for `surplus_spec`: one row per method and bin, at the latest evaluation that found an image there.

    Args:
        curves: by method, the curves of its diagnostics.
    """
    rows: list[tuple[str, str, float, float, float, float, float]] = []
    for method, found in curves.items():
        for name, label in BINS.items() if method in WITH_SURPLUS else ():
            if (last := latest(found[name].mean) if name in found else None) is not None:
                mean, error = (float(values[last]) for values in found[name][:2])
                error = 0.0 if error != error else error
                n = float(found[name].n[last])
                rows.append((label, METHODS[method].label, mean, error, mean - error, mean + error, n))
    names = ("label", "kind", "value", "error", "low", "high", "n")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {name: [] for name in names}


def latest(values: Floats) -> int | None:
    """The place of the last value that is a number; None if there is none."""
    known = np.flatnonzero(~np.isnan(values))
    return int(known[-1]) if known.size else None
