"""The measurement of a busy lab: its words and its bad input; what drives the browser is that of `bench page`."""

import pytest

from tpo_lab.bench.busy import BusyTimes, Following
from tpo_lab.cli import main


def test_the_worse_of_two_ratios_is_told() -> None:
    times = BusyTimes((16.0, 20.0), 24.0, (150.0, 120.0), 180.0, {"a bandit": Following(4.04, 1.0, 300.0)})
    assert times.as_text() == (
        "key press to charts: 24 ms while two methods train, 16 ms before and 20 ms after, 1.50 times\n"
        "key press to Python's answer: 180 ms while two methods train, 150 ms before and 120 ms after, 1.50 times\n"
        "server while a tab follows a bandit at 300 steps/s: 4.0 % of a core; 1.0 % without the tab"
    )


def test_a_count_out_of_range_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "busy", "--presses", "0"]) == 2
    assert capsys.readouterr().err == "tpo-lab bench: --presses must be from 1 to 1000; 0 was given.\n"
