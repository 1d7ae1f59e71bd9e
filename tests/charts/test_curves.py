"""The curves' specification and data: fixed for a run, few points, nothing that a log axis cannot show."""

import json
from collections.abc import Mapping

import numpy as np
import pytest
import vl_convert

from tpo_lab.charts import curves
from tpo_lab.charts.curves import Look
from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import KINDS, AnyConfig, steps_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.methods.registry import METHODS

BOTH = (curves.ERROR, curves.MISALIGNMENT)
LOOKS = {"usual": Look(), "linear": Look(log=False), "log": Look(log=True), "seconds": Look(seconds=True)}


def curve(steps: int) -> Summary:
    return summarise(np.random.default_rng(0).random((steps, 6)))


def drawn(diagnostic: curves.Diagnostic, config: AnyConfig, look: Look, found: Mapping[str, Summary]) -> str:
    """The chart as SVG, from its specification and its data."""
    spec = curves.spec(diagnostic, config, look)
    table = curves.columns(diagnostic, config, found, look, dict.fromkeys(config.methods, 0.5))
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    json.dumps(spec, allow_nan=False)
    return str(vl_convert.vegalite_to_svg({**spec, "data": {"values": rows}}))


@pytest.mark.parametrize("diagnostic", BOTH, ids=lambda d: d.name)
def test_the_specification_compiles_and_knows_no_data(diagnostic: curves.Diagnostic) -> None:
    config = BanditConfig(methods=("tpo", "pg"))
    svg = drawn(diagnostic, config, Look(), {m: curve(9) for m in config.methods})
    assert METHODS["tpo"].colour in svg
    assert METHODS["dg"].colour not in svg
    assert "± 1 s.e. over 100 seeds" in svg
    again = BanditConfig(methods=("tpo", "pg"), seed=5)  # another seed: no new chart
    assert curves.spec(diagnostic, config) == curves.spec(diagnostic, again)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_is_drawn_in_every_look(kind: str, look: Look) -> None:
    config = KINDS[kind]()
    found = {m: curve(min(200, steps_of(config))) for m in config.methods}
    for diagnostic in list(diagnostics_of(config).values())[:3]:
        svg = drawn(diagnostic, config, look, found)
        for method in config.methods:
            assert svg.count(f'stroke="{METHODS[method].colour}"') >= 2, method  # its line, and its place in the legend


@pytest.mark.parametrize(("steps", "rows"), [(1, 1), (150, 150), (151, 102), (10_000, 150)])
def test_no_more_points_than_can_be_drawn_in_time(steps: int, rows: int) -> None:
    table = curves.columns(curves.ERROR, BanditConfig(steps=steps), {"tpo": curve(steps)})
    assert len(table["x"]) == rows
    assert max(map(float, filter(None, table["x"])), default=0) < steps


@pytest.mark.parametrize("look", [Look(), Look(seconds=True)], ids=["steps", "seconds"])
def test_a_peak_of_one_step_in_ten_thousand_is_kept_with_its_place(look: Look) -> None:
    values = np.full((10_000, 2), 0.5)
    values[4_321] = 1.0
    values[7_654] = 0.25
    table = curves.columns(curves.ERROR, BanditConfig(steps=10_000), {"tpo": summarise(values)}, look, {"tpo": 0.5})
    where = dict(zip(table["tpo"], table["tpo_x"], strict=True))
    scale = 0.5 if look.seconds else 1
    assert (where[1.0], where[0.25]) == (4_321 * scale, 7_654 * scale)


def test_over_seconds_a_slow_method_is_to_the_right_of_a_fast_one() -> None:
    table = curves.columns(
        curves.ERROR,
        ReversalConfig(),
        {m: curve(100) for m in ("tpo", "dg")},
        Look(seconds=True),
        {"tpo": 1, "dg": 0.1},
    )
    assert max(x for x in table["tpo_x"] if x is not None) == 99
    assert max(x for x in table["dg_x"] if x is not None) == pytest.approx(9.9)


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
    linear = curves.columns(curves.MISALIGNMENT, BanditConfig(), {"tpo": summarise(values)}, Look(log=False))
    assert list(linear["tpo"]) == pytest.approx([0, 5e-4])


def test_a_log_axis_without_a_foot_of_its_own_has_it_at_the_smallest_mean() -> None:
    diagnostic = diagnostics_of(BanditConfig())["kl"]
    values = np.array([[0.0, 0.0], [1e-6, 3e-6], [-1.0, -2.0]])
    table = curves.columns(diagnostic, BanditConfig(), {"tpo": summarise(values)})
    assert list(table["tpo"]) == pytest.approx([2e-6, 2e-6, 2e-6])


def test_a_diagnostic_with_few_values_is_a_line_from_one_to_the_next() -> None:
    values = np.full((10_000, 2), np.nan)
    values[199::200] = np.linspace(1, 0.1, 50)[:, None]
    config = DigitsConfig(methods=("tpo",))
    error = diagnostics_of(config)["error"]
    table = curves.columns(error, config, {"tpo": summarise(values)})
    assert len({v for v in table["tpo"] if v is not None}) == 50
    svg = drawn(error, config, Look(), {"tpo": summarise(values)})
    assert max(part.count("L") for part in svg.split('d="M')) > 40


def test_the_axis_of_the_error_ends_below_what_can_be_reached_and_shows_1_percent() -> None:
    assert curves.floor(curves.ERROR, BanditConfig()) == -5  # 2.8e-5 is the least
    assert curves.floor(curves.ERROR, BanditConfig(steps=1)) == -3
    assert curves.floor(curves.ERROR, BanditConfig(steps=10_000, alpha=10)) == curves.DEEPEST
    assert curves.floor(curves.ERROR, ReversalConfig()) == -3


def test_empty_axes_have_every_column() -> None:
    for config in (BanditConfig(), BanditConfig(steps=10_000)):
        empty = curves.columns(curves.ERROR, config, {})
        assert not any(empty.values())
        assert list(empty) == list(curves.columns(curves.ERROR, config, {"tpo": curve(9)}))
