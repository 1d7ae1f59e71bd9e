"""A chart on a page: a specification that stays, and data sets that are swapped beneath it."""

from collections.abc import Mapping
from typing import Literal

import pyarrow as pa  # type: ignore[import-untyped]
import streamlit as st

from tpo_lab.charts.axes import TEXT, Columns, Spec
from tpo_lab.ui.components.chart_saver import chart_saver


def chart(spec: Spec, datasets: Mapping[str, Columns], *, key: str, alt: str, name: str = "") -> None:
    """Draw a chart, with buttons that save it.

    Args:
        spec: Vega-Lite; its layers take their data by name. Without a height it fills what the style sheet gives it.
        datasets: by name.
        key: one word with hyphens; one per page.
        alt: what a reader who does not see it is told.
        name: of the saved files; the key by default.
    """
    data = {
        name: pa.table({c: _column(c, values) for c, values in columns.items()}) for name, columns in datasets.items()
    }
    height: Literal["content", "stretch"] = "content" if "height" in spec else "stretch"
    with st.container(key=key, gap="xxsmall"):
        st.vega_lite_chart(spec={**spec, "datasets": data}, key=f"{key}.chart", alt=alt, height=height)
        chart_saver(key, name or key)


def _column(name: str, values: object) -> pa.Array:
    # Of an empty column Arrow would make one of nulls, and a column of another type is another chart to Streamlit.
    return pa.array(values, pa.string() if name in TEXT else pa.float64())
