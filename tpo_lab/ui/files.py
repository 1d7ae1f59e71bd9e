"""The group as files: saved and loaded again, as a table, as a figure, and as code."""

import csv
import io
from collections.abc import Callable

import streamlit as st

from tpo_lab.charts.target import table, target_chart
from tpo_lab.group.report import Report
from tpo_lab.group.snippets import LANGUAGES, snippet
from tpo_lab.ui.session import complain, replace_group
from tpo_lab.ui.view import View

UPLOAD_MB = 1


def save_and_load(view: View, now: Report) -> None:
    """Buttons that make their file when they are pressed, and the way back."""
    with st.container(horizontal=True, gap="small"):
        _download("JSON", "json", "application/json", view.to_json)
        _download("CSV", "csv", "text/csv", lambda: csv_text(now))
        _download("SVG", "svg", "image/svg+xml", lambda: svg(now))
        _download("PNG", "png", "image/png", lambda: png(now))
    st.file_uploader(
        "Load a saved group (JSON)",
        "json",
        key="target.file",
        on_change=_loaded,
        max_upload_size=UPLOAD_MB,
    )
    complain("file")


def code(view: View) -> None:
    """The group as a program of its own, in each library."""
    tabs = st.tabs([language.label for language in LANGUAGES.values()])
    for tab, name in zip(tabs, LANGUAGES, strict=True):
        tab.code(snippet(view.scenario, name), "python")


def csv_text(now: Report) -> str:
    """One row per candidate, lossless; an empty score is missing."""
    rows = table(now)
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def svg(now: Report) -> str:
    """The figure as SVG."""
    import vl_convert  # a tenth of a second to import: only who wants a figure waits for it

    return str(vl_convert.vegalite_to_svg(target_chart(now)))


def png(now: Report) -> bytes:
    """The figure as PNG, twice as dense as the screen."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(target_chart(now), scale=2))


def _download(label: str, ending: str, mime: str, make: Callable[[], str | bytes]) -> None:
    st.download_button(
        label, make, f"tpo-group.{ending}", mime, key=f"target.save.{ending}", on_click="ignore", width="content"
    )


def _loaded() -> None:
    file = st.session_state["target.file"]
    if file is not None:
        # Bytes that are no text become signs that are no JSON.
        text = file.getvalue().decode("utf-8-sig", errors="replace")
        replace_group(lambda _: View.from_json(text), "file")
