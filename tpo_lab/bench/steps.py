"""How fast the pages One update and Low variance answer in a headless Chromium: key press to all charts.

A press is over when nothing in a chart has changed for a while: the last change is what counts, and the paint after it.
A bare Streamlit page, whose press changes one word, is pressed in the same browser: what is above it is the page's own.
"""

import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch, settled
from tpo_lab.bench.page import percentile
from tpo_lab.bench.server import running, wait_until_compiled
from tpo_lab.errors import InputError

BARE = """import streamlit as st
number = st.number_input("Number", value=1, step=1)
st.html(f'<p class="marks">{number}</p>')
"""
# A press is over when nothing has changed for 350 ms. A chart that is drawn ahead and hidden is not waited for.
WATCH = """
const drawings = 'svg.marks, .marks';
const within = (node) => {
  const drawing = (node.nodeType === 1 ? node : node.parentElement)?.closest?.(drawings);
  return drawing && drawing.checkVisibility({ visibilityProperty: true });
};
const holds = (node) => node.nodeType === 1 && node.querySelector?.(drawings);
window.tpoWatch = () => {
  let pressed = 0, painted = 0, changes = 0;
  addEventListener('keydown', (event) => (pressed ||= event.timeStamp), { once: true, capture: true });
  const observer = new MutationObserver((records) => {
    const drawn = (r) => within(r.target) || [...r.addedNodes].some((node) => within(node) || holds(node));
    if (!pressed || !records.some(drawn)) return;
    changes += 1;
    requestAnimationFrame(() => setTimeout(() => (painted = performance.now())));
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  window.tpoPressed = new Promise((done) => {
    const look = () => {
      const now = performance.now();
      if (changes && painted && now - painted > 350) { observer.disconnect(); done(painted - pressed); }
      else if (pressed && !changes && now - pressed > 3000) { observer.disconnect(); done(null); }
      else setTimeout(look, 20);
    };
    look();
  });
};
"""
Press = Callable[[Page], object]


@dataclass(frozen=True)
class Action:
    """Presses of a kind, in turns.

    Attributes:
        name: what people read.
        path: of the page that is opened for it.
        presses: taken in turns; each changes at least one chart.
        ready: makes the page ready, once.
    """

    name: str
    path: str
    presses: Sequence[Press]
    ready: Press = settled


def _key(key: str) -> Press:
    return lambda page: page.keyboard.press(key)


def _enter(label: str, *values: str) -> list[Press]:
    """What a field holds is typed ahead, so that the press of Enter is what is timed."""

    def press(page: Page, value: str) -> None:
        page.get_by_label(label, exact=True).fill(value)
        page.keyboard.press("Enter")

    return [partial(press, value=value) for value in values]


def _choose(*labels: str) -> list[Press]:
    def press(page: Page, label: str) -> None:
        page.get_by_role("radio", name=label).focus()
        page.keyboard.press("Space")

    return [partial(press, label=label) for label in labels]


def _toggle(page: Page) -> None:
    page.get_by_role("toolbar", name=METHODS).get_by_role("button", name="RLOO").focus()
    page.keyboard.press("Space")


def _slide(page: Page) -> None:
    page.get_by_role("slider", name="Spread σ").focus()


METHODS = "Methods, up to 6"
MOVED = "Moved by other groups: logit of candidate 1, nats"
NOISE = "Noise of one score, score units"
STEP_AND_BACK = (_key("s"), _key("b"))
ARROWS = (_key("ArrowLeft"), _key("ArrowRight"))
_PHASE = "/one_update?phase="
_FIT, _SIDE, _LOW = f"{_PHASE}fit", "/one_update?look=methods", "/low_variance"
ACTIONS = (
    Action("One update: Sample, Score", f"{_PHASE}sample", STEP_AND_BACK),
    Action("One update: Score, Standardise", f"{_PHASE}score", STEP_AND_BACK),
    Action("One update: Standardise, Tilt", f"{_PHASE}standardise", STEP_AND_BACK),
    Action("One update: Tilt, Fit", f"{_PHASE}tilt", STEP_AND_BACK),
    Action("One update, Fit: eta", _FIT, _enter("Temperature η", "0.7", "1.4")),
    Action("One update, Fit: step size", _FIT, _enter("Step size α", "0.7", "1.4")),
    Action("One update, Fit: clip range", _FIT, _enter("Clip range ε", "0.1", "0.3")),
    Action("One update, Fit: KL weight", _FIT, _enter("KL weight β", "0.1", "0.5")),
    Action("One update, Fit: a method less, more", _FIT, (_toggle, _toggle)),
    Action("One update, methods: a method less, more", _SIDE, (_toggle, _toggle)),
    Action("One update, methods: another quantity", _SIDE, _choose("gradient", "advantage")),
    Action("One update, dead group: move", "/one_update?look=dead", _enter(MOVED, "0.5", "2")),
    Action("Low variance: spread", f"{_LOW}?scores=1,0,0,0", ARROWS, _slide),
    Action("Low variance: u, q", _LOW, _choose("advantage u", "target q")),
    Action("Low variance: float32, float64", _LOW, _choose("float32", "float64")),
    Action("Low variance, trust: noise", f"{_LOW}?look=trust", _enter(NOISE, "0.001", "0.002")),
    Action("Low variance, trust: spread", f"{_LOW}?look=trust", ARROWS, _slide),
    Action("Low variance, rewards: weights", f"{_LOW}?look=rewards", _enter("Weights", "1,2", "2,1")),
    Action("Low variance, copies: answers", f"{_LOW}?look=copies", _enter("Answers", "a,a,b", "a,b,b")),
)
BARE_ACTION = Action("A bare page", "/", _enter("Number", "2", "3"))


@dataclass(frozen=True)
class StepTimes:
    """Milliseconds from the event of a key press to the paint after the last change of a chart, by name of action."""

    presses: Mapping[str, tuple[float, ...]]

    def as_json(self) -> dict[str, object]:
        """Every time, and the medians."""
        return {"presses": self.presses, "medians": {n: statistics.median(t) for n, t in self.presses.items()}}

    def as_text(self) -> str:
        """A line an action."""
        width = max(map(len, self.presses))
        return "\n".join(
            f"{name:<{width}}  median {statistics.median(t):4.0f} ms, p90 {percentile(t, 90):4.0f} ms, of {len(t)}"
            for name, t in self.presses.items()
        )


def measure(presses: int, wanted: str = "") -> StepTimes:
    """Start a lab, a bare page and a browser, and time every action.

    Args:
        presses: of each action.
        wanted: only actions whose name holds this text.

    Raises:
        InputError: if no Chromium is found, or no action is called so.
    """
    actions = [action for action in ACTIONS if wanted in action.name]
    if not actions:
        raise InputError("action", f"No action holds '{wanted}'; known: {', '.join(a.name for a in ACTIONS)}.")
    with sync_playwright() as api, tempfile.TemporaryDirectory() as home:
        path = find(api)
        if path is None:
            raise InputError("browser", HOW_TO_GET)
        script = Path(home, "bare.py")
        script.write_text(BARE)
        with running(Path(home)) as lab, running(Path(home), script) as bare, launch(api, path) as browser:
            _timed(browser, lab.url, actions[0], 0)
            wait_until_compiled(lab)
            times = {a.name: _timed(browser, lab.url, a, presses) for a in actions}
            times |= {BARE_ACTION.name: _timed(browser, bare.url, BARE_ACTION, presses)}
    return StepTimes(times)


def _timed(browser: Browser, url: str, action: Action, presses: int) -> tuple[float, ...]:
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(action.path)
    page.locator("svg.marks, .marks").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    times = press(page, action, presses)
    context.close()
    return tuple(times)


def press(page: Page, action: Action, presses: int) -> list[float]:
    """The time of each press, in milliseconds; the first turn of each is not counted."""
    action.ready(page)
    times: list[float] = []
    for at in range(presses + len(action.presses)):
        settled(page)
        page.wait_for_timeout(100)
        page.evaluate("() => { window.tpoWatch(); }")
        action.presses[at % len(action.presses)](page)
        time = page.evaluate("window.tpoPressed")
        if time is None:
            raise InputError("action", f"'{action.name}': a press changed no chart.")
        times.append(float(time))
    return times[len(action.presses) :]
