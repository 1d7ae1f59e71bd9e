"""Pages without a browser, each run without the entry: nobody draws, so nobody is waited for."""

from pathlib import Path

import pytest
from streamlit.delta_generator import DeltaGenerator

from tpo_lab.ui import pace


@pytest.fixture(autouse=True)
def no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "HEAD_START", 0)


@pytest.fixture(autouse=True)
def opened_on(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Where the links of a page's last run lead: URL parameters by page. Only the entry makes other pages known."""
    found: dict[str, dict[str, str]] = {}

    def page_link(_: DeltaGenerator, page: str, *, query_params: dict[str, str], **__: object) -> None:
        assert (Path(__file__).parents[2] / page).is_file()
        found[Path(page).stem] = query_params

    monkeypatch.setattr(DeltaGenerator, "page_link", page_link)
    return found
