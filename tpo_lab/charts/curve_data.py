"""The data of a chart of curves: few points of each line, the extremes among them, as columns by name."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tpo_lab.charts.diagnostics import Diagnostic
from tpo_lab.charts.lines import USUAL, Line, Look, thin, together
from tpo_lab.charts.points import Floats, Steps, edges_of_seconds, edges_of_steps, evenly, picked
from tpo_lab.charts.scales import floor
from tpo_lab.experiments.summaries import Summary, first_below

Columns = dict[str, Sequence[float | None]]
Values = npt.NDArray[np.floating]
QUARTILES = (0.25, 0.75)


def datasets(
    diagnostic: Diagnostic,
    lines: Sequence[Line],
    found: Mapping[str, Summary],
    look: Look = USUAL,
    paces: Mapping[str, float] | None = None,
    seeds: Mapping[str, Values] | None = None,
) -> dict[str, Columns]:
    """Data for `curves.spec`, by name.

    `curves`: at most 150 rows; per line, under its key, the mean, `_low`, `_high` and `_n`, and where it is: `_x`;
    where they have these, `first` of the two points in each part of the axis.
    `seeds`, if the look has them: the same rows, per line and seed. `reached`: where means fall below the threshold.

    Args:
        found: by key of the line, as far as it has come.
        paces: seconds per step, if the look is over seconds.
        seeds: (T, S) values, if the look needs them.
    """
    lengths = {line.key: line.length(look.over, (paces or {}).get(line.key, 0.0)) for line in lines}
    edges = _edges(lines, found, lengths, look)
    single = together(lines, look)
    picks = {
        key: picked(curve.mean, _bounds(edges, lengths[key]))[:, : 1 if single else 2].ravel()
        for key, curve in found.items()
    }
    rows = max((len(steps) for steps in picks.values()), default=0)
    x = edges[:-1] if single else np.stack([edges[:-1], (edges[:-1] + edges[1:]) / 2], axis=1).ravel()
    least = _least(diagnostic, lines, look, found)
    curves: Columns = {"x": x[:rows].tolist()}
    if not single:
        curves["first"] = [1.0, 0.0] * (rows // 2)
    for line in lines:
        key, steps = line.key, picks.get(line.key, np.empty(0, np.int64))
        values = np.empty((4, 0))
        if key in found:
            values = _values(found[key], steps, look, (seeds or {}).get(key))
            values[:3] = np.maximum(values[:3], least)
        suffixes = ["", "_low", "_high", "_n"]
        if not single:
            values = np.vstack([values, steps * lengths[key]])
            suffixes.append("_x")
        curves |= {key + suffix: _column(v, rows) for suffix, v in zip(suffixes, values, strict=True)}
    tables = {"curves": curves, "reached": _reached(diagnostic, lines, found, lengths)}
    if look.seeds:
        tables["seeds"] = {"x": curves["x"]} | _thin(lines, picks, seeds or {}, least, rows)
    return tables


def _edges(lines: Sequence[Line], found: Mapping[str, Summary], lengths: Mapping[str, float], look: Look) -> Floats:
    """Edges of the buckets that the axis is cut into."""
    if look.over == "steps":
        return edges_of_steps(max(line.steps for line in lines)).astype(np.float64)
    if look.over == "seconds":
        return edges_of_seconds(max((len(curve.mean) * lengths[key] for key, curve in found.items()), default=0.0))
    return evenly(max(line.steps * lengths[line.key] for line in lines))


def _bounds(edges: Floats, length: float) -> Steps:
    """The same edges in steps of one line."""
    return np.ceil(edges / length - 1e-9).astype(np.int64) if length else edges_of_steps(1)


def _values(curve: Summary, steps: Steps, look: Look, seeds: Values | None) -> Floats:
    """Mean, band and count at some steps, (4, N)."""
    mean = curve.mean[steps]
    if look.band == "range":
        low, high = curve.low[steps], curve.high[steps]
    elif look.band == "quartiles":
        low, high = _quartiles(seeds, steps)
    else:
        error = np.nan_to_num(curve.standard_error[steps])
        low, high = mean - error, mean + error
    return np.stack([mean, low, high, curve.n[steps]])


def _quartiles(seeds: Values | None, steps: Steps) -> tuple[Floats, Floats]:
    """Of the seeds that have a value; NaN where none has, or where the seeds have not been read as far."""
    low, high = np.full((2, len(steps)), np.nan)
    if seeds is not None and seeds.size:
        there = np.flatnonzero(steps < len(seeds))
        values = np.asarray(seeds[steps[there]], np.float64)
        some = ~np.isnan(values).all(axis=1)
        low[there[some]], high[there[some]] = np.nanquantile(values[some], QUARTILES, axis=1)
    return low, high


def _least(diagnostic: Diagnostic, lines: Sequence[Line], look: Look, found: Mapping[str, Summary]) -> float:
    """The smallest value that the axis can show."""
    if not look.is_log(diagnostic):
        return -math.inf
    foot = floor(diagnostic, lines)
    if foot is not None:
        return float(10.0**foot)
    positive = [curve.mean[curve.mean > 0] for curve in found.values()]
    return float(min((np.min(values) for values in positive if len(values)), default=1.0))


def _thin(
    lines: Sequence[Line], picks: Mapping[str, Steps], seeds: Mapping[str, Values], least: float, rows: int
) -> Columns:
    """Per line and seed, the values at the points of the line's mean."""
    columns: Columns = {}
    for line in lines:
        values, steps = seeds.get(line.key, np.empty((0, 0))), picks.get(line.key, np.empty(0, np.int64))
        steps = steps[steps < len(values)]
        for seed in range(min(thin(lines), line.config.seeds)):
            found = np.maximum(values[steps, seed], least) if len(steps) else np.empty(0)
            columns[f"{line.key}_seed{seed}"] = _column(found, rows)
    return columns


def _reached(
    diagnostic: Diagnostic, lines: Sequence[Line], found: Mapping[str, Summary], lengths: Mapping[str, float]
) -> Columns:
    """Where the mean of a line is below the threshold for the first time: one row for each line that has come there."""
    table: dict[str, list[float | None]] = {"place": [], "x": [], "y": [], "step": []}
    for place, line in enumerate(lines):
        curve = found.get(line.key)
        if diagnostic.threshold is None or curve is None:
            continue
        step = first_below(curve.mean, diagnostic.threshold)
        if step is not None:
            row = (place, step * lengths[line.key], diagnostic.threshold, step)
            for name, value in zip(table, row, strict=True):
                table[name].append(float(value))
    return {**table}


def _column(values: Floats, rows: int) -> list[float | None]:
    return [None if v != v else v for v in values.tolist()] + [None] * (rows - len(values))
