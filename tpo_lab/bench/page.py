"""How fast the Target page answers in a headless Chromium: key press to all charts, and first useful paint.

The charts draw a press themselves, ahead of Python; the words and the formula come with its answer. Both are timed.
"""

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch, settled
from tpo_lab.bench.server import Server, running, wait_until_compiled
from tpo_lab.errors import InputError

PATH = "/target"
SLIDER = "Temperature η"
OPENINGS = 5
# Opened at the path of the Target page too: a server of one page shows it under every path.
BARE = """import streamlit as st
st.html('<p data-tpo-revision="bare">bare</p>')
"""
WARM_UP = 3
PAUSE_MS = 150
NEW_WINDOW_MS = 1000  # for as long a new window loads what Chromium itself shows, on the cores that a page needs

# Each chart stamps data-tpo-revision on its root once it has drawn new data, with "+" where Python has not answered;
# the roots live in shadow trees.
WATCH = """
const roots = (node = document) => [...node.querySelectorAll('*')].flatMap((element) => [
  ...(element.dataset.tpoRevision ? [element] : []), ...(element.shadowRoot ? roots(element.shadowRoot) : [])]);
const painted = (what) => requestAnimationFrame(() => setTimeout(() => what(performance.now())));
const until = (holds) => new Promise((done, fail) => {
  const end = performance.now() + 20000;
  const look = () => {
    if (holds()) painted(done);
    else if (performance.now() > end) fail(Error('The charts did not change.'));
    else requestAnimationFrame(look);
  };
  look();
});
window.tpoOpened = until(() => document.body && roots().length);
window.tpoWatch = () => {
  const before = roots().map((root) => [root, root.dataset.tpoRevision]);
  const drawn = () => before.every(([root, revision]) => root.dataset.tpoRevision !== revision);
  const answered = () => drawn() && before.every(([root]) => !root.dataset.tpoRevision.includes('+'));
  const pressed = new Promise((done, fail) => {
    addEventListener('keydown', done, { once: true, capture: true });
    setTimeout(() => fail(Error('No key was pressed.')), 20000);
  });
  const since = async (holds) => { const press = await pressed; return (await until(holds)) - press.timeStamp; };
  window.tpoPressed = Promise.all([since(drawn), since(answered)]);
  return before.length;
};
"""


@dataclass(frozen=True)
class PageTimes:
    """Times of the Target page, in milliseconds.

    Attributes:
        charts: how many charts every press waited for.
        presses: from the event of the key press to the paint after the last chart has changed, one per press.
        answers: from the same event to the paint after every chart shows what Python has answered.
        first_openings: from the start of a navigation to the paint of the first chart, with an empty cache.
        later_openings: the same in a browser that has opened the page twice before: it keeps compiled scripts then.
        bare_openings: the same of a Streamlit page that holds one word; what a page of its own can save lies above it.
    """

    charts: int
    presses: tuple[float, ...]
    answers: tuple[float, ...]
    first_openings: tuple[float, ...]
    later_openings: tuple[float, ...]
    bare_openings: tuple[float, ...]

    def as_json(self) -> dict[str, object]:
        """The times and their summary."""
        return {
            **asdict(self),
            "press_median": statistics.median(self.presses),
            "press_p90": percentile(self.presses, 90),
            "answer_median": statistics.median(self.answers),
            "first_opening_median": statistics.median(self.first_openings),
            "later_opening_median": statistics.median(self.later_openings),
            "bare_opening_median": statistics.median(self.bare_openings),
        }

    def as_text(self) -> str:
        """A few lines for a terminal."""
        return (
            f"key press to all {self.charts} charts: median {statistics.median(self.presses):.0f} ms, "
            f"p90 {percentile(self.presses, 90):.0f} ms, of {len(self.presses)} presses; "
            f"to Python's answer: median {statistics.median(self.answers):.0f} ms\n"
            f"first useful paint, warm server: median {statistics.median(self.later_openings):.0f} ms, "
            f"{statistics.median(self.first_openings):.0f} ms with an empty cache, "
            f"of {len(self.later_openings)} openings each; "
            f"a bare Streamlit page: {statistics.median(self.bare_openings):.0f} ms"
        )


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest of the values that at least `percent` % of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def measure(presses: int) -> PageTimes:
    """Start a lab and a browser, and time openings of the Target page and presses of an arrow key on eta.

    Raises:
        InputError: if no Chromium is found.
    """
    with sync_playwright() as api, tempfile.TemporaryDirectory() as home:
        path = find(api)
        if path is None:
            raise InputError("browser", HOW_TO_GET)
        with running(Path(home)) as server, launch(api, path) as browser:
            warm_up(browser, server)
            bare_script = Path(home, "bare.py")
            bare_script.write_text(BARE)
            with running(Path(home), bare_script) as bare_server:
                pairs = [_openings(browser, (server.url, bare_server.url)) for _ in range(OPENINGS)]
            charts, times_ms = press(open_page(context_of(browser, server.url)), presses)
    drawn, answered = zip(*times_ms, strict=True)
    first, later = zip(*(lab for lab, _ in pairs), strict=True)
    return PageTimes(charts, drawn, answered, first, later, tuple(bare[1] for _, bare in pairs))


def _openings(browser: Browser, urls: Sequence[str]) -> list[tuple[float, float]]:
    """Of each server the first and the third opening in a browser of its own, in turns so that they share the noise."""
    contexts = [context_of(browser, url) for url in urls]
    times: list[list[float]] = [[] for _ in urls]
    for _ in range(3):
        for context, mine in zip(contexts, times, strict=True):
            page = open_page(context)
            mine.append(float(page.evaluate("window.tpoOpened")))
            page.close()
    for context in contexts:
        context.close()
    return [(mine[0], mine[-1]) for mine in times]


def warm_up(browser: Browser, server: Server) -> None:
    """Open both kinds of page once; wait until a run has ended, and until nothing is compiled ahead any more."""
    context = context_of(browser, server.url)
    page = open_page(context)
    page.goto("/bandits")
    page.get_by_text("Recorded: step").wait_for(timeout=60_000)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Done: step").wait_for(timeout=120_000)
    context.close()
    wait_until_compiled(server)


def context_of(browser: Browser, url: str) -> BrowserContext:
    """A browser of its own for one server."""
    return browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})


def open_page(context: BrowserContext) -> Page:
    """The Target page with its first chart painted, opened in a window that was there before; it watches the charts."""
    page = context.new_page()
    page.add_init_script(WATCH)
    page.wait_for_timeout(NEW_WINDOW_MS)
    page.goto(PATH)
    page.evaluate("window.tpoOpened")
    return settled(page)


def press(page: Page, presses: int) -> tuple[int, list[tuple[float, float]]]:
    """The number of charts and both times of each press: ten to the right, ten back, and in the end to where it was.

    So no end is reached, where a press would change nothing, however often this is called.
    """
    charts, times_ms = 0, []
    keys = ["ArrowRight" if at // 10 % 2 == 0 else "ArrowLeft" for at in range(WARM_UP + presses)]
    back = ["ArrowLeft"] * (keys.count("ArrowRight") - keys.count("ArrowLeft"))
    for key in (*keys, *back):
        page.wait_for_timeout(PAUSE_MS)
        charts, drawn, answered = _pressed(settled(page), key)
        times_ms.append((drawn, answered))
    return charts, times_ms[WARM_UP : len(keys)]


def _pressed(page: Page, key: str) -> tuple[int, float, float]:
    """The number of charts and both times of one press; one that a busy machine has lost is made again.

    Raises:
        playwright.sync_api.Error: if nothing is drawn after several.
    """
    tries = 3
    while True:
        page.get_by_role("slider", name=SLIDER).focus()
        charts = int(page.evaluate("window.tpoWatch()"))
        page.keyboard.press(key)
        try:
            drawn, answered = page.evaluate("window.tpoPressed")
            return charts, float(drawn), float(answered)
        except Error:
            tries -= 1
            if not tries:
                raise
