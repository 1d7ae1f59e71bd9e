"""The numbers of each look of the page Low variance as a table, lossless."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tpo_lab.group.duplicates import merge
from tpo_lab.group.resample import QUANTILES
from tpo_lab.ui.microscope import View
from tpo_lab.ui.microscope_rules import rows
from tpo_lab.ui.microscope_trust import trusted

Row = Sequence[object]


def csv_text(view: View) -> str:
    """The table of the look, as CSV with a head."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_LOOKS[view.look](view))
    return text.getvalue()


def _rules(view: View) -> Iterator[Row]:
    """One row a rule and candidate."""
    yield "rule", "candidate", "score", "u", "u_exact", "q"
    index = np.flatnonzero(view.scenario.counted())
    scores = view.scenario.score_array()[index]
    for rule, *values in rows(view):
        for i, *numbers in zip(index, scores.tolist(), *(v.tolist() for v in values), strict=True):
            yield rule.name, i + 1, *numbers


def _trust(view: View) -> Iterator[Row]:
    """One row a candidate: its target, and quantiles of it under new scores; none where nothing is asked."""
    yield "candidate", "score", "q", *(f"q_{100 * level:g}_percent" for level in QUANTILES)
    if (found := trusted(view)) is None:
        return
    index = np.flatnonzero(view.scenario.counted())
    scores = view.scenario.score_array()[index]
    for i, *numbers in zip(index, scores.tolist(), found.q.tolist(), *found.quantiles.tolist(), strict=True):
        yield i + 1, *numbers


def _rewards(view: View) -> Iterator[Row]:
    """One row a candidate: its rewards, then u and q in each order."""
    found = view.combined()
    names = [f"{what}_{c.order}" for c in found for what in ("u", "q")]
    yield "candidate", *(f"reward_{m + 1}" for m in range(len(view.rewards))), *names
    values = [row for c in found for row in (c.u.tolist(), c.q.tolist())]
    yield from _numbered(zip(*view.rewards.tolist(), *values, strict=True))


def _copies(view: View) -> Iterator[Row]:
    """One row an answer."""
    found = merge(view.scenario, view.answers)
    columns = ("p_kept", "p_merged", "u_kept", "u_merged", "q_kept", "q_merged")
    yield "answer", "copies", *columns
    yield from zip(found.answers, found.copies, *(getattr(found, name).tolist() for name in columns), strict=True)


def _numbered(rows: Iterable[Row]) -> Iterator[Row]:
    for i, row in enumerate(rows):
        yield i + 1, *row


_LOOKS = {"rules": _rules, "trust": _trust, "rewards": _rewards, "copies": _copies}
