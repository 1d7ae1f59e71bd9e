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
ROUNDS = 2  # of training, with idle presses before, between and after: the machine may change meanwhile
TIMES, PERCENT = 1.5, 5.0  # what is aimed at
TRAINING = ReversalConfig(methods=("tpo", "grpo"), seeds=2)  # of the paper's size, a lane for each of two cores
SMALL = ReversalConfig(methods=("tpo", "grpo"), length=4, prompts=32, episodes=10_000, seeds=2)  # as on a page
FOLLOWED: dict[str, AnyConfig] = {"a bandit of 100 seeds": BanditConfig(steps=10_000), "token reversal": SMALL}


@dataclass(frozen=True)
class Following:
    """What the server takes while a run is computed, in percent of a core, and how fast the run is meanwhile.

    Attributes:
        early_percent: with a tab that follows it, in its first seconds, when pages look twice as often.
        tab_percent: with the tab, later on.
        alone_percent: without one.
        steps_per_second: of each method, with the tab.
    """

    early_percent: float
    tab_percent: float
    alone_percent: float
    steps_per_second: float


@dataclass(frozen=True)
class BusyTimes:
    """Times of a busy lab.

    Attributes:
        idle_charts, idle_answers: milliseconds from a key press on the Target page to all charts and to the words from
            Python: medians of each time that the lab was idle.
        training_charts, training_answers: the same of each time that two methods trained.
        following: by run.
    """

    idle_charts: tuple[float, ...]
    training_charts: tuple[float, ...]
    idle_answers: tuple[float, ...]
    training_answers: tuple[float, ...]
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
                f"core (aim: below {PERCENT:g}), {of.early_percent:.1f} % in the first seconds; "
                f"{of.alone_percent:.1f} % without the tab"
            )
        return "\n".join(lines)


def _compared(what: str, idle: tuple[float, ...], training: tuple[float, ...]) -> str:
    """How much longer it takes while two methods train."""
    times = statistics.mean(training) / statistics.mean(idle)
    busy, free = (", ".join(f"{median:.0f}" for median in medians) for medians in (training, idle))
    return f"{what}: {times:.2f} times idle (aim: at most {TIMES:g}); {busy} ms while two methods train, {free} ms idle"


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
            idle, training = [_medians(target, presses)], []
            for _ in range(ROUNDS):
                with _computed(runs, Path(home), TRAINING):
                    runs.goto("about:blank")
                    training.append(_medians(target, presses))
                idle.append(_medians(target, presses))
            target.close()
            following = {name: _following(runs, server, Path(home), config) for name, config in FOLLOWED.items()}
    (idle_charts, idle_answers), (charts, answers) = zip(*idle, strict=True), zip(*training, strict=True)
    return BusyTimes(idle_charts, charts, idle_answers, answers, following)


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
        early = _percent(server)
        while catalogue.get(run_id).seconds < LONG:
            time.sleep(0.05)
        began, before = time.monotonic(), catalogue.get(run_id).steps
        tab = _percent(server)
        pace = (catalogue.get(run_id).steps - before) / (time.monotonic() - began)
        page.goto("about:blank")
        time.sleep(SETTLE_SECONDS)
        return Following(early, tab, _percent(server), pace)


def _percent(server: Server) -> float:
    """Of a core, what the server's own process takes for some seconds."""
    process = psutil.Process(server.pid)
    process.cpu_percent()
    time.sleep(LOOK_SECONDS)
    return float(process.cpu_percent())
