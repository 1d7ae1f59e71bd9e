"""The page Mechanism in a browser: the live preset is started, its six curves appear, and a sweep takes its run up."""

import re

from playwright.sync_api import Page, expect

from tests.browser.test_bandits import CHARTS, WARM_MS, progress
from tpo_lab.methods.registry import METHODS


def test_a_race_is_started_and_the_sweep_takes_up_its_run(page: Page) -> None:
    page.goto("/mechanism?episodes=3")  # else the live preset: what is compiled for it is not compiled for this alone
    charts = page.locator(CHARTS)
    expect(charts).to_have_count(6, timeout=WARM_MS)
    page.get_by_role("button", name="Run", exact=True).click()
    progress(page, "Done", 2 * WARM_MS)
    for i in range(6):
        expect(charts.nth(i).locator(f".mark-line path[stroke='{METHODS['tpo'].colour}']")).to_have_count(1)
    expect(page.locator("table.results tbody tr")).to_have_count(2)

    page.get_by_role("radio", name="Sweep").click()
    expect(page).to_have_url(re.compile("view=sweep"))
    expect(charts).to_have_count(3)
    values = page.get_by_role("textbox", name="Values")
    values.fill("8, many")
    values.press("Enter")
    expect(page.get_by_text("Values must be numbers, with commas between them, not 'many'.")).to_be_visible()
    expect(page.get_by_role("button", name="Run the sweep")).to_be_disabled()
    values.fill("8, 16")
    values.press("Enter")
    expect(page.get_by_text("1 of 2 runs are there")).to_be_visible()
    expect(charts.first.locator(".mark-symbol path[aria-roledescription=point]")).to_have_count(2)
    expect(page.get_by_role("button", name="Run the sweep")).to_be_enabled()
