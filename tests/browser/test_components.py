"""The components in a browser: dragged, operated by keyboard, and never at odds with Python."""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.lab import Server, running, settled
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario

THREE = Scenario((1.0, 0.0, -1.0))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the components' own page in the place of the lab."""
    with running(tmp_path_factory.mktemp("components"), Path(__file__).with_name("components_page.py")) as server:
        yield server


def opened(page: Page, scenario: Scenario, sleep: float = 0) -> Page:
    page.goto(f"/?group={quote(scenario.to_json())}&sleep={sleep}")
    page.locator(".group-editor[data-tpo-revision]").wait_for()
    return settled(page)


def drawn(page: Page) -> dict[str, Any]:
    """The numbers on screen."""
    found: dict[str, Any] = page.locator(".group-editor").evaluate("root => root.drawn")
    return found


def python_state(page: Page) -> Scenario:
    """The scenario that Python holds."""
    return Scenario.from_json(page.get_by_text("scenario {").inner_text().removeprefix("scenario "))


def handle(page: Page, kind: str, i: int) -> Locator:
    return page.locator(f'.handle[data-kind="{kind}"][data-i="{i}"]')


def middle(locator: Locator) -> tuple[float, float]:
    box: FloatRect | None = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, target: Locator, up: float, release: bool = True) -> None:
    x, y = middle(target)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - up, steps=12)
    if release:
        page.mouse.up()


def is_pythons(page: Page) -> Scenario:
    """Once Python has answered, what is drawn is what Python computes for the scenario that it holds."""
    # A revision without "+n" is Python's own; it comes with the answer to the last edit.
    expect(page.locator(".group-editor")).not_to_have_attribute("data-tpo-revision", "")
    page.wait_for_function(
        "root => !root.dataset.tpoRevision.includes('+')", arg=page.locator(".group-editor").element_handle()
    )
    settled(page)
    held, shown = python_state(page), drawn(page)
    expected = report(held)
    assert shown["scores"] == list(held.scores)
    for key, values in (("u", expected.u), ("p", expected.p_old), ("q", expected.q), ("d", expected.q_minus_p)):
        np.testing.assert_array_equal(shown[key], values, err_msg=key)
    return held


def test_a_dragged_score_moves_the_target_before_and_after_python_answers(page: Page) -> None:
    opened(page, THREE)
    drag(page, handle(page, "score", 1), 20, release=False)
    shown = drawn(page)
    assert 0 < shown["scores"][1] < 1
    ahead = report(Scenario(tuple(shown["scores"])))
    np.testing.assert_allclose(shown["q"], ahead.q, rtol=0, atol=1e-12)
    page.mouse.up()
    expect(page.get_by_text("final True")).to_be_visible()
    assert is_pythons(page).scores == (1.0, shown["scores"][1], -1.0)


def test_a_dragged_probability_keeps_the_ratios_of_the_others_and_becomes_a_probability(page: Page) -> None:
    opened(page, Scenario((1.0, 0.0, 0.0), policy=(-1.0, -2.0, -3.0), kind="log_probs"))
    before = drawn(page)["p"]
    drag(page, handle(page, "policy", 0), -20)
    expect(page.get_by_text("final True")).to_be_visible()
    held = is_pythons(page)
    assert held.kind == "probs"
    after = drawn(page)["p"]
    assert after[0] < before[0]
    assert after[1] / after[2] == pytest.approx(before[1] / before[2])


def test_tiny_spreads_and_huge_scores_can_be_dragged(page: Page) -> None:
    for scenario in (Scenario((0.001, 0.0, 0.0)), Scenario((1e300, -1e300, 0.0)), Scenario((1000.1, 1000.2, 1000.0))):
        opened(page, scenario)
        spread = max(s for s in scenario.scores if s is not None) / 2 - min(s or 0 for s in scenario.scores) / 2
        drag(page, handle(page, "score", 2), 20)
        expect(page.get_by_text("final True")).to_be_visible()
        moved, was = is_pythons(page).scores[2], scenario.scores[2]
        assert moved is not None
        assert was is not None
        assert 0 < moved - was <= 2 * spread


def test_a_slow_answer_never_moves_a_bar_that_is_being_dragged(page: Page) -> None:
    """The server takes 0.3 s a run: its old answers arrive while the score goes up, and must not pull it back."""
    opened(page, THREE, sleep=0.3)
    page.locator(".group-editor").evaluate(
        "root => { window.path = []; new MutationObserver(() => window.path.push(root.drawn.scores[1]))"
        ".observe(root, {attributes: true, attributeFilter: ['data-tpo-revision']}); }"
    )
    x, y = middle(handle(page, "score", 1))
    page.mouse.move(x, y)
    page.mouse.down()
    began = time.monotonic()
    for pixel in range(1, 41):
        page.mouse.move(x, y - pixel)
        page.wait_for_timeout(25)
    page.mouse.up()
    answers = (time.monotonic() - began) / 0.3
    expect(page.get_by_text("final True")).to_be_visible()
    final = is_pythons(page).scores[1]
    path = page.evaluate("window.path")
    assert len(path) > 30
    assert path == sorted(path)
    assert path[-1] == final
    edits = int(page.get_by_text("edits ").inner_text().split()[1])
    assert 2 <= edits <= min(answers + 4, 30)  # of 40: the server was told while it could keep up, not flooded


def test_python_wins_once_the_gesture_is_over(page: Page) -> None:
    opened(page, THREE)
    drag(page, handle(page, "score", 0), 20)
    page.get_by_role("button", name="Two equal scores").click()
    expect(page.locator(".group-editor .handle")).to_have_count(4)
    assert is_pythons(page).scores == (0.5, 0.5)
    expect(page.locator(".group-editor")).to_contain_text("nothing moves")
    expect(page.locator(".fit-player")).to_contain_text("p is q already")


def test_the_keyboard_does_all_that_the_pointer_does(page: Page) -> None:
    opened(page, THREE)
    score = handle(page, "score", 0)
    score.focus()
    for key in ("ArrowUp", "ArrowUp", "PageDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(handle(page, "score", 1)).to_be_focused()
    expect(handle(page, "score", 1)).to_have_attribute("aria-valuetext", "0.05, target 0.2665")
    assert is_pythons(page).scores == pytest.approx((0.7, 0.05, -1.0))
    page.keyboard.press("Delete")
    expect(handle(page, "score", 1)).to_have_attribute("aria-valuetext", "no score")
    assert is_pythons(page).scores[1] is None
    assert drawn(page)["q"][1] == 0
    page.keyboard.press("Delete")
    page.keyboard.press("End")
    assert is_pythons(page).scores == pytest.approx((0.7, 0.7, -1.0))
    assert drawn(page)["selected"] == 1
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    is_pythons(page)
    assert drawn(page)["selected"] == 0
    for i in range(3):
        handle(page, "score", i).focus()
        page.keyboard.press("Delete")
    expect(page.get_by_role("status").filter(has_text="This score stays")).to_be_visible()
    assert is_pythons(page).scores == (None, None, -1.0)
    for i in range(2):
        handle(page, "score", i).focus()
        page.keyboard.press("Delete")
    expect(page.get_by_text("This score stays")).to_have_count(0)
    assert is_pythons(page).scores == pytest.approx((0.7, 0.7, -1.0))
    policy = handle(page, "policy", 0)
    policy.focus()
    page.keyboard.press("Home")
    assert is_pythons(page).policy == (0.0, 0.5, 0.5)
    expect(policy).to_have_attribute("aria-valuenow", "0")


def test_a_click_selects_and_hovering_says_the_exact_values(page: Page) -> None:
    opened(page, Scenario((0.25, None, 1.0)))
    handle(page, "score", 2).click()
    is_pythons(page)
    assert drawn(page)["selected"] == 2
    readout = page.locator(".group-editor .readout")
    expect(readout).to_contain_text("candidate3s1u1")
    handle(page, "score", 0).hover()
    expect(readout).to_contain_text("candidate1s0.25u−1p0.5q0.1192q − p−0.3808")
    handle(page, "score", 1).dblclick()
    held = is_pythons(page)
    assert held.scores == (0.25, 0.25, 1.0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_size_of_group_is_drawn_inside_its_frame(new_page: NewPage, scheme: str) -> None:
    """From one candidate to 64, nothing leaves the drawing, type is at least 14 px, and the theme is followed."""
    page = new_page(color_scheme=scheme)
    rng = np.random.default_rng(0)
    for k in (1, 64):
        opened(page, Scenario(tuple(rng.normal(size=k).tolist()), policy=tuple(rng.random(k).tolist())))
        expect(page.locator(".group-editor")).to_have_attribute("data-theme", scheme)
        outside = page.locator(".group-editor svg").evaluate(
            "svg => { const frame = svg.getBoundingClientRect(); return [...svg.querySelectorAll('.bar, text')]"
            ".filter((node) => node.textContent || node.tagName === 'rect').map((node) => node.getBoundingClientRect())"
            ".filter((b) => b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1"
            " || b.bottom > frame.bottom + 1).map((b) => [b.left, b.top, b.right, b.bottom]); }"
        )
        assert outside == [], k
        sizes = page.locator(".group-editor, .fit-player").evaluate_all(
            "roots => roots.flatMap((root) => [...root.querySelectorAll('text, .hint, .save, .readout')])"
            ".map((node) => parseFloat(getComputedStyle(node).fontSize))"
        )
        assert min(sizes) >= 14


def test_a_server_update_reuses_the_nodes(page: Page) -> None:
    opened(page, THREE)
    page.locator(".group-editor").evaluate("root => { window.kept = [...root.querySelectorAll('*')]; }")
    handle(page, "score", 0).focus()
    page.keyboard.press("ArrowUp")
    is_pythons(page)
    assert page.evaluate("window.kept.every((node) => node.isConnected)")


def test_the_player_plays_pauses_steps_and_resets(page: Page) -> None:
    opened(page, THREE)
    player = page.locator(".fit-player")
    expect(player).to_have_attribute("data-tpo-step", "0")
    player.get_by_role("button", name="Play").click()
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function("root => Number(root.dataset.tpoStep) >= 6", arg=player.element_handle())
    player.get_by_role("button", name="Pause").click()
    paused = int(player.get_attribute("data-tpo-step") or -1)
    player.get_by_role("button", name="Step").click()
    expect(player).to_have_attribute("data-tpo-step", str(paused + 1))
    player.get_by_role("button", name="Reset").click()
    expect(player.locator(".readout")).to_contain_text("step0 of 40")
    player.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    expect(player).to_have_attribute("data-tpo-step", "1")
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(player).to_have_attribute("data-tpo-step", "40")
    expect(player.get_by_role("button", name="Play")).to_be_visible()


def test_a_new_trajectory_keeps_the_step_and_the_scrubber_moves_it(page: Page) -> None:
    opened(page, THREE)
    player = page.locator(".fit-player")
    player.get_by_role("slider", name="Step of the fit").fill("10")
    expect(player).to_have_attribute("data-tpo-step", "10")
    before = player.get_attribute("data-tpo-revision")
    handle(page, "score", 1).focus()
    page.keyboard.press("PageUp")
    expect(player).not_to_have_attribute("data-tpo-revision", before or "")
    expect(player).to_have_attribute("data-tpo-step", "10")


def test_eta_is_dragged_and_every_drawing_follows_before_python_answers(page: Page) -> None:
    opened(page, THREE, sleep=0.5)
    slider, player = page.get_by_role("slider", name="Temperature η"), page.locator(".fit-player")
    before = player.get_attribute("data-tpo-revision")
    x, y = middle(slider)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=5)
    eta = float(slider.get_attribute("aria-valuetext") or 0)
    assert eta > 1
    np.testing.assert_allclose(drawn(page)["q"], report(Scenario(THREE.scores, eta=eta)).q, rtol=0, atol=1e-12)
    assert player.get_attribute("data-tpo-revision") not in (before, None)
    floor = float(report(Scenario(THREE.scores, eta=eta)).entropy_q)
    loss = player.evaluate("root => root.querySelector('.readout').textContent")
    assert f"{np.log(3) - floor:.3g}" in loss
    page.mouse.up()
    expect(page.get_by_text("final True")).to_be_visible()
    assert is_pythons(page) == Scenario(THREE.scores, eta=eta)


def test_a_drawing_that_is_ahead_is_never_set_back_by_an_older_answer(page: Page) -> None:
    opened(page, THREE, sleep=0.3)
    page.evaluate(
        """() => {
          const [editor, player] = [...document.querySelectorAll('*')].flatMap((e) => e.shadowRoot
            ? [...e.shadowRoot.querySelectorAll('.group-editor, .fit-player')] : []);
          window.seen = [[], []];
          [editor, player].forEach((root, n) => new MutationObserver(() => window.seen[n].push(
            n ? root.querySelector('.readout').textContent.split('loss')[1] : root.drawn.q[0])).observe(
            root, { attributes: true, attributeFilter: ['data-tpo-revision'] }));
        }"""
    )
    slider = page.get_by_role("slider", name="Temperature η")
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight", delay=20)
        page.wait_for_timeout(120)
    is_pythons(page)
    targets, losses = page.evaluate("window.seen")
    assert targets == sorted(targets, reverse=True)  # a warmer eta takes from the best, at each press and answer
    assert len(set(losses)) == len([x for x, y in pairwise([*losses, None]) if x != y])  # none comes a second time


def test_the_step_size_is_set_by_key_and_python_hears_of_it(page: Page) -> None:
    opened(page, THREE)
    player = page.locator(".fit-player")
    size = player.get_by_role("slider", name="Step size α")
    size.focus()
    page.keyboard.press("ArrowRight")
    expect(size).to_have_attribute("aria-valuetext", "2")
    page.wait_for_function("root => !root.dataset.tpoRevision.includes('+')", arg=player.element_handle())
    expect(size).to_have_attribute("aria-valuetext", "2")
    expect(size).to_be_focused()


def test_the_drawing_is_saved_as_svg_and_png(page: Page, tmp_path: Path) -> None:
    opened(page, THREE)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.locator(".group-editor").get_by_role("button", name=kind).click()
        download.value.save_as(tmp_path / "drawing")
        assert (tmp_path / "drawing").read_bytes().startswith(start)
        assert download.value.suggested_filename == f"tpo-lab-group.{kind.lower()}"
