"""The curves' specification and data: fixed for a run, few points, nothing that a log axis cannot show."""

import json

import numpy as np
import pytest
import vl_convert

from tpo_lab.charts import curves
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.methods.registry import METHODS

BOTH = (curves.ERROR, curves.MISALIGNMENT)


def curve(steps: int) -> Summary:
    return summarise(np.random.default_rng(0).random((steps, 6)))


@pytest.mark.parametrize("diagnostic", BOTH, ids=lambda d: d.name)
def test_the_specification_compiles_and_knows_no_data(diagnostic: curves.Diagnostic) -> None:
    config = BanditConfig(methods=("tpo", "pg"))
    spec = curves.spec(diagnostic, config)
    table = curves.columns(diagnostic, config, {m: curve(9) for m in config.methods})
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    svg = vl_convert.vegalite_to_svg({**spec, "data": {"values": rows}})
    assert METHODS["tpo"].colour in svg
    assert METHODS["dg"].colour not in svg
    assert "± 1 s.e. over 100 seeds" in svg
    assert spec == curves.spec(diagnostic, BanditConfig(methods=("tpo", "pg"), seed=5))  # another seed: no new chart
    json.dumps(spec, allow_nan=False)


@pytest.mark.parametrize(("steps", "stride"), [(1, 1), (150, 1), (151, 2), (10_000, 67)])
def test_no_more_points_than_can_be_drawn_in_time(steps: int, stride: int) -> None:
    table = curves.columns(curves.ERROR, BanditConfig(steps=steps), {"tpo": curve(steps)})
    assert len(table["step"]) <= curves.MAX_POINTS
    assert list(table["step"]) == list(range(0, steps, stride))


def test_methods_that_are_behind_or_undefined_have_gaps() -> None:
    undefined = summarise(np.full((3, 6), np.nan))
    table = curves.columns(curves.MISALIGNMENT, BanditConfig(), {"tpo": curve(3), "dg": curve(2), "grpo": undefined})
    assert None not in table["tpo"]
    assert list(table["dg"]).index(None) == 2
    assert list(table["grpo"]) == [None] * 3
    assert list(table["grpo_n"]) == [0] * 3
    assert list(table["pg_n"]) == [None] * 3


def test_what_a_log_axis_cannot_show_is_at_its_foot() -> None:
    values = np.array([[0.0, 0.0], [0.0, 1e-3]])  # the band of the second reaches 0
    table = curves.columns(curves.MISALIGNMENT, BanditConfig(), {"tpo": summarise(values)})
    assert list(table["tpo"]) == pytest.approx([1e-8, 5e-4])
    assert list(table["tpo_low"]) == pytest.approx([1e-8, 1e-8])
    assert list(table["tpo_high"]) == pytest.approx([1e-8, 1e-3])


def test_the_axis_of_the_error_ends_below_what_can_be_reached_and_shows_1_percent() -> None:
    assert curves.floor(curves.ERROR, BanditConfig()) == -5  # 2.8e-5 is the least
    assert curves.floor(curves.ERROR, BanditConfig(steps=1)) == -3
    assert curves.floor(curves.ERROR, BanditConfig(steps=10_000, alpha=10)) == curves.DEEPEST


def test_empty_axes_have_every_column() -> None:
    table = curves.columns(curves.ERROR, BanditConfig(), {})
    assert len(table) == 1 + 4 * 4
    assert not any(table.values())
