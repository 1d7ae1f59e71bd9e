"""The page One update in a browser: played, stepped by keys, reloaded, and as wide as the window with any group."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.lab import settled
from tpo_lab.ui.one_update import LOOKS, PHASES

NAME = "e => e.ariaLabel || e.labels?.[0]?.innerText || e.innerText"
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
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_visible()  # it listens to the key
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


def test_a_part_is_drawn_alone_and_all_that_depends_on_it_follows(page: Page) -> None:
    """The first temperature takes the name of its preset from the group; the second one leaves the controls."""
    page.goto("/one_update?phase=fit")
    settled(page)
    expect(page.locator(".katex-display")).to_have_count(len(PHASES))
    expect(page.locator(".katex-display:visible annotation")).to_have_text([re.compile("leftarrow")])
    expect(page.locator(".st-key-update-residuals svg.marks")).to_be_visible()
    expect(page.locator(".st-key-update-others svg.marks")).to_be_hidden()
    numbers = page.locator("p.numbers")
    eta = page.get_by_label("Temperature η", exact=True)

    def enter(text: str) -> None:
        eta.fill(text)
        eta.press("Enter")

    enter("0.7")
    expect(page.get_by_role("button", name="Your own group")).to_be_visible()
    before = numbers.text_content()
    enter("1.4")
    page.wait_for_function("() => new URL(location).searchParams.get('eta') === '1.4'")
    expect(numbers).not_to_have_text(before or "")
    enter("1.4x")
    expect(page.get_by_role("alert")).to_contain_text("'1.4x'")
    expect(eta).to_have_value("1.4x")
    page.get_by_role("button", name="Back", exact=True).click()
    at(page, "tilt")
    expect(page.get_by_role("alert")).to_be_visible()
    enter("1")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("button", name="One success of 8")).to_be_visible()
    page.wait_for_function("() => location.search === '?phase=tilt'")
    page.go_back()
    page.wait_for_function("() => new URL(location).searchParams.get('eta') === '1.4'")
    # For a moment the field before it is there as well.
    page.wait_for_function(
        "() => { const all = document.querySelectorAll('[aria-label=\"Temperature η\"]');"
        " return all.length === 1 && all[0].value === '1.4'; }"
    )


def test_every_control_is_reached_by_tab(page: Page) -> None:
    page.goto("/one_update?phase=score")
    settled(page)
    expect(page.locator("svg.marks").first).to_be_attached()
    reached = ""
    for _ in range(50):
        page.keyboard.press("Tab")
        reached += page.evaluate(
            f"({NAME})(document.activeElement.shadowRoot?.activeElement ?? document.activeElement)"
        )
    names = (
        "One success of 8",
        "Scores",
        "TPO",
        "Step size α",
        "Clip range ε",
        "Temperature η",
        "KL weight β",
        "α g",
    )
    for name in (*names, "Old policy, rule, file", "Five phases", "2 Score", "Back", "Play", "Step", "Copy as code"):
        assert name in reached


def test_every_look_fits_the_window(page: Page) -> None:
    page.goto(f"/one_update?{WIDE}&phase=fit")
    for label in LOOKS.values():
        page.get_by_role("radio", name=label).click()
        settled(page)
        expect(page.get_by_role("radio", name=label)).to_be_checked()
        assert page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
        assert page.locator("[data-testid=stException]").count() == 0


def test_a_tall_window_has_tall_charts(page: Page) -> None:
    page.goto("/one_update?phase=tilt")
    chart = page.locator(".st-key-update-phase svg.marks")
    expect(chart).to_have_attribute("height", "340")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function("e => Number(e.getAttribute('height')) > 560", arg=chart.element_handle())
