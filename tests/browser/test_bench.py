"""The measurement of the Target page sees every chart change."""

from tests.browser.conftest import NewPage
from tpo_lab.bench.page import open_page, press


def test_a_press_is_timed_until_all_charts_have_changed(new_page: NewPage) -> None:
    charts, times = press(open_page(new_page().context), presses=2)
    assert charts >= 1
    assert len(times) == 2
    assert all(0 < drawn <= answered < 20_000 for drawn, answered in times)
