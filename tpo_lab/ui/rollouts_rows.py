"""The first candidates of a file as they were read, so that a wrong column is seen before anything is believed."""

import html
from collections.abc import Sequence

import numpy as np
import streamlit as st

from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Floats
from tpo_lab.ui.pieces import table
from tpo_lab.ui.rollouts_data import Data

MOST = 6
WIDEST = 80  # characters of a text


def draw(data: Data) -> None:
    """A folded table."""
    with st.expander("First rows, as read", icon=":material/table_rows:"):
        columns: dict[str, Sequence[str]] = data.workings.once("first rows", make=lambda: first_rows(data.table))
        cells = ((html.escape(cell) for cell in row) for row in zip(*columns.values(), strict=True))
        table(list(columns), ([*row] for row in cells), kind="first")


def first_rows(table: Rollouts) -> dict[str, Sequence[str]]:
    """Texts by column, one a candidate; columns that the file does not have are left out."""
    rows = range(min(MOST, table.rows))
    groups = [int(group) for group in table.starts[1:].searchsorted(rows, side="right")]
    words = [words for group in range(groups[-1] + 1) for words in table.texts(group)]
    columns = {
        "group": [table.label(group) for group in groups],
        "step": as_read(table.group_step[groups]),
        "score": _first(table.score),
        "log-prob": _first(table.log_prob),
        "tokens": _first(table.length),
        "advantage": _first(table.advantage),
        "text": None if table.text is None else [(some or "")[:WIDEST] for some in words[: len(rows)]],
    }
    return {name: values for name, values in columns.items() if values is not None}


def as_read(values: Floats) -> list[str]:
    """Numbers as they stand in the file; empty where there is none."""
    return ["" if np.isnan(value) else f"{value:.9g}" for value in values]


def _first(values: Floats | None) -> list[str] | None:
    return None if values is None else as_read(values[:MOST])
