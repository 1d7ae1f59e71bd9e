"""Buttons that save a Vega chart as SVG and PNG: the chart's own menu has PNG only."""

import streamlit as st

from tpo_lab.ui.components.bundle import javascript, stylesheet

_component = st.components.v2.component(
    "tpo_lab.chart_saver",
    html='<div class="tpo chart-saver"></div>',
    css=stylesheet("components.css") + "\n.chart-saver { text-align: right; line-height: 1; }",
    js=javascript("chart_saver.js"),
)


def chart_saver(chart: str, name: str) -> None:
    """The buttons, for the first drawing in the container of key `chart`; the files are called `name`."""
    _component(key=f"save.{chart}", data={"selector": f".st-key-{chart} svg.marks", "name": name})
