"""The page Bandits in a browser: a run is started, seen, stopped, reloaded and shared, and charts never blink."""

import re
import time

from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE_MS, NewPage
from tpo_lab.methods.registry import METHODS

LONG = "/bandits?steps=10000&seeds=1000"
WARM_MS = 120_000  # a cold worker imports and compiles, on a machine that runs tests
COLOUR = METHODS["grpo"].colour
CHARTS = "[data-testid=stVegaLiteChart] svg.marks"


def progress(page: Page, word: str, timeout: float = PATIENCE_MS) -> str:
    """The line above the curves, once it begins with the word."""
    line = page.get_by_test_id("stProgress").get_by_text(f"{word}: step")
    expect(line).to_be_visible(timeout=timeout)
    return line.inner_text()


def points(page: Page) -> int:
    """How many points GRPO's curve of the error has on the screen."""
    line = page.locator(CHARTS).first.locator(f".mark-line path[stroke='{COLOUR}']")
    return (line.get_attribute("d") or "").count(",") if line.count() else 0


def has_points(page: Page, n: int) -> None:
    """Wait for so many points: the chart is drawn a little after the text above it."""
    deadline = time.monotonic() + 30
    while points(page) != n:
        assert time.monotonic() < deadline, f"{points(page)} points, not {n}"
        page.wait_for_timeout(50)


def warm(page: Page) -> Page:
    """The page with a run of its first preset, which the lab of a module's first test has yet to compute."""
    page.goto("/bandits")
    line = page.get_by_test_id("stProgress").get_by_text(": step")
    expect(line).to_be_visible(timeout=WARM_MS)
    if line.inner_text().startswith("Recorded"):
        has_points(page, 150)
        page.get_by_role("button", name="Run", exact=True).click()
    progress(page, "Done", WARM_MS)
    return page


def test_a_long_run_is_seen_at_once_stopped_at_once_and_survives_a_reload(page: Page, new_page: NewPage) -> None:
    warm(page).goto(LONG)
    expect(page.get_by_text("No run to show yet.")).to_be_visible()
    expect(page.locator(CHARTS)).to_have_count(2)
    page.evaluate(f"document.querySelectorAll('{CHARTS}').forEach(chart => chart.dataset.old = 1)")

    began = time.monotonic()
    page.get_by_role("button", name="Run", exact=True).click()
    while points(page) == 0:
        assert time.monotonic() - began < 30, "no point in time"
        page.wait_for_timeout(20)
    first_point = time.monotonic() - began
    while points(page) == 1:
        assert time.monotonic() - began < 30, "the curve does not grow"
        page.wait_for_timeout(50)
    progress(page, "Running")

    began = time.monotonic()
    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = progress(page, "Stopped")
    print(f"first point after {first_point:.2f} s, stopped after {time.monotonic() - began:.2f} s")
    assert page.locator(f"{CHARTS}[data-old]").count() == 2  # the same drawings all along
    page.wait_for_timeout(500)
    drawn = points(page)
    assert drawn > 1

    page.reload()
    assert progress(page, "Stopped") == stopped
    has_points(page, drawn)
    other = new_page()
    other.goto(page.url)
    assert progress(other, "Stopped") == stopped


def test_another_seed_runs_to_its_end_and_back_shows_the_run_before(page: Page) -> None:
    warm(page)
    before = page.url
    page.get_by_role("button", name="Another seed").click()
    expect(page.get_by_test_id("stProgress").get_by_text("fig2, seed 1")).to_be_visible()
    progress(page, "Done", WARM_MS)
    assert "seed=1" in page.url
    rows = page.locator("table.results tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("TPO")
    expect(rows.first.locator("td").first).to_have_text(re.compile("^(9[1-9]|10[0-4])$"))  # comes after the words above
    page.go_back()
    expect(page.get_by_test_id("stProgress").get_by_text("seed 1")).to_have_count(0)
    assert page.url == before


def test_bad_input_is_said_beside_its_field_and_the_curves_stay(page: Page) -> None:
    before = warm(page).url
    field = page.get_by_role("spinbutton", name="Temperature η")
    field.fill("0")
    field.press("Enter")
    expect(page.get_by_text("Temperature η must be a number from 0.01 to 100, not 0")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    assert field.input_value() == "0"
    has_points(page, 150)
    assert page.url == before
