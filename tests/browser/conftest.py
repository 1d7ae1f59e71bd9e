"""Browser tests: find a Chromium, run one lab and one browser, and let no page err or reach outside.

A test takes `page` (or `new_page` for another size, theme or tab), visits paths of the lab, `page.goto("/target")`,
and waits with `settled(page)` of `tests.browser.lab`.
"""

import os
from collections.abc import Callable, Generator, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch
from tpo_lab.bench.server import Server, running

LOCAL_HOSTS = ("127.0.0.1", "localhost")
NewPage = Callable[..., Page]
PATIENCE_MS = 30_000  # on a busy machine; speed is what `tpo-lab bench` measures
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def playwright_api() -> Iterator[Playwright]:
    with sync_playwright() as api:
        yield api


@pytest.fixture(scope="session")
def chromium(playwright_api: Playwright) -> str:
    """A Chromium: one on PATH, else the one that Playwright installed, else every browser test is skipped."""
    found = find(playwright_api)
    if found is None and os.environ.get("TPO_LAB_REQUIRE_BROWSER") == "1":
        pytest.fail(HOW_TO_GET, pytrace=False)
    if found is None:
        pytest.skip(HOW_TO_GET)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let all tests without a browser share one line of the summary, instead of one a test."""
    report = yield
    if isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(HOW_TO_GET):
        report.longrepr = ("tests/browser", None, report.longrepr[2])  # type: ignore[assignment]  # None: no line number
    return report


@pytest.fixture(scope="session")
def browser(playwright_api: Playwright, chromium: str) -> Iterator[Browser]:
    browser = launch(playwright_api, chromium)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One lab for all browser tests, with a home of its own; a test that needs an untouched one calls `running`."""
    with running(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture
def new_page(browser: Browser, server: Server) -> Iterator[NewPage]:
    """Open pages: `new_page(width=1920, color_scheme="dark")`; after the test none may have erred or asked outside."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []
    printed = server.log.stat().st_size

    def open_page(width: int = 1280, height: int = 800, **options: Any) -> Page:
        context = browser.new_context(
            base_url=server.url,
            viewport={"width": width, "height": height},
            **{"reduced_motion": "reduce", **options},
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        _watch(context, wrong)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()
    with server.log.open() as log:
        log.seek(printed)
        wrong += [f"server: {log_text}"] if "Traceback" in (log_text := log.read()) else []
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """One page of 1280 x 800 in a browser context of its own."""
    return new_page()


def _watch(context: BrowserContext, wrong: list[str]) -> None:
    """Collect every request that leaves this machine, uncaught error and console error of the context."""

    def check(kind: str, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about") and parts.hostname not in LOCAL_HOSTS:
            wrong.append(f"{kind} to another host: {url}")

    def check_console(message: ConsoleMessage) -> None:
        url = message.location["url"]
        # Opened on /target, Streamlit first asks for its end points below /target, and then finds them at the root.
        if message.type == "error" and not urlsplit(url).path.endswith(("/_stcore/health", "/_stcore/host-config")):
            wrong.append(f"console error: {message.text} {url}")

    def watch_page(page: Page) -> None:
        page.on("websocket", lambda socket: check("websocket", socket.url))

    context.on("page", watch_page)
    context.on("request", lambda request: check("request", request.url))
    context.on("weberror", lambda error: wrong.append(f"uncaught error: {error.error}"))
    context.on("console", check_console)
