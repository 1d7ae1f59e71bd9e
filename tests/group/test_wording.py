"""Numbers in sentences."""

import math

import pytest

from tpo_lab.group.wording import figure, many, percent


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"),
        (1, "1"),
        (-0.707106, "-0.707"),
        (0.0362, "0.0362"),
        (0.000471404, "0.000471"),
        (-0.000471404, "-0.000471"),
        (0.0001, "0.0001"),
        (9.99e-5, "1e-4"),
        (4.2e-18, "4.2e-18"),
        (313.4, "313"),
        (999.7, "1000"),
        (2121.3, "2121"),
        (99999, "99999"),
        (123456, "1.2e5"),
        (1e300, "1e300"),
        (5e-324, "4.9e-324"),
        (-math.inf, "-∞"),
        (math.nan, "-"),
    ],
)
def test_figure(x: float, text: str) -> None:
    assert figure(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(0, "0 %"), (1e-9, "less than 0.1 %"), (0.4733, "47.3 %"), (0.99999, "more than 99.9 %"), (1, "100 %")],
)
def test_percent(x: float, text: str) -> None:
    assert percent(x) == text


def test_many() -> None:
    assert (many(1, "candidate"), many(3, "candidate")) == ("1 candidate", "3 candidates")
