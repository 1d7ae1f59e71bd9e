"""The page Digits in a browser: a run is started, its curve grows, and the surplus and the digits come with it."""

import re

from playwright.sync_api import Page, expect

from tests.browser.test_bandits import CHARTS, WARM_MS, progress


def test_a_run_is_started_and_its_surplus_and_digits_are_seen(page: Page) -> None:
    page.goto("/digits?methods=tpo,pg&episodes=100&seeds=2")
    expect(page.locator(CHARTS)).to_have_count(2, timeout=WARM_MS)
    page.get_by_role("button", name="Run", exact=True).click()
    progress(page, "Done", WARM_MS)
    surplus = page.locator(".st-key-digits-surplus svg.marks")
    expect(surplus.locator(".mark-rect path").first).to_be_attached()
    expect(page.get_by_text("At the latest evaluation, step 100.")).to_be_visible()
    expect(page.locator(".digits img")).to_have_count(12)
    page.locator("[class*=st-key-digits-images] button", has_text="The hardest").click()
    expect(page).to_have_url(re.compile("images=hard"))
    expect(page.locator(".digits img")).to_have_count(12)
