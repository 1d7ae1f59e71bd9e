"""A headless Chromium that can reach this machine only, driven by Playwright (a package of the test set-up)."""

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW_TO_GET = "No Chromium: run `apt-get install chromium` or `.venv/bin/playwright install chromium`."
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    # Whatever a page asks for, no other host has an address.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
)


def find(api: Playwright) -> str | None:
    """The path of a Chromium: one on PATH, else the one that Playwright installed, else None."""
    found = next(filter(None, map(shutil.which, NAMES)), api.chromium.executable_path)
    return found if Path(found).exists() else None


def launch(api: Playwright, path: str) -> Browser:
    """Start the Chromium at `path`."""
    return api.chromium.launch(executable_path=path, args=FLAGS)


def settled(page: Page, timeout_ms: float = 15_000) -> Page:
    """Wait until the page is connected and its script has ended (not for pages on which a fragment ticks)."""
    page.wait_for_selector("[data-test-connection-state=CONNECTED]", state="attached", timeout=timeout_ms)
    page.wait_for_selector("[data-test-script-state=notRunning]", state="attached", timeout=timeout_ms)
    return page
