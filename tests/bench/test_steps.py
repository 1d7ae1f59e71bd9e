"""The measurement of the pages of one group: its words and its bad input; the browser part is in browser/."""

import pytest

from tpo_lab.bench.steps import ACTIONS, StepTimes
from tpo_lab.cli import main


def test_times_are_summed_up_in_words_and_as_json() -> None:
    times = StepTimes({"One": (10.0, 14.0, 12.0), "Another": (1.0, 3.0)})
    assert times.as_text() == ("One      median   12 ms, p90   14 ms, of 3\nAnother  median    2 ms, p90    3 ms, of 2")
    assert times.as_json()["medians"] == {"One": 12.0, "Another": 2.0}


def test_every_action_has_a_name_of_its_own() -> None:
    assert len({action.name for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--presses", "0"], "--presses must be from 1 to 1000; 0 was given."),
        (["--only", "no such"], "No action holds 'no such'; known: One update"),
    ],
)
def test_bad_input_is_one_sentence(option: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "steps", *option]) == 2
    assert said in capsys.readouterr().err
