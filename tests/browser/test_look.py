"""Look inside a run in a browser: a square is chosen by click or key, and its group opens on the Target page."""

import re
from dataclasses import replace

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.lab import Server
from tests.pages.test_look import LIVE, made_up
from tpo_lab.runs import looks
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile


def stored(server: Server) -> str:
    """A run of two episodes, both kept, in the store of the lab."""
    folder = server.log.parent / "home"
    config = replace(LIVE, methods=("tpo",), episodes=2, seeds=1)
    catalogue = Catalogue(folder)
    run_id = catalogue.add(config)
    with RunFile.create(folder, run_id, ("error", "zero_variance"), 1) as file:
        file.take("tpo")
        for episode in range(2):
            look = looks.to_bytes(made_up("tpo", episode))
            file.append("tpo", episode, np.zeros((1, 2, 1), np.float32), look=look)
    catalogue.set_lane(run_id, "tpo", status="done", steps=2)
    catalogue.set_run(run_id, "done")
    catalogue.close()
    return run_id


def test_a_square_is_chosen_and_its_group_opens_on_the_target_page(page: Page, server: Server) -> None:
    page.goto(f"/tokens?run={stored(server)}")
    page.locator("[class*=st-key-tokens-inside] button", has_text="TPO").click()
    squares = page.get_by_role("radio", name=re.compile(r"^Group \d"))
    expect(squares).to_have_count(3)
    expect(page.get_by_text("Group 1: all fail, 0 of 8 right")).to_be_visible()
    page.get_by_role("radio", name="Group 2: mixed").click()
    expect(page.get_by_text("Group 2: mixed, 4 of 8 right")).to_be_visible()
    expect(page).to_have_url(re.compile("inside=tpo&group=2$"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Group 3: all pass, 8 of 8 right")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".look .token.wrong b").first).to_have_css("text-decoration-line", "line-through")
    thumb = page.get_by_role("slider", name="Episode")
    thumb.focus()
    thumb.press("ArrowLeft")
    expect(page.get_by_text("Episode 0, the first 3 of 32 prompts")).to_be_visible()
    expect(page).to_have_url(re.compile("episode=0&group=2$"))
    page.reload()
    expect(page.get_by_role("radio", name="Group 2: mixed")).to_have_attribute("aria-checked", "true")
    page.get_by_role("link", name="Open on Target").click()
    expect(page).to_have_url(re.compile(r"/target\?scores=4%2C(\+|%20)?0"))
    expect(page.locator(".group-editor")).to_be_visible()
