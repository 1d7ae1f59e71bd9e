"""The first candidates of a file as they were read, so that a wrong column is seen before anything is believed."""

import pandas as pd
import streamlit as st

from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.ui.rollouts_data import Data

MOST = 6
WIDEST = 80  # characters of a text


def draw(data: Data) -> None:
    """A folded table; the browser also has the code of tables then, before the first look at the groups."""
    with st.expander("First rows, as read", icon=":material/table_rows:"):
        st.dataframe(
            data.workings.once("first rows", make=lambda: first_rows(data.table)),
            hide_index=True,
            key="rollouts.first",
            alt="First candidates of the file",
        )


def first_rows(table: Rollouts) -> pd.DataFrame:
    """One row a candidate; columns that the file does not have are left out."""
    rows = range(min(MOST, table.rows))
    groups = [int(group) for group in table.starts[1:].searchsorted(rows, side="right")]
    words = [words for group in range(groups[-1] + 1) for words in table.texts(group)]
    columns = {
        "group": [table.label(group) for group in groups],
        "step": table.group_step[groups],
        "score": table.score[: len(rows)],
        "log-prob": None if table.log_prob is None else table.log_prob[: len(rows)],
        "tokens": None if table.length is None else table.length[: len(rows)],
        "advantage": None if table.advantage is None else table.advantage[: len(rows)],
        "text": None if table.text is None else [(some or "")[:WIDEST] for some in words[: len(rows)]],
    }
    return pd.DataFrame({name: values for name, values in columns.items() if values is not None})
