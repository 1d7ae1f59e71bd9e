"""Pages without a browser, each run without the entry: nobody draws, so nobody is waited for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.delta_generator import DeltaGenerator

from tests.runs.store import new_home
from tests.runs.test_service import FAKE
from tpo_lab.runs import service as module
from tpo_lab.runs.service import RunService
from tpo_lab.ui import form, pace


@pytest.fixture(autouse=True)
def no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "HEAD_START", 0)


@pytest.fixture(autouse=True)
def whole_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """`AppTest` forgets what a run of a part leaves as it is; browser tests see such runs."""
    monkeypatch.setattr(form, "run_part", lambda _: None)


@pytest.fixture(autouse=True)
def opened_on(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Where the links of a page's last run lead: URL parameters by page. Only the entry makes other pages known."""
    found: dict[str, dict[str, str]] = {}

    def page_link(_: DeltaGenerator, page: Path, *, query_params: dict[str, str], **__: object) -> None:
        assert page.is_file()
        found[page.stem] = query_params

    monkeypatch.setattr(DeltaGenerator, "page_link", page_link)
    return found


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[RunService]:
    """A service of its own, whose one worker computes nothing."""
    service = RunService(new_home(tmp_path / "lab", monkeypatch), workers=1, command=FAKE)
    monkeypatch.setattr(module, "_service", service)
    yield service
    service.close()
