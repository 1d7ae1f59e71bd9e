"""The page Token reversal in a browser: it opens on a recorded run and one button, and what is set is in the link."""

import re

from playwright.sync_api import Page, expect

from tests.browser.test_bandits import CHARTS, progress
from tpo_lab.methods.registry import METHODS


def test_it_opens_on_a_recorded_run_and_holds_its_settings_in_the_link(page: Page) -> None:
    page.goto("/tokens")
    expect(page.locator(CHARTS)).to_have_count(2)
    progress(page, "Recorded")  # no test runs this preset
    expect(page.get_by_text("Run draws over it.")).to_be_visible()
    expect(page.locator(CHARTS).first.locator(f".mark-line path[stroke='{METHODS['tpo'].colour}']")).to_have_count(1)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    field = page.get_by_role("spinbutton", name="Length H")
    field.fill("6")
    field.press("Enter")
    expect(page).to_have_url(re.compile(r"/tokens\?length=6$"))
    expect(page.get_by_text("(preset: 3)")).to_be_visible()
    page.reload()
    expect(page.get_by_role("spinbutton", name="Length H")).to_have_value("6")
    page.locator("[class*=st-key-tokens-methods] button", has_text=re.compile("^PG$")).click()
    expect(page).to_have_url(re.compile("methods="))
    page.locator("[class*=st-key-tokens-preset] button", has_text="at the end, H = 10").click()
    expect(page).to_have_url(re.compile(r"/tokens\?preset=table3-H10-prompt$"))
    expect(page.get_by_role("spinbutton", name="Length H")).to_have_value("10")
