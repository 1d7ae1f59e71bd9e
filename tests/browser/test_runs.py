"""The page Runs in a browser: a run of another page is paused, resumed, stopped, deleted and brought back."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.test_bandits import CHARTS, LONG, points, progress, warm


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def test_a_run_is_paused_resumed_stopped_deleted_and_brought_back(page: Page, new_page: NewPage) -> None:
    warm(page).goto(LONG)
    expect(page.locator(CHARTS)).to_have_count(2)
    press(page, "Run")
    progress(page, "Running", 30_000)
    run_id = page.url.partition("run=")[2]

    page.get_by_role("link", name="Runs", exact=True).click()
    table = page.get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    table.click(position={"x": 12, "y": 50})  # the first row: the newest run
    progress(page, "Running")
    assert run_id in page.url
    page.wait_for_function("document.querySelectorAll('svg.marks').length === 2")
    page.evaluate(f"document.querySelectorAll('{CHARTS}').forEach(chart => chart.dataset.old = 1)")

    press(page, "Pause")
    paused = progress(page, "Paused")
    assert page.locator(f"{CHARTS}[data-old]").count() == 2  # the same drawings all along
    page.reload()
    assert progress(page, "Paused") == paused
    assert points(page) > 1
    other = new_page()
    other.goto(page.url)
    assert progress(other, "Paused") == paused

    press(page, "Resume")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_enabled()
    press(page, "Stop")
    progress(page, "Stopped")
    press(page, "Delete")
    expect(page.get_by_text("This run is deleted.")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    press(page, "Undo")
    progress(page, "Stopped")
    assert run_id in page.url
