"""The page Runs in a browser: a run of another page is paused, resumed, stopped, deleted and brought back."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.test_bandits import CHARTS, LONG, points, progress, warm


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def labels(page: Page) -> list[str]:
    """Of the axes of the first chart."""
    return sorted(page.locator(CHARTS).first.locator(".role-axis-label text").all_text_contents())


def lines(page: Page) -> int:
    """How many mean lines the first chart has."""
    return page.locator(CHARTS).first.locator(".mark-line.role-mark path[d]").count()


def test_a_method_is_hidden_and_the_axis_zoomed_and_both_come_back(page: Page) -> None:
    warm(page)
    before, chart = labels(page), page.locator(CHARTS).first
    assert lines(page) == 4
    pg = chart.get_by_text("PG", exact=True)
    pg.click()
    expect(chart.locator(".mark-line.role-mark path[d]")).to_have_count(3)
    pg.click()
    expect(chart.locator(".mark-line.role-mark path[d]")).to_have_count(4)
    box = chart.bounding_box()
    assert box
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    expect(page.locator("#vg-tooltip-element")).to_contain_text("GRPO")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -600)
    page.keyboard.up("Control")
    page.wait_for_timeout(300)
    assert labels(page) not in ([], before)
    page.mouse.dblclick(*middle)
    page.wait_for_timeout(300)
    assert labels(page) == before


def test_a_run_is_paused_resumed_stopped_deleted_and_brought_back(page: Page, new_page: NewPage) -> None:
    warm(page).goto(LONG)
    expect(page.locator(CHARTS)).to_have_count(2)
    press(page, "Run")
    progress(page, "Running", 30_000)
    run_id = parse_qs(urlsplit(page.url).query)["run"][0]

    page.get_by_role("link", name="Runs", exact=True).click()
    table = page.get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    table.click(position={"x": 12, "y": 50})  # the first row: the newest run
    progress(page, "Running")
    assert run_id in page.url
    page.wait_for_function("document.querySelectorAll('svg.marks').length === 2")
    page.wait_for_timeout(1_000)  # a chart that finds its width only after it was drawn is drawn twice
    page.evaluate(f"document.querySelectorAll('{CHARTS}').forEach(chart => chart.dataset.old = 1)")

    press(page, "Pause")
    paused = progress(page, "Paused")
    assert page.locator(f"{CHARTS}[data-old]").count() == 2  # the same drawings all along
    table.click(position={"x": 12, "y": 85})  # the row below it as well
    expect(page.locator("table.overlay tbody tr")).to_have_count(2)
    assert f"{run_id}," in page.url.replace("%2C", ",")
    expect(page.locator(CHARTS).first).to_be_visible()  # how many: what both runs, of whatever kinds, have
    table.click(position={"x": 12, "y": 85})
    expect(page.locator("table.overlay")).to_have_count(0)
    page.wait_for_function("document.querySelectorAll('svg.marks').length === 2")
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
