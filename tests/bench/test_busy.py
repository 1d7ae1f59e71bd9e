"""The measurement of a busy lab: its words and its bad input; what drives the browser is that of `bench page`."""

import pytest

from tpo_lab.bench.busy import BusyTimes, Following
from tpo_lab.cli import main


def test_training_is_told_as_a_multiple_of_idle() -> None:
    following = {"a bandit": Following(8.0, 4.04, 1.0, 300.0)}
    times = BusyTimes((16.0, 20.0, 18.0), (24.0, 30.0), (150.0, 120.0, 150.0), (180.0, 170.0), following)
    assert times.as_text() == (
        "key press to charts: 1.50 times idle (aim: at most 1.5); 24, 30 ms while two methods train, "
        "16, 20, 18 ms idle\n"
        "key press to Python's answer: 1.25 times idle (aim: at most 1.5); 180, 170 ms while two methods train, "
        "150, 120, 150 ms idle\n"
        "server while a tab follows a bandit at 300 steps/s: 4.0 % of a core (aim: below 5), 8.0 % in the first "
        "seconds; 1.0 % without the tab"
    )


def test_a_count_out_of_range_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "busy", "--presses", "0"]) == 2
    assert capsys.readouterr().err == "tpo-lab bench: --presses must be from 1 to 1000; 0 was given.\n"
