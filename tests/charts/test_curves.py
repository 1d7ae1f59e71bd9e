"""The curves' specification and data: fixed for a run, few points, nothing that a log axis cannot show."""

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import vl_convert

from tpo_lab.charts import curves, scales
from tpo_lab.charts.curve_data import Columns, Values, datasets
from tpo_lab.charts.diagnostics import ERROR, MISALIGNMENT, Diagnostic, diagnostics_of
from tpo_lab.charts.lines import BANDS, OVER, USUAL, Line, Look, lines_of
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import KINDS, AnyConfig, steps_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.methods.registry import METHODS

BOTH = (ERROR, MISALIGNMENT)
LOOKS = {"linear": Look(log=False), "log": Look(log=True)}
LOOKS |= {name: Look(over=name) for name in OVER} | {name: Look(band=name, seeds=True) for name in BANDS}


def random(steps: int, seeds: int = 6) -> Values:
    return np.random.default_rng(0).random((steps, seeds))


def curve(steps: int) -> Summary:
    return summarise(random(steps))


def columns(
    diagnostic: Diagnostic,
    config: AnyConfig,
    found: Mapping[str, Summary],
    look: Look = USUAL,
    paces: Mapping[str, float] | None = None,
) -> Columns:
    return datasets(diagnostic, lines_of(config), found, look, paces)["curves"]


def drawn(diagnostic: Diagnostic, lines: Sequence[Line], look: Look, seeds: Mapping[str, Values]) -> str:
    """The chart as SVG, from its specification and its data."""
    spec = curves.spec(diagnostic, lines, look)
    found = {key: summarise(values) for key, values in seeds.items()}
    tables = datasets(diagnostic, lines, found, look, {line.key: 0.5 for line in lines}, seeds)
    rows = {n: [dict(zip(t, row, strict=True)) for row in zip(*t.values(), strict=True)] for n, t in tables.items()}
    json.dumps(spec, allow_nan=False)
    return str(vl_convert.vegalite_to_svg({**spec, "datasets": rows}))


@pytest.mark.parametrize("diagnostic", BOTH, ids=lambda d: d.name)
def test_the_specification_compiles_and_knows_no_data(diagnostic: Diagnostic) -> None:
    config = BanditConfig(methods=("tpo", "pg"))
    svg = drawn(diagnostic, lines_of(config), Look(), {m: random(9) for m in config.methods})
    assert METHODS["tpo"].colour in svg
    assert METHODS["dg"].colour not in svg
    assert "± 1 s.e. over 100 seeds" in svg
    again = BanditConfig(methods=("tpo", "pg"), seed=5)  # another seed: no new chart
    assert curves.spec(diagnostic, lines_of(config)) == curves.spec(diagnostic, lines_of(again))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_is_drawn_in_every_look(kind: str, look: Look) -> None:
    config = KINDS[kind].from_mapping({"seeds": 20, **({"update": "sampled"} if kind == "multi_bandit" else {})})
    seeds = {m: random(min(200, steps_of(config)), 20) for m in config.methods}
    for diagnostic in list(diagnostics_of(config).values())[: 2 if look.log is False else 1]:
        svg = drawn(diagnostic, lines_of(config), look, seeds)
        for method in config.methods:
            assert svg.count(f'stroke="{METHODS[method].colour}"') >= 2, method  # its line, and its place in the legend


@pytest.mark.parametrize(("steps", "rows"), [(1, 1), (150, 150), (151, 102), (10_000, 150)])
def test_no_more_points_than_can_be_drawn_in_time(steps: int, rows: int) -> None:
    table = columns(ERROR, BanditConfig(steps=steps), {"tpo": curve(steps)})
    assert len(table["x"]) == rows
    assert max(map(float, filter(None, table["x"])), default=0) < steps


@pytest.mark.parametrize("look", [Look(), Look(over="seconds")], ids=["steps", "seconds"])
def test_a_peak_of_one_step_in_ten_thousand_is_kept_with_its_place(look: Look) -> None:
    values = np.full((10_000, 2), 0.5)
    values[4_321] = 1.0
    values[7_654] = 0.25
    table = columns(ERROR, BanditConfig(steps=10_000), {"tpo": summarise(values)}, look, {"tpo": 0.5})
    where = dict(zip(table["tpo"], table["tpo_x"], strict=True))
    scale = 0.5 if look.over == "seconds" else 1
    assert (where[1.0], where[0.25]) == (4_321 * scale, 7_654 * scale)
    assert table["first"] == [1, 0] * (len(table["x"]) // 2)  # hovering needs one text for the two


def test_over_seconds_a_slow_method_is_to_the_right_of_a_fast_one() -> None:
    table = columns(
        ERROR,
        ReversalConfig(),
        {m: curve(100) for m in ("tpo", "dg")},
        Look(over="seconds"),
        {"tpo": 1, "dg": 0.1},
    )
    assert max(x for x in table["tpo_x"] if x is not None) == 99
    assert max(x for x in table["dg_x"] if x is not None) == pytest.approx(9.9)


def test_methods_that_are_behind_or_undefined_have_gaps() -> None:
    undefined = summarise(np.full((3, 6), np.nan))
    table = columns(MISALIGNMENT, BanditConfig(), {"tpo": curve(3), "dg": curve(2), "grpo": undefined})
    assert None not in table["tpo"]
    assert list(table["dg"]).index(None) == 2
    assert list(table["grpo"]) == [None] * 3
    assert list(table["grpo_n"]) == [0] * 3
    assert list(table["pg_n"]) == [None] * 3


def test_what_a_log_axis_cannot_show_is_at_its_foot() -> None:
    values = np.array([[0.0, 0.0], [0.0, 1e-3]])  # the band of the second reaches 0
    table = columns(MISALIGNMENT, BanditConfig(), {"tpo": summarise(values)})
    assert list(table["tpo"]) == pytest.approx([1e-8, 5e-4])
    assert list(table["tpo_low"]) == pytest.approx([1e-8, 1e-8])
    assert list(table["tpo_high"]) == pytest.approx([1e-8, 1e-3])
    linear = columns(MISALIGNMENT, BanditConfig(), {"tpo": summarise(values)}, Look(log=False))
    assert list(linear["tpo"]) == pytest.approx([0, 5e-4])


def test_a_log_axis_without_a_foot_of_its_own_has_it_at_the_smallest_mean() -> None:
    diagnostic = diagnostics_of(BanditConfig())["kl"]
    values = np.array([[0.0, 0.0], [1e-6, 3e-6], [-1.0, -2.0]])
    table = columns(diagnostic, BanditConfig(), {"tpo": summarise(values)})
    assert list(table["tpo"]) == pytest.approx([2e-6, 2e-6, 2e-6])


def test_a_diagnostic_with_few_values_is_a_line_from_one_to_the_next() -> None:
    values = np.full((10_000, 2), np.nan)
    values[199::200] = np.linspace(1, 0.1, 50)[:, None]
    config = DigitsConfig(methods=("tpo",))
    error = diagnostics_of(config)["error"]
    table = columns(error, config, {"tpo": summarise(values)})
    assert len({v for v in table["tpo"] if v is not None}) == 50
    svg = drawn(error, lines_of(config), Look(), {"tpo": values})
    assert max(part.count("L") for part in svg.split('d="M')) > 40


def test_a_curve_of_one_point_is_seen() -> None:
    svg = drawn(ERROR, lines_of(BanditConfig(methods=("tpo",))), USUAL, {"tpo": random(1)})
    (line,) = re.findall('<path [^>]*aria-roledescription="line mark"[^>]*>', svg)
    assert METHODS["tpo"].colour in line
    assert 'stroke-linecap="round"' in line  # else nothing of a line without length is painted


def test_the_axis_of_the_error_ends_below_what_can_be_reached_and_shows_1_percent() -> None:
    assert scales.floor(ERROR, lines_of(BanditConfig())) == -5  # 2.8e-5 is the least
    assert scales.floor(ERROR, lines_of(BanditConfig(steps=1))) == -3
    assert scales.floor(ERROR, lines_of(BanditConfig(steps=10_000, alpha=10))) == scales.DEEPEST
    assert scales.floor(ERROR, lines_of(ReversalConfig())) == -3


def test_empty_axes_have_every_column() -> None:
    for config in (BanditConfig(), BanditConfig(steps=10_000)):
        empty = columns(ERROR, config, {})
        assert not any(empty.values())
        assert list(empty) == list(columns(ERROR, config, {"tpo": curve(9)}))


def test_several_runs_are_told_apart_by_their_strokes_and_named_in_the_legend() -> None:
    runs = {f"K = {k}": ReversalConfig(candidates=k, methods=("tpo", "dg"), episodes=40) for k in (4, 8)}
    lines = lines_of(runs)
    assert [line.key for line in lines] == ["tpo_0", "dg_0", "tpo_1", "dg_1"]
    svg = drawn(diagnostics_of(lines[0].config)["error"], lines, Look(), {line.key: random(40) for line in lines})
    assert svg.count(f'stroke="{METHODS["tpo"].colour}"') == 3  # both lines, and one place in the legend
    assert 'stroke-dasharray="8,5"' in svg
    assert all(f">{name}</text>" in svg for name in (*runs, "TPO"))


def test_rollouts_and_gradient_steps_stretch_each_line_by_its_own_cost() -> None:
    config = ReversalConfig(methods=("tpo", "dg"), match="prompt", episodes=400)
    found = {m: curve(400) for m in config.methods}
    error = diagnostics_of(config)["error"]
    rollouts = columns(error, config, found, Look(over="rollouts"))
    assert max(filter(None, rollouts["tpo_x"])) == 399 * 100 * 8
    assert max(filter(None, rollouts["dg_x"])) == 399 * 100
    gradients = columns(error, config, found, Look(over="gradients"))
    assert (max(filter(None, gradients["tpo_x"])), max(filter(None, gradients["dg_x"]))) == (399 * 4, 399)


def test_the_band_is_what_was_asked_for() -> None:
    values = np.array([[0.1, 0.2, 0.3, 0.4, 1.0], [np.nan] * 5])
    for band, low, high in (("range", 0.1, 1.0), ("quartiles", 0.2, 0.4), ("error", 0.4 - 0.158, 0.4 + 0.158)):
        tables = datasets(
            ERROR, lines_of(BanditConfig()), {"tpo": summarise(values)}, Look(band=band), {}, {"tpo": values}
        )
        assert tables["curves"]["tpo_low"][0] == pytest.approx(low, abs=1e-3)
        assert tables["curves"]["tpo_high"][0] == pytest.approx(high, abs=1e-3)
        assert tables["curves"]["tpo_high"][1] is None


def test_of_many_seeds_the_first_are_drawn_and_it_is_said() -> None:
    lines = lines_of(BanditConfig(seeds=100))
    seeds = {line.key: np.random.default_rng(0).random((9, 100)) for line in lines}
    look = Look(seeds=True)
    table = datasets(ERROR, lines, {k: summarise(v) for k, v in seeds.items()}, look, {}, seeds)["seeds"]
    assert len(table) == 1 + 4 * 15
    assert table["dg_seed3"] == pytest.approx(seeds["dg"][:, 3])
    assert "thin: the first 15 seeds" in curves.spec(ERROR, lines, look)["title"]["subtitle"]


def test_where_a_mean_falls_below_the_threshold_is_marked() -> None:
    values = np.linspace(0.05, 0.0, 6)[:, None] * np.ones((1, 2))
    table = datasets(ERROR, lines_of(BanditConfig()), {"dg": summarise(values), "tpo": curve(3)})["reached"]
    assert table == {"place": [1.0], "x": [5.0], "y": [0.01], "step": [5.0]}


def test_the_axis_over_rollouts_of_exact_updates_is_refused() -> None:
    with pytest.raises(InputError, match="Exact updates draw no rollouts"):
        curves.spec(ERROR, lines_of(BanditConfig(update="exact")), Look(over="rollouts"))


def test_a_gradient_that_ends_is_cut_off_at_a_foot_and_its_axis_grows_upwards_only() -> None:
    config = ReversalConfig(methods=("tpo",), episodes=4)
    norm = diagnostics_of(config)["grad_norm"]
    assert scales.value_axis(norm, lines_of(config), USUAL)["scale"] == {"type": "log", "domainMin": 1e-3}
    found = {"tpo": summarise(np.array([[2.0], [1e-2], [0.0], [1e-7]]))}
    assert columns(norm, config, found)["tpo"] == [2.0, 1e-2, 1e-3, 1e-3]


def test_the_legend_of_the_runs_stands_below_that_of_the_methods() -> None:
    config = ReversalConfig(methods=("tpo", "grpo"))
    one, several = (curves.spec(ERROR, lines_of(c), USUAL) for c in (config, {"K = 4": config, "K = 8": config}))
    assert several["config"]["legend"]["layout"]["top"]["direction"] == "vertical"
    assert "layout" not in one["config"]["legend"]
