"""The charts of a file of rollouts: what their data holds, and that Vega takes the specifications."""

import json

import numpy as np
import pytest
import vl_convert

from tpo_lab.charts import rollouts as charts

STEPS = {
    "step": np.arange(1.0, 1001.0),
    "groups": np.ones(1000),
    "all_fail": np.linspace(1, 0, 1000),
    "informative": np.linspace(0, 1, 1000),
    "reward": np.where(np.arange(1000) < 500, np.nan, 2.0),
}
LABELS = {"all_fail": "all fail", "informative": "informative"}


def test_steps_are_binned_and_the_shares_still_add_up_to_one() -> None:
    data = charts.kinds_data(LABELS, STEPS, {})
    n = len(data["step"]) // 2
    assert n == charts.MAX_STEPS
    np.testing.assert_allclose(np.array(data["share"][:n]) + np.array(data["share"][n:]), 1)
    assert np.mean(data["share"][:n]) == pytest.approx(0.5, abs=0.01)
    assert data["step"][1:n] == data["next"][: n - 1]


def test_without_steps_there_is_one_bar() -> None:
    none = {"step": np.zeros(0), "groups": np.zeros(0)}
    data = charts.kinds_data(LABELS, none, {"all_fail": 0.25, "informative": 0.75})
    assert data["share"] == [0.25, 0.75]


def test_a_line_has_a_gap_where_there_is_no_value() -> None:
    data = charts.lines_data(STEPS, {"reward": "reward"})
    assert data["value"][0] is None
    assert data["value"][-1] == 2
    assert None not in data["value"][70:]


def test_a_histogram_counts_every_finite_value() -> None:
    data = charts.histogram_data(np.array([0.0, 0.1, 0.1, 1.0, np.nan]))
    assert sum(data["groups"]) == 4
    assert (data["low"][0], data["high"][-1]) == (0, 1)
    assert sum(charts.histogram_data(np.full(5, 0.3))["groups"]) == 5
    assert charts.histogram_data(np.array([np.nan]))["low"] == []


def test_vega_takes_every_specification() -> None:
    mass = {"kind": ["all fail"], "label": ["now"], "share": [1.0]}
    for spec, name, data in (
        (charts.kinds_spec(LABELS, True), "kinds", charts.kinds_data(LABELS, STEPS, {})),
        (charts.kinds_spec(LABELS, False), "kinds", {"label": ["all fail"], "order": [0], "share": [1.0]}),
        (charts.lines_spec("title", "below", ["reward"]), "lines", charts.lines_data(STEPS, {"reward": "reward"})),
        (charts.histogram_spec("title", "x"), "bars", charts.histogram_data(np.arange(9.0))),
        (charts.mass_spec(LABELS, ("now", "then")), "mass", mass),
    ):
        rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
        svg = vl_convert.vegalite_to_svg(json.dumps({**spec, "width": 400, "datasets": {name: rows}}))
        assert svg.count("<path") > 2
