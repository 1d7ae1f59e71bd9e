"""The data folder of a test."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.store import new_home


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data folder; not below pytest's own, which others than its owner cannot even pass."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    yield new_home(base / "lab", monkeypatch)
    shutil.rmtree(base)
