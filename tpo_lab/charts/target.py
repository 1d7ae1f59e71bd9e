"""One group as a figure for a paper or a slide: old policy and target, their difference, and the scores."""

from typing import Any

from tpo_lab.group.report import Report
from tpo_lab.methods.registry import GREY, METHODS

Spec = dict[str, Any]

_TPO = METHODS["tpo"].colour
_WIDTH = 640
_TITLES = {"q_minus_p": "q − p", "score": "score"}


def table(report: Report) -> list[dict[str, float | int | None]]:
    """One row per candidate, as the chart and the CSV file take it; a score of None is missing."""
    return [
        {"candidate": i + 1, "score": score, "u": u, "p_old": p, "q": q, "q_minus_p": d}
        for i, (score, u, p, q, d) in enumerate(
            zip(
                report.scenario.scores,
                report.u.tolist(),
                report.p_old.tolist(),
                report.q.tolist(),
                report.q_minus_p.tolist(),
                strict=True,
            )
        )
    ]


def target_chart(report: Report) -> Spec:
    """The Vega-Lite specification of the figure, data included."""
    candidates = list(range(1, report.scenario.k + 1))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "data": {"values": table(report)},
        "vconcat": [_policies(candidates), _bars(candidates, "q_minus_p", _TPO), _bars(candidates, "score", GREY)],
        "spacing": 14,
        "background": "white",
        "config": {
            "font": "Source Sans Pro, Helvetica, Arial, sans-serif",
            "axis": {"labelFontSize": 13, "titleFontSize": 14, "gridColor": "#E3E7EB"},
            "legend": {"labelFontSize": 14, "orient": "top", "title": None},
            "view": {"stroke": None},
        },
    }


def _policies(candidates: list[int]) -> Spec:
    names = ["old policy p", "target q"]
    return {
        "width": _WIDTH,
        "height": 200,
        "transform": [
            {"fold": ["p_old", "q"], "as": ["distribution", "probability"]},
            {"calculate": f"datum.distribution == 'q' ? '{names[1]}' : '{names[0]}'", "as": "distribution"},
        ],
        "mark": "bar",
        "encoding": {
            "x": _x(candidates, None),
            "xOffset": {"field": "distribution", "sort": names},
            "y": {"field": "probability", "type": "quantitative", "title": "probability"},
            "color": {"field": "distribution", "type": "nominal", "scale": {"domain": names, "range": [GREY, _TPO]}},
        },
    }


def _bars(candidates: list[int], field: str, colour: str) -> Spec:
    """Bars from zero; a candidate without a score says so."""
    last = field == "score"
    return {
        "width": _WIDTH,
        "height": 90,
        "encoding": {
            "x": _x(candidates, "candidate" if last else None),
            "y": {"field": field, "type": "quantitative", "title": _TITLES[field], "axis": {"tickCount": 3}},
        },
        "layer": [
            {"mark": {"type": "bar", "color": colour}},
            {"mark": {"type": "rule", "color": "#16202A"}, "encoding": {"x": None, "y": {"datum": 0}}},
            {
                "transform": [{"filter": f"datum.{field} === null"}],
                "mark": {"type": "text", "text": "no score", "baseline": "bottom", "dy": -3, "fontSize": 12},
                "encoding": {"y": {"datum": 0}},
            },
        ],
    }


def _x(candidates: list[int], title: str | None) -> Spec:
    return {
        "field": "candidate",
        "type": "ordinal",
        "title": title,
        "axis": {"labelAngle": 0, "labelOverlap": True},
        "scale": {"domain": candidates, "paddingInner": 0.25, "paddingOuter": 0.125},
    }
