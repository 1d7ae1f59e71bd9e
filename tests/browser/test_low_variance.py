"""The page Low variance in a browser: keys move the group beneath charts that stay, and every chart saves itself."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.lab import settled
from tpo_lab.ui.microscope import LOOKS

CHARTS = (1, 3, 2, 1)  # on each look
CHART = ".st-key-microscope-rules svg.marks"


def spread_in_url(page: Page) -> float | None:
    found = parse_qs(urlsplit(page.url).query).get("spread")
    return float(found[0]) if found else None


def test_keys_move_the_spread_and_the_chart_stays(page: Page) -> None:
    page.goto("/low_variance?scores=1,0,0,0&show=u")
    settled(page)
    chart = page.locator(CHART)
    expect(chart).to_be_visible()
    chart.evaluate("chart => chart.dataset.old = 1")
    line = chart.locator(".mark-rule line, .mark-rule path").last
    before = line.evaluate("node => node.getBoundingClientRect().x")
    slider = page.get_by_role("slider", name="Spread σ")
    slider.focus()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => new URL(location).searchParams.has('spread')")
    page.wait_for_function(
        "([node, x]) => node.getBoundingClientRect().x < x - 20", arg=[line.element_handle(), before]
    )
    expect(slider).to_be_focused()
    settled(page)
    assert page.locator(f"{CHART}[data-old]").count() == 1
    moved = spread_in_url(page)
    assert moved is not None
    assert moved < 0.1
    page.reload()
    settled(page)
    assert spread_in_url(page) == moved
    page.get_by_role("button", name="Back to the scores").click()
    page.wait_for_function("() => !new URL(location).searchParams.has('spread')")


def test_every_look_fits_the_window_and_its_charts_are_saved(page: Page, tmp_path: Path) -> None:
    page.goto("/low_variance")
    for (look, label), charts in zip(LOOKS.items(), CHARTS, strict=True):
        page.get_by_role("radio", name=label).click()
        page.wait_for_function("look => (new URL(location).searchParams.get('look') ?? 'rules') === look", arg=look)
        expect(page.locator("[data-testid=stVegaLiteChart] svg.marks")).to_have_count(charts)
        expect(page.locator(".chart-saver")).to_have_count(charts)
        settled(page)
        assert page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.locator(".st-key-copies .chart-saver").get_by_role("button", name=kind).click()
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        assert saved.name == f"copies.{kind.lower()}"
        text = saved.read_bytes()
        assert text.startswith(b"<svg" if kind == "SVG" else b"\x89PNG")
        assert b"Probability of each answer" in text or kind == "PNG"
