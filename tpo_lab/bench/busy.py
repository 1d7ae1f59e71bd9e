"""What a run costs the rest of the lab: the Target page while two methods train, and the server while a tab follows.

The runs are put into the store of a lab of its own and resumed on its page Runs, as a person would.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from playwright.sync_api import Page, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch
from tpo_lab.bench.page import context_of, open_page, press, warm_up
from tpo_lab.bench.server import Server, running
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs.catalogue import Catalogue

LOOK_SECONDS = 4.0
SETTLE_SECONDS = 1.0  # after a run has its first step, or a tab has gone
LONG = 10.5  # seconds of computing, after which pages look at a run at their steady pace
TRAINING = ReversalConfig(methods=("tpo", "grpo"), seeds=2)  # of the paper's size, a lane for each of two cores
SMALL = ReversalConfig(methods=("tpo", "grpo"), length=4, prompts=32, episodes=10_000, seeds=2)  # as on a page
FOLLOWED: dict[str, AnyConfig] = {"a bandit of 100 seeds": BanditConfig(steps=10_000), "token reversal": SMALL}


@dataclass(frozen=True)
class Following:
    """What the server takes while a run is computed, in percent of a core, and how fast the run is meanwhile.

    Attributes:
        tab_percent: with a tab that follows it.
        alone_percent: without one.
        steps_per_second: of each method, with the tab.
    """

    tab_percent: float
    alone_percent: float
    steps_per_second: float


@dataclass(frozen=True)
class BusyTimes:
    """Times of a busy lab.

    Attributes:
        idle_charts, idle_answers: milliseconds from a key press on the Target page to all charts and to the words from
            Python, medians before and after the training.
        training_charts, training_answers: the same while two methods train.
        following: by run.
    """

    idle_charts: tuple[float, float]
    training_charts: float
    idle_answers: tuple[float, float]
    training_answers: float
    following: dict[str, Following]

    def as_text(self) -> str:
        """One line per figure."""
        lines = [
            _compared("key press to charts", self.idle_charts, self.training_charts),
            _compared("key press to Python's answer", self.idle_answers, self.training_answers),
        ]
        for name, of in self.following.items():
            lines.append(
                f"server while a tab follows {name} at {of.steps_per_second:.0f} steps/s: {of.tab_percent:.1f} % of a "
                f"core; {of.alone_percent:.1f} % without the tab"
            )
        return "\n".join(lines)


def _compared(what: str, idle: tuple[float, float], training: float) -> str:
    """The worse of two ratios: an idle lab before and after."""
    return (
        f"{what}: {training:.0f} ms while two methods train, {idle[0]:.0f} ms before and {idle[1]:.0f} ms after, "
        f"{training / min(idle):.2f} times"
    )


def measure(presses: int) -> BusyTimes:
    """Start a lab and a browser, and time both.

    Raises:
        InputError: if no Chromium is found.
    """
    with sync_playwright() as api, tempfile.TemporaryDirectory() as home:
        path = find(api)
        if path is None:
            raise InputError("browser", HOW_TO_GET)
        with running(Path(home)) as server, launch(api, path) as browser:
            warm_up(browser, server)
            context = context_of(browser, server.url)
            target, runs = open_page(context), context.new_page()
            found = [_medians(target, presses)]
            with _computed(runs, Path(home), TRAINING):
                runs.goto("about:blank")
                found.append(_medians(target, presses))
            found.append(_medians(target, presses))
            target.close()
            following = {name: _following(runs, server, Path(home), config) for name, config in FOLLOWED.items()}
    (charts, answers), (training_charts, training_answers), (charts_after, answers_after) = found
    return BusyTimes((charts, charts_after), training_charts, (answers, answers_after), training_answers, following)


def _medians(target: Page, presses: int) -> tuple[float, float]:
    target.bring_to_front()
    drawn, answered = zip(*press(target, presses)[1], strict=True)
    return statistics.median(drawn), statistics.median(answered)


@contextmanager
def _computed(page: Page, home: Path, config: AnyConfig) -> Iterator[str]:
    """A run of the lab while it is computed; stopped afterwards. The page shows it."""
    with closing(Catalogue(home / "home")) as catalogue:
        run_id = catalogue.add(config)  # of no process: interrupted
        page.goto(f"/runs?run={run_id}")
        page.get_by_role("button", name="Resume", exact=True).click()
        try:
            while not catalogue.get(run_id).steps:
                time.sleep(0.05)
            time.sleep(SETTLE_SECONDS)
            yield run_id
        finally:
            catalogue.want(run_id, "stop")
            while not catalogue.get(run_id).finished:
                time.sleep(0.05)


def _following(page: Page, server: Server, home: Path, config: AnyConfig) -> Following:
    page.bring_to_front()
    with closing(Catalogue(home / "home")) as catalogue, _computed(page, home, config) as run_id:
        while catalogue.get(run_id).seconds < LONG:
            time.sleep(0.05)
        began, before = time.monotonic(), catalogue.get(run_id).steps
        tab = _percent(server)
        pace = (catalogue.get(run_id).steps - before) / (time.monotonic() - began)
        page.goto("about:blank")
        time.sleep(SETTLE_SECONDS)
        return Following(tab, _percent(server), pace)


def _percent(server: Server) -> float:
    """Of a core, what the server's own process takes for some seconds."""
    process = psutil.Process(server.pid)
    process.cpu_percent()
    time.sleep(LOOK_SECONDS)
    return float(process.cpu_percent())
