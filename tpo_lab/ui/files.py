"""The group as files: saved and loaded again, and as a table. The charts save themselves."""

import csv
import io
from collections.abc import Callable

import streamlit as st

from tpo_lab.group.report import Report
from tpo_lab.ui.session import complain, replace_all
from tpo_lab.ui.view import View

UPLOAD_MB = 1


def save_and_load(view: View, now: Report) -> None:
    """Buttons that make their file when they are pressed, and the way back."""
    with st.container(horizontal=True, gap="small"):
        _download("JSON", "json", "application/json", view.to_json)
        _download("CSV", "csv", "text/csv", lambda: csv_text(now))
    st.file_uploader(
        "Load a saved group (JSON)",
        "json",
        key="target.file",
        on_change=_loaded,
        max_upload_size=UPLOAD_MB,
    )
    complain("file")


def csv_text(now: Report) -> str:
    """One row per candidate, lossless; an empty score is missing."""
    columns = {
        "candidate": range(1, now.scenario.k + 1),
        "score": now.scenario.scores,
        "u": now.u.tolist(),
        "p_old": now.p_old.tolist(),
        "q": now.q.tolist(),
        "q_minus_p": now.q_minus_p.tolist(),
    }
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _download(label: str, ending: str, mime: str, make: Callable[[], str]) -> None:
    st.download_button(
        label, make, f"tpo-group.{ending}", mime, key=f"target.save.{ending}", on_click="ignore", width="content"
    )


def _loaded() -> None:
    file = st.session_state["target.file"]
    if file is not None:
        # Bytes that are no text become signs that are no JSON.
        text = file.getvalue().decode("utf-8-sig", errors="replace")
        replace_all(lambda _: View.from_json(text), "file")
