"""The charts of low variance: what is drawn of the curves, and specifications that compile to a drawing."""

import json
from typing import Any

import numpy as np
import pytest
import vl_convert

from tpo_lab.charts import bars, spread, trust
from tpo_lab.charts.axes import look
from tpo_lab.group.curves import SPREADS, curves
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario

CHOSEN = ("tpo_paper", "trl_group", "tpo_reference")


def drawn(spec: dict[str, Any], datasets: dict[str, Any]) -> str:
    rows = {
        name: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        for name, columns in datasets.items()
    }
    return vl_convert.vegalite_to_svg(json.dumps({**spec, "width": 600, "datasets": rows}))


@pytest.mark.parametrize("shown", ["q", "u"])
def test_the_rules_are_drawn(shown: spread.Shown) -> None:
    found = curves(Scenario((1, 0, 0)))
    data = spread.datasets(found, RULES, CHOSEN, shown, 0.1)
    svg = drawn(spread.spec(RULES, CHOSEN), data)
    assert all(RULES[name].label in svg for name in CHOSEN)
    assert "cliff" in svg
    assert "The winner: " in svg
    assert (">0.6</text>" in svg, ">100</text>" in svg) == (shown == "q", shown == "u")  # its axis
    assert len(data["chosen"]["label"]) + len(data["others"]["label"]) < 700  # what a chart draws in its time


def test_thinning_keeps_ends_bends_and_jumps() -> None:
    x = np.linspace(0, 1, 121)
    assert spread.thinned(np.full(121, 3.0)) == [0, 120]
    step = np.where(x < 0.5, 0.0, 1.0)
    assert spread.thinned(step) == [0, 59, 60, 120]
    curve = 1 / (1 + np.exp(-20 * (x - 0.5)))
    kept = spread.thinned(curve)
    assert len(kept) < 40
    assert np.max(np.abs(np.interp(x, x[kept], curve[kept]) - curve)) < 0.004


def test_lines_that_another_covers_are_drawn_once() -> None:
    found = curves(Scenario((1, 0, 0)))
    labels = set(spread.datasets(found, RULES, CHOSEN, "u", 0.0)["others"]["label"])
    assert RULES["verl_grpo"].label in labels
    assert not {RULES["slime"].label, RULES["skyrl_grpo"].label} & labels
    assert spread.datasets(found, RULES, CHOSEN, "u", 0.0)["now"] == {"spread": []}
    assert len(SPREADS) == 121


def test_every_rule_has_a_look_of_its_own() -> None:
    looks = {str(look(name)) for name in RULES}
    assert len(looks) == len(RULES)


def test_bars_show_what_the_data_hold_under_one_specification() -> None:
    spec = bars.spec({"one": "#010101", "two": "#020202", "three": "#030303"})
    svg = drawn(spec, bars.data("Some <title>", ["a", "b"], {"three": [1, 2], "one": [0, -1]}, ticks=[1, 1]))
    assert "Some &lt;title&gt;" in svg
    legend = [text for text in ("one", "two", "three") if f">{text}</text>" in svg]
    assert legend == ["one", "three"]
    assert svg.index(">three</text>") < svg.index(">one</text>")  # in the order of the data
    empty = drawn(spec, bars.data("Nothing", [], {}))
    assert "Nothing" in empty
    probabilities = drawn(spec, bars.data("P", ["a"], {"one": [0.1]}, ends=bars.PROBABILITIES))
    assert ">1.0</text>" in probabilities


def test_the_charts_of_trust_compile() -> None:
    for spec in (trust.intervals(), trust.threshold(), trust.tradeoffs()):
        vl_convert.vegalite_to_vega(json.dumps(spec))
