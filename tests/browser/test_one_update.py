"""The page One update in a browser: played, stepped by keys, reloaded, and as wide as the window with any group."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.lab import settled
from tpo_lab.ui.one_update import LOOKS

WIDE = "scores=" + ",".join(["1"] + ["0"] * 63)


def phase(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("phase", ["sample"])[0]


def at(page: Page, name: str) -> None:
    page.wait_for_function("name => (new URL(location).searchParams.get('phase') ?? 'sample') === name", arg=name)
    expect(page.get_by_role("heading", name=name.capitalize(), exact=True)).to_be_visible()


def test_keys_step_and_play_goes_to_the_end(page: Page) -> None:
    page.goto("/one_update?scores=1,0,0.5")
    settled(page)
    expect(page.get_by_role("heading", name="Sample", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Step Shortcut")).to_be_visible()  # it listens to the key
    page.keyboard.press("s")
    at(page, "score")
    page.keyboard.press("s")
    at(page, "standardise")
    page.keyboard.press("b")
    at(page, "score")
    page.reload()
    settled(page)
    at(page, "score")
    page.get_by_role("button", name="Play").click()
    at(page, "fit")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.go_back()
    at(page, "tilt")


def test_every_look_fits_the_window(page: Page) -> None:
    page.goto(f"/one_update?{WIDE}&phase=fit")
    for label in LOOKS.values():
        page.get_by_role("radio", name=label).click()
        settled(page)
        expect(page.get_by_role("radio", name=label)).to_be_checked()
        assert page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.locator("[data-testid=stException]").count() == 0
