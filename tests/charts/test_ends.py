"""The chart of where runs have ended: it compiles before there is a point, and draws what a log axis cannot show."""

import json
import math

import pytest
import vl_convert

from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.charts.ends import End, data, spec
from tpo_lab.charts.lines import Look, lines_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS

CONFIG = ReversalConfig(methods=("tpo", "grpo"), seeds=3)
LINES, ERROR = lines_of(CONFIG), diagnostics_of(CONFIG)["error"]
ENDS = (
    End("4", "tpo", 0.0, 0.0, 3),
    End("4", "grpo", 0.2, 0.3, 3),
    End("16", "tpo", 0.05, math.nan, 1),
)


def drawn(ends: tuple[End, ...], look: Look) -> str:
    made = spec(ERROR, LINES, "Candidates K", ["4", "16"], look)
    json.dumps(made, allow_nan=False)
    table = data(ends, ERROR, LINES, look)["ends"]
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return str(vl_convert.vegalite_to_svg({**made, "datasets": {"ends": rows}}))


@pytest.mark.parametrize("log", [True, False])
def test_places_and_colours_are_there_before_the_first_run_has_ended(log: bool) -> None:
    svg = drawn((), Look(log=log))
    assert ">16<" in svg
    assert "mean · bar: ± 1 s.e. over 3 seeds" in svg
    assert METHODS["grpo"].colour in drawn(ENDS, Look(log=log))


def test_values_are_exact_and_drawn_within_the_axis() -> None:
    table = data(ENDS, ERROR, LINES)["ends"]
    assert table["exact"] == [0.0, 0.2, 0.05]
    assert table["mean"] == [1e-3, 0.2, 0.05]  # the foot of the axis
    assert table["low"] == [1e-3, 1e-3, 0.05]
    assert table["high"] == [1e-3, 0.5, 0.05]
    assert table["error"] == [0.0, 0.3, None]  # of one seed there is none
    assert table["n"] == [3.0, 3.0, 1.0]
    assert data(ENDS, ERROR, LINES, Look(log=False))["ends"]["low"] == [0.0, 0.0, 0.05]
