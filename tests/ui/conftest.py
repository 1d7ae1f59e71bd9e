"""JavaScript under node for the tests of the components."""

from pathlib import Path

import pytest

from tests.ui.javascript import Node


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)
