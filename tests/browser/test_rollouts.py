"""The page Rollouts in a browser: bars are brushed, a group leaves for Target, an upload is text and nothing else."""

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import settled

MARKUP = '<img src="https://example.org/x.png"><script>window.hacked = 1</script> ![x](https://example.org/y.png)'


def brush(page: Page, chart: Locator, low: float, high: float) -> None:
    """Drag across the middle of a chart, between two shares of its width."""
    box = chart.locator("svg.marks").bounding_box()
    assert box
    y = box["y"] + 0.5 * box["height"]
    page.mouse.move(box["x"] + low * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + high * box["width"], y, steps=4)
    page.mouse.up()


def test_a_brush_narrows_the_groups_and_one_of_them_opens_on_target(page: Page) -> None:
    page.goto("/rollouts?look=groups")
    settled(page)
    expect(page.get_by_text("All 96 groups")).to_be_visible()
    brush(page, page.locator("[data-testid=stVegaLiteChart]").first, 0.62, 0.8)
    expect(page).to_have_url(re.compile(r"sigma=0\.\d+%2C0\.\d+"))
    settled(page)
    expect(page.get_by_text(re.compile(r"^All \d{1,2} groups; choose a row"))).to_be_visible()
    scores = page.locator(".cards .card").count()
    assert scores == 8

    rows = page.locator(".rows-table tbody tr")
    second, third = (rows.nth(i).locator("td").first.text_content() for i in (1, 2))
    rows.nth(1).click()
    expect(page).to_have_url(re.compile(f"group={second}$"))
    expect(page.get_by_text(re.compile(f"^Group {second}[,:]"))).to_be_visible()
    rows.nth(1).press("ArrowDown")
    expect(page.get_by_text(re.compile(f"^Group {third}[,:]"))).to_be_visible()
    expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    settled(page)
    page.get_by_role("link", name="Open on Target").click()
    expect(page).to_have_url(re.compile(r"/target\?scores="))
    settled(page)
    expect(page.locator(".headline h4").first).to_be_visible()
    page.go_back()
    settled(page)
    expect(page.locator(".cards .card").first).to_be_visible()


def test_a_range_of_rewards_is_brushed_and_cleared_and_a_wrong_advantage_is_flagged(page: Page) -> None:
    page.goto("/rollouts?look=groups&sort=disagrees")
    settled(page)
    expect(page.locator(".card.differs").first).to_contain_text("−1.31 in the file, −1.17 by trl_group")
    expect(page.locator(".rows-table tr[aria-selected=true]")).to_contain_text("differs")
    chart = page.locator("[data-testid=stVegaLiteChart]").nth(1)
    brush(page, chart, 0.3, 0.6)
    expect(page).to_have_url(re.compile(r"reward=0\.\d+%2C0\.\d+"))
    expect(page.get_by_text(re.compile(r"^All \d{1,2} groups; choose a row"))).to_be_visible()
    expect(page.locator(".card.differs")).to_have_count(0)
    low, high = map(float, page.get_by_role("textbox", name="Mean score").input_value().split(","))
    means = page.locator(".rows-table tbody td:nth-child(5)").all_text_contents()
    assert means
    assert all(low <= float(mean) <= high for mean in means)
    faded = chart.locator(".mark-rect path[opacity='0.3']")
    expect(faded.first).to_be_attached()
    page.get_by_role("button", name="All groups").click()
    expect(page).to_have_url(re.compile(r"\?look=groups&sort=disagrees$"))
    expect(faded).to_have_count(0)


def test_what_is_uploaded_is_shown_as_text_and_forgotten(page: Page) -> None:
    page.goto("/rollouts?place=upload&look=groups")
    settled(page)
    rows = [{"group": i // 4, "score": float(i % 4 == 0), "text": MARKUP, "prompt": MARKUP} for i in range(16)]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    page.locator("input[type=file]").set_input_files({"name": "dump.jsonl", "mimeType": "text/plain", "buffer": data})
    settled(page)
    expect(page.locator(".cards .card").first).to_contain_text(MARKUP)
    assert page.locator(".cards img, .cards script").count() == 0
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="Forget the files").click()
    settled(page)
    expect(page.get_by_text("Choose files on the left")).to_be_visible()
    # The fixture fails the test on a request to another host.
