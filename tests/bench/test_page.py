"""The measurement of the Target page: its arithmetic, its words and its bad input; the browser part is in browser/."""

import pytest

from tpo_lab.bench.page import PageTimes, percentile
from tpo_lab.cli import main


def test_percentile_is_a_measured_value() -> None:
    assert percentile([3.0, 1.0, 2.0], 90) == 3.0
    assert percentile([float(value) for value in range(1, 21)], 90) == 18.0
    assert percentile([5.0], 1) == 5.0


def test_times_are_summed_up_in_words_and_as_json() -> None:
    times = PageTimes(
        charts=2,
        presses=(10.0, 14.0, 12.0),
        answers=(100.0, 140.0, 120.0),
        first_openings=(2000.0, 2200.0),
        later_openings=(900.0, 800.0),
        bare_openings=(700.0, 800.0),
    )
    assert times.as_text() == (
        "key press to all 2 charts: median 12 ms, p90 14 ms, of 3 presses; to Python's answer: median 120 ms\n"
        "first useful paint, warm server: median 850 ms, 2100 ms with an empty cache, of 2 openings each; "
        "a bare Streamlit page: 750 ms"
    )
    assert times.as_json() == {
        "charts": 2,
        "presses": (10.0, 14.0, 12.0),
        "answers": (100.0, 140.0, 120.0),
        "first_openings": (2000.0, 2200.0),
        "later_openings": (900.0, 800.0),
        "bare_openings": (700.0, 800.0),
        "press_median": 12.0,
        "press_p90": 14.0,
        "answer_median": 120.0,
        "first_opening_median": 2100.0,
        "later_opening_median": 850.0,
        "bare_opening_median": 750.0,
    }


@pytest.mark.parametrize("presses", ["0", "1001"])
def test_a_count_out_of_range_is_one_sentence(presses: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "page", "--presses", presses]) == 2
    assert capsys.readouterr().err == f"tpo-lab bench: --presses must be from 1 to 1000; {presses} was given.\n"
