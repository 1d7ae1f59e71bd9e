"""The page Target in a browser: whatever is done to it, the URL and the screen say the same group."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.lab import settled
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.view import DEFAULT, View


def visited(page: Page, **query: str) -> Page:
    page.goto("/target" + (f"?{urlencode(query)}" if query else ""))
    return charted(page)


def charted(page: Page) -> Page:
    page.locator(".group-editor[data-tpo-revision]").wait_for()
    return settled(page)


def in_url(page: Page) -> View:
    return View.from_query(dict(parse_qsl(urlsplit(page.url).query)))


def shows(page: Page, scenario: Scenario) -> None:
    """Wait until URL and chart hold the scenario; its target is then drawn as Python computes it."""
    page.wait_for_function(
        "([root, scores, q]) => !root.dataset.tpoRevision.includes('+') &&"
        " JSON.stringify(root.drawn.scores) === JSON.stringify(scores) &&"
        " root.drawn.q.every((x, i) => Math.abs(x - q[i]) < 1e-12)",
        arg=[
            page.locator(".group-editor").element_handle(),
            list(scenario.scores),
            report(scenario).q.tolist(),
        ],
    )
    until(page, lambda: in_url(page).scenario == scenario)


def until(page: Page, holds: Callable[[], bool], seconds: float = 30) -> None:
    for _ in range(int(20 * seconds)):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true at {page.url}")


def eta(page: Page) -> Locator:
    return page.get_by_role("slider", name="Temperature η")


def at_eta(value: float, scores: tuple[float, ...] = (1, 0)) -> Scenario:
    return Scenario(scores, eta=value)


def test_a_preset_is_shown_and_undone_by_back(page: Page) -> None:
    visited(page)
    page.get_by_role("button", name="One success of 8").click()
    page.get_by_role("menuitem", name="Low-variance trap").click()
    shows(page, Scenario((0.001, 0, 0)))
    expect(page.get_by_role("heading", name="Low variance")).to_be_visible()
    page.go_back()
    shows(page, DEFAULT)
    page.go_forward()
    shows(page, Scenario((0.001, 0, 0)))


def test_keys_on_the_slider_move_every_chart_and_none_is_lost(page: Page) -> None:
    visited(page, scores="1,0")
    slider = eta(page)
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight", delay=10)
    shows(page, at_eta(2.5))
    expect(slider).to_have_attribute("aria-valuetext", "2.5")
    expect(slider).to_be_focused()
    expect(page.get_by_role("textbox", name="η", exact=True)).to_have_value("2.5")
    expect(page.locator(".fit-player")).to_contain_text("0 of 100")


def test_a_dragged_eta_is_one_step_of_the_history_and_the_step_size_is_in_the_url(page: Page) -> None:
    visited(page, scores="1,0")
    before = page.evaluate("history.length")
    box = eta(page).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for pixel in range(0, 60, 3):
        page.mouse.move(x - pixel, y)
        page.wait_for_timeout(20)
    page.mouse.up()
    until(page, lambda: in_url(page).scenario.eta < 1)
    shows(page, in_url(page).scenario)
    assert page.evaluate("history.length") == before + 1
    page.get_by_role("slider", name="Step size α").focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: in_url(page).step_size == 2)
    page.go_back()
    page.go_back()
    shows(page, at_eta(1))


def test_a_drag_is_one_step_of_the_history(page: Page) -> None:
    visited(page, scores="1,0")
    before = page.evaluate("history.length")
    box = page.locator('.handle[data-kind="score"][data-i="1"]').bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for pixel in range(25):
        page.mouse.move(x, y - pixel)
        page.wait_for_timeout(20)
    assert in_url(page).scenario == at_eta(1)
    page.mouse.up()
    until(page, lambda: in_url(page).scenario.scores[1] != 0)
    dragged = in_url(page)
    assert dragged.candidate == 1  # the formula is about what was dragged
    assert dragged.scenario.scores[1] is not None
    assert 0 < dragged.scenario.scores[1] < 1
    shows(page, dragged.scenario)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    shows(page, at_eta(1))


def test_f5_a_second_tab_and_another_page_keep_the_group(page: Page, new_page: NewPage) -> None:
    visited(page, scores="1,0,0.5", policy="0.2,0.3,0.5", eta="0.333", candidate="3", step_size="2")
    expected = View(Scenario((1, 0, 0.5), policy=(0.2, 0.3, 0.5), eta=0.333), 2, 2.0)
    assert in_url(page) == expected
    page.reload()
    charted(page)
    shows(page, expected.scenario)
    expect(page.get_by_role("heading", name="Candidate 3 in the formula")).to_be_visible()
    other = new_page()
    other.goto(page.url)
    shows(charted(other), expected.scenario)
    eta(page).focus()
    page.keyboard.press("ArrowLeft")
    until(page, lambda: in_url(page).scenario.eta != 0.333)
    moved = in_url(page)
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", name="Target Policy Optimization")).to_be_visible()
    page.get_by_role("link", name="Target", exact=True).click()
    charted(page)
    shows(page, moved.scenario)
    assert in_url(page) == moved
    assert in_url(other) == expected  # a tab of its own


def test_a_bad_url_is_one_sentence_and_the_lab_goes_on(page: Page) -> None:
    visited(page, scores="1,0", rule="![](http://a.b/c)")  # `page` fails on a request to another host
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).to_contain_text("'![](http://a.b/c)'")
    drawn = page.locator(".group-editor").evaluate("root => root.drawn.q")
    np.testing.assert_allclose(drawn, report(DEFAULT).q)
    eta(page).focus()
    page.keyboard.press("ArrowRight")
    shows(page, Scenario(DEFAULT.scores, eta=1.1))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_what_is_typed_wrong_stays_beside_its_sentence(page: Page) -> None:
    visited(page, scores="1,0")
    field = page.get_by_role("textbox", name="η", exact=True)
    field.fill("-3")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("greater than 0")
    expect(field).to_have_value("-3")
    assert in_url(page).scenario == at_eta(1)
    field.fill("12.5")
    field.press("Enter")
    shows(page, at_eta(12.5))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_play_extinguishes_the_gradient(page: Page) -> None:
    visited(page, scores="1,0,0", step_size="2")
    player = page.locator(".fit-player")
    player.get_by_role("button", name="Play").click()
    page.wait_for_function("root => root.dataset.tpoStep >= 5", arg=player.element_handle())
    player.get_by_role("button", name="Pause").click()
    step = int(player.get_attribute("data-tpo-step") or 0)
    player.get_by_role("button", name="Step").click()
    expect(player).to_have_attribute("data-tpo-step", str(step + 1))
    player.get_by_role("button", name="Reset").click()
    expect(player).to_have_attribute("data-tpo-step", "0")


def test_a_saved_group_is_loaded_again(page: Page, tmp_path: Path) -> None:
    visited(page, scores="1,null,0.25", eta="0.7", candidate="3")
    page.get_by_text("Save, load").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    table = np.genfromtxt(download.value.path(), delimiter=",", names=True)
    np.testing.assert_array_equal(table["q"], report(in_url(page).scenario).q)

    visited(page)
    page.get_by_text("Save, load").click()
    page.locator("input[type=file]").set_input_files(saved)
    shows(page, Scenario((1, None, 0.25), eta=0.7))
    assert in_url(page).candidate == 2
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"\xff\xfe{")
    page.locator("input[type=file]").set_input_files(broken)
    expect(page.get_by_role("alert")).to_contain_text("not JSON")
    shows(page, Scenario((1, None, 0.25), eta=0.7))


@pytest.mark.parametrize("path", ["/", "/target", "/target?scores=" + ",".join(["1"] + ["0"] * 63)])
def test_nothing_is_wider_than_the_window(page: Page, path: str) -> None:
    page.goto(path)
    charted(page)
    assert page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
