"""Pages without a browser: nobody draws, so nobody is waited for."""

import pytest

from tpo_lab.ui import pace


@pytest.fixture(autouse=True)
def no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "HEAD_START", 0)
