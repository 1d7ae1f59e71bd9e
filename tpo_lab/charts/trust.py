"""How far to trust a target: its spread under new scores, where it is mostly noise, and what calmer rules cost."""

from collections.abc import Mapping, Sequence

import numpy as np

from tpo_lab.charts.axes import FONT, NEUTRAL, Columns, Spec, legend, log_axis, quantity, titled
from tpo_lab.group.resample import Threshold, Tradeoff, Trust
from tpo_lab.group.rules import Rule
from tpo_lab.group.scenario import Floats
from tpo_lab.methods.registry import BLUE, GREY, ORANGE, SKY, VERMILLION

HEIGHT = 300
PARTS = {"bias": GREY, "noise": ORANGE, "both": VERMILLION}


def intervals() -> Spec:
    """Each candidate's target under new scores; data set `q`."""
    x: Spec = {
        "field": "candidate",
        "type": "nominal",
        "sort": None,
        "title": "candidate",
        "axis": {"labelAngle": 0, "labelOverlap": True, **FONT},
    }
    tooltip = [{"field": name, "type": "quantitative", "format": ".3~f"} for name in ("q", "low", "median", "high")]

    def layer(mark: Spec, y: str, y2: str | None = None) -> Spec:
        encoding: Spec = {"x": x, "y": quantity(y, None, domain=[0, 1]), "tooltip": tooltip}
        if y2:
            encoding["y2"] = {"field": y2}
        return {"mark": mark, "encoding": encoding}

    return {
        "height": HEIGHT,
        "title": titled(
            "The target q if the group were scored again",
            "line: 5 to 95 % · bar: 25 to 75 % · dot: the shown q · tick: p_old",
        ),
        "data": {"name": "q"},
        "layer": [
            layer({"type": "rule", "strokeWidth": 3, "color": SKY}, "low", "high"),
            layer({"type": "bar", "width": 16, "color": SKY}, "quarter", "three"),
            layer({"type": "tick", "width": 26, "thickness": 3, "color": NEUTRAL}, "p"),
            layer({"type": "point", "size": 120, "filled": True, "opacity": 1, "color": BLUE}, "q"),
        ],
    }


def interval_columns(trust: Trust, p_old: Floats, names: Sequence[str]) -> dict[str, Columns]:
    """The data of `intervals`."""
    fields = ("low", "quarter", "median", "three", "high")
    columns: dict[str, Sequence[object]] = {"candidate": list(names), "q": trust.q.tolist(), "p": p_old.tolist()}
    return {"q": columns | dict(zip(fields, trust.quantiles.tolist(), strict=True))}


def threshold() -> Spec:
    """What noise moves against what the scores move; data sets `lines`, `now` and `at`."""
    x = log_axis("ratio", "spread σ, in standard deviations of the noise", -2, 3)
    colour: Spec = {
        "field": "kind",
        "type": "nominal",
        "sort": None,
        "scale": {
            "domain": ["moved by noise (mean ± 2 s.e.)", "half of what the scores move"],
            "range": [ORANGE, BLUE],
        },
        "legend": legend(1),
    }
    y = quantity("value", None, domain=[0, 1])
    return {
        "height": HEIGHT,
        "title": titled(
            "Probability that changes its candidate",
            "vertical line: this group · triangle: below it the target is mostly noise",
        ),
        "layer": [
            {
                "data": {"name": "lines"},
                "mark": {"type": "area", "opacity": 0.3, "color": ORANGE},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "data": {"name": "lines"},
                "mark": {"type": "line", "strokeWidth": 3.5},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "data": {"name": "now"},
                "mark": {"type": "rule", "strokeWidth": 2.5, "strokeDash": [6, 4], "color": NEUTRAL, "clip": True},
                "encoding": {"x": x},
            },
            {
                "data": {"name": "at"},
                "mark": {
                    "type": "point",
                    "shape": "triangle-up",
                    "size": 200,
                    "filled": True,
                    "opacity": 1,
                    "color": NEUTRAL,
                },
                "encoding": {"x": x, "y": y},
            },
        ],
    }


def threshold_columns(found: Threshold, tau: float, sigma: float) -> dict[str, Columns]:
    """The data of `threshold`; a spread of 0 stands nowhere on a log axis."""
    ratio, half = (found.spreads / tau).tolist(), (0.5 * found.moved).tolist()
    noise, error, none = found.tv.tolist(), found.tv_error.tolist(), [None] * len(half)
    at = [] if found.spread is None else [found.spread / tau]
    return {
        "lines": {
            "ratio": ratio * 2,
            "kind": ["moved by noise (mean ± 2 s.e.)"] * len(half) + ["half of what the scores move"] * len(half),
            "value": noise + half,
            "low": [v - 2 * e for v, e in zip(noise, error, strict=True)] + none,
            "high": [v + 2 * e for v, e in zip(noise, error, strict=True)] + none,
        },
        "now": {"ratio": [min(max(sigma / tau, 0.01), 1000.0)] if sigma > 0 else []},
        "at": {"ratio": at, "value": np.interp(at, found.spreads / tau, 0.5 * found.moved).tolist() if at else []},
    }


def tradeoffs() -> Spec:
    """Bias and noise of the calmer rules; data set `rules`."""
    return {
        "height": 380,
        "title": titled("What a calmer rule gains and loses", "probability that changes its candidate"),
        "data": {"name": "rules"},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "label",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {**FONT, "labelLimit": 220},
            },
            "yOffset": {"field": "kind", "type": "nominal", "sort": None, "scale": {"domain": list(PARTS)}},
            "x": quantity("value", None, domain=[0, 1]),
            "color": {
                "field": "kind",
                "type": "nominal",
                "sort": None,
                "scale": {"domain": list(PARTS), "range": list(PARTS.values())},
                "legend": legend(),
            },
            "tooltip": [
                {"field": "label", "type": "nominal", "title": "rule"},
                {"field": "kind", "type": "nominal", "title": "what"},
                {"field": "value", "type": "quantitative", "format": ".3~f"},
            ],
        },
    }


def tradeoff_columns(found: Sequence[Tradeoff], rules: Mapping[str, Rule]) -> dict[str, Columns]:
    """The data of `tradeoffs`."""
    rows = [
        (rules[t.rule].label, kind, value)
        for t in found
        for kind, value in zip(PARTS, (t.bias, t.noise, t.total), strict=True)
    ]
    return {
        "rules": {
            "label": [label for label, _, _ in rows],
            "kind": [kind for _, kind, _ in rows],
            "value": [value for _, _, value in rows],
        }
    }
