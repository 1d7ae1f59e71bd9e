"""The measurement of the Target page sees every chart change."""

from playwright.sync_api import Browser

from tpo_lab.bench.page import open_page, press
from tpo_lab.bench.server import Server


def test_a_press_is_timed_until_all_charts_have_changed(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    charts, times = press(page, presses=2)
    page.context.close()
    assert charts >= 1
    assert len(times) == 2
    assert all(0 < time < 20_000 for time in times)
