"""Rows into groups: equal keys, or rows that follow each other; uneven sizes and repeated rows are normal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.limits import MAX_GROUP
from tpo_lab.rollouts_io.table import Ints, Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats

if TYPE_CHECKING:
    from tpo_lab.rollouts_io.gather import Gathered


def grouped(
    gathered: "Gathered",
    floats: dict[str, Floats],
    codes: dict[str, Ints],
    labels: Mapping[str, Sequence[str]],
    text: pa.ChunkedArray | None,
    prompt: pa.ChunkedArray | None,
) -> Rollouts:
    """The normal form of gathered rows.

    Raises:
        InputError: if no group is left.
    """
    columns, notes = gathered.columns, gathered.notes()
    step = floats.pop("step")
    groups, said = _group_numbers(gathered, codes, step)
    notes += said
    keep = _once(gathered, codes.get("candidate"), groups) & _not_huge(gathered, groups)
    if not keep.any():
        raise InputError("group", f"No group is left: {'; '.join(gathered.faults.sentences())}.")
    # Groups by step, then as they come; rows of a group as they come.
    rows = np.flatnonzero(keep)
    first = _first_rows(groups)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.lexsort((first, step[first]))] = np.arange(len(first))  # NaN, no step, is last
    order = rows[np.argsort(rank[groups[rows]], kind="stable")]
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    heads = order[starts]
    key, names = _labels(codes, labels, heads)
    parts = {name.removeprefix("score."): floats[name][order] for name in floats if name.startswith("score.")}
    score = _total(parts, columns.weights)
    log_prob, length, advantage = (_or_none(floats.get(name), order) for name in ("log_prob", "length", "advantage"))
    notes += _policy_notes(log_prob, score)
    return Rollouts(
        gathered.format,
        columns,
        gathered.names,
        np.append(starts, len(order)),
        step[heads],
        names,
        key,
        score,
        parts if len(parts) > 1 else {},
        log_prob,
        length,
        advantage,
        order,
        text,
        prompt,
        gathered.faults,
        tuple(notes),
    )


def _group_numbers(gathered: "Gathered", codes: Mapping[str, Ints], step: Floats) -> tuple[Ints, list[str]]:
    """A group number for each row: equal keys within a step, or within a file where no step is known."""
    columns = gathered.columns
    no_step = np.isnan(step)
    steps = np.unique(np.where(no_step, -np.inf, step), return_inverse=True)[1]
    where = _joined(steps, np.where(no_step, codes["file"], 0))
    if columns.size is not None and not columns.group:
        first = np.flatnonzero(np.diff(where, prepend=-1))
        at = np.arange(len(where)) - np.repeat(first, np.diff(np.append(first, len(where))))
        return _joined(np.cumsum(np.diff(where, prepend=where[0]) != 0), at // columns.size), []
    key = where
    for name in columns.group:
        key = _joined(key, codes[f"group.{name}"])
    if not gathered.format.runs:
        return key, []
    run = np.cumsum(np.diff(key, prepend=key[0]) != 0)
    sizes = np.bincount(run)
    whole = sizes[:-1] if len(sizes) > 1 else sizes  # the last one may be cut off by the file's end
    if (whole == whole[0]).all() and whole[0] > 1 and sizes[-1] <= whole[0]:
        return run, []
    if len(np.unique(key)) == len(sizes):
        return key, []
    return key, ["Rows of a prompt do not all follow each other: equal prompts of a step are taken as one group."]


def _joined(a: Ints, b: Ints) -> Ints:
    """One number for each pair, small again."""
    pair = a * (int(b.max(initial=0)) + 2) + b + 1
    joined: Ints = np.unique(pair, return_inverse=True)[1]
    return joined


def _first_rows(groups: Ints) -> Ints:
    first: Ints = np.unique(groups, return_index=True)[1]
    return first


def _once(gathered: "Gathered", candidate: Ints | None, groups: Ints) -> Bools:
    """Every row but those whose id is there already in their group."""
    keep = np.ones(len(groups), dtype=bool)
    if candidate is None:
        return keep
    pair = _joined(groups, candidate)
    keep[:] = False
    keep[_first_rows(pair)] = True
    keep |= candidate < 0
    if (lost := int((~keep).sum())) > 0:
        gathered.faults.add("the same candidate is there already", rows=lost)
    return keep


def _not_huge(gathered: "Gathered", groups: Ints) -> Bools:
    sizes = np.bincount(groups)
    huge = sizes > MAX_GROUP
    if huge.any():
        gathered.faults.add(
            f"a group of more than {MAX_GROUP:,} rows: another column tells the groups apart",
            rows=int(sizes[huge].sum()),
        )
    return ~huge[groups]


def _labels(
    codes: Mapping[str, Ints], labels: Mapping[str, Sequence[str]], heads: Ints
) -> tuple[Ints, tuple[str, ...]]:
    """The key of each group as an index, and the words of each key."""
    if not labels:
        return np.arange(len(heads)), tuple(f"rows from {head + 1:,}" for head in heads)
    if len(labels) == 1:
        (name,) = labels
        return codes[name][heads], tuple(labels[name])
    words = [[labels[name][code] for code in codes[name][heads]] for name in labels]
    return np.arange(len(heads)), tuple(" · ".join(parts) for parts in zip(*words, strict=True))


def _total(parts: Mapping[str, Floats], weights: tuple[float, ...]) -> Floats:
    """The weighted sum of the scores that are there; NaN where none is."""
    columns = list(parts.values())
    if len(columns) == 1 and not weights:
        return columns[0]
    total = np.zeros(len(columns[0]))
    scored = np.zeros(len(total), dtype=bool)
    for values, weight in zip(columns, weights or [1.0] * len(columns), strict=True):
        there = ~np.isnan(values)
        total += np.where(there, weight * values, 0.0)
        scored |= there
    return np.where(scored, total, np.nan)


def _or_none(values: Floats | None, order: Ints) -> Floats | None:
    return None if values is None or np.isnan(values).all() else values[order]


def _policy_notes(log_prob: Floats | None, score: Floats) -> list[str]:
    if log_prob is None:
        return ["The file has no log-probs: p_old is uniform over each group."]
    said = []
    if missing := int((np.isnan(log_prob) & ~np.isnan(score)).sum()):
        said.append(f"{missing:,} scored candidates have no log-prob: p_old is uniform over their groups.")
    if positive := int((log_prob > 0).sum()):
        said.append(f"{positive:,} log-probs are above 0, which no probability has; they are used up to a constant.")
    return said
