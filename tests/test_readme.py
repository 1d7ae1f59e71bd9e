"""The README: what it tells people to type works."""

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_its_python_does_what_it_says() -> None:
    blocks = re.findall(r"(?:^    import .*\n)(?:^(?:    .*)?\n)*", README, re.MULTILINE)
    assert len(blocks) == 2
    found: dict[str, Any] = {}
    for block in blocks:
        exec(textwrap.dedent(block), found)
    np.testing.assert_allclose(found["q"].sum(), 1)
    p = np.array([1, 2, 0, 4]) / 7  # the third candidate has no score
    np.testing.assert_allclose(found["gradient"], p - found["q"], atol=1e-6)
