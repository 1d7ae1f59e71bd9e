"""How fast the Target page answers in a headless Chromium: key press to all charts, and first useful paint.

The charts draw a press themselves, ahead of Python; the words and the formula come with its answer. Both are timed.
"""

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch, settled
from tpo_lab.bench.server import running
from tpo_lab.errors import InputError

PATH = "/target"
SLIDER = "Temperature η"
OPENINGS = 5
WARM_UP = 3
PAUSE_MS = 150

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
  const pressed = new Promise((done) => addEventListener('keydown', done, { once: true, capture: true }));
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
    """

    charts: int
    presses: tuple[float, ...]
    answers: tuple[float, ...]
    first_openings: tuple[float, ...]
    later_openings: tuple[float, ...]

    def as_json(self) -> dict[str, object]:
        """The times and their summary."""
        return {
            **asdict(self),
            "press_median": statistics.median(self.presses),
            "press_p90": percentile(self.presses, 90),
            "answer_median": statistics.median(self.answers),
            "first_opening_median": statistics.median(self.first_openings),
            "later_opening_median": statistics.median(self.later_openings),
        }

    def as_text(self) -> str:
        """A few lines for a terminal."""
        return (
            f"key press to all {self.charts} charts: median {statistics.median(self.presses):.0f} ms, "
            f"p90 {percentile(self.presses, 90):.0f} ms, of {len(self.presses)} presses; "
            f"to Python's answer: median {statistics.median(self.answers):.0f} ms\n"
            f"first useful paint, warm server: median {statistics.median(self.later_openings):.0f} ms, "
            f"{statistics.median(self.first_openings):.0f} ms with an empty cache, "
            f"of {len(self.later_openings)} openings each"
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
            _warm_up(browser, server.url)
            first: list[float] = []
            later: list[float] = []
            for _ in range(OPENINGS):
                context = _context(browser, server.url)
                for times in (first, [], later):
                    page = open_page(context)
                    times.append(float(page.evaluate("window.tpoOpened")))
                    page.close()
                context.close()
            charts, times_ms = press(open_page(_context(browser, server.url)), presses)
    drawn, answered = zip(*times_ms, strict=True)
    return PageTimes(charts, drawn, answered, tuple(first), tuple(later))


def _warm_up(browser: Browser, url: str) -> None:
    """Open both kinds of page once, and wait until the worker process has compiled and ended its first run."""
    context = _context(browser, url)
    page = open_page(context)
    page.goto("/bandits")
    page.get_by_text("Done: step").wait_for(timeout=120_000)
    context.close()


def _context(browser: Browser, url: str) -> BrowserContext:
    return browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})


def open_page(context: BrowserContext) -> Page:
    """The Target page with its first chart painted, in a new tab that watches the charts."""
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(PATH)
    page.evaluate("window.tpoOpened")
    return settled(page)


def press(page: Page, presses: int) -> tuple[int, list[tuple[float, float]]]:
    """The number of charts and both times of each press: ten to the right, ten back, so that no end is reached."""
    slider = page.get_by_role("slider", name=SLIDER)
    slider.focus()
    charts, times_ms = 0, []
    for at in range(WARM_UP + presses):
        page.wait_for_timeout(PAUSE_MS)
        settled(page)
        charts = page.evaluate("window.tpoWatch()")
        page.keyboard.press("ArrowRight" if at // 10 % 2 == 0 else "ArrowLeft")
        drawn, answered = page.evaluate("window.tpoPressed")
        times_ms.append((float(drawn), float(answered)))
    return charts, times_ms[WARM_UP:]
