"""The first session of a server, when it arrives by a link to a page instead of at the start."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.lab import running, settled


def test_a_deep_link_into_a_fresh_server_finds_the_menu_and_its_state(page: Page, tmp_path: Path) -> None:
    refused: list[str] = []
    page.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
    with running(tmp_path) as server:
        page.goto(f"{server.url}/target?scores=1,0,0&eta=0.5")
        settled(page)
        expect(page).to_have_title("Target · TPO Lab")
        expect(page.get_by_role("link", name="Bandits")).to_be_visible()
        expect(page.get_by_role("textbox", name="η", exact=True)).to_have_value("0.5")
        assert refused == []  # the front end knows where the server is, and asks nowhere else first
        page.goto("about:blank")  # what the page still loads must not meet a server that has gone
