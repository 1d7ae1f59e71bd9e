"""What it costs to watch a run for minutes: the browser's main thread, drawings anew, memory of the web process.

The run is one of another process: this one writes chunks to the lab's store at an even pace and computes nothing, so
that what is measured is watching, not training.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tpo_lab.bench.browser import HOW_TO_GET, find, launch
from tpo_lab.bench.server import running
from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.errors import InputError
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs import home
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.owner import Owner

LOOKS = ("", "&over=seconds", "&lines=seeds&band=quartiles")  # a tab each
METHODS = ("tpo", "grpo", "ppo", "dg", "grpo_no_kl")
SEEDS, STEPS_PER_MINUTE, CHUNKS_PER_SECOND = 20, 300, 3  # steps as `live-terminal` takes them on two cores
WARM_UP = 10.0  # seconds of watching before anything is counted
SAMPLE = 5.0  # seconds between two looks at the memory
CHARTS = 2
PATIENCE_MS = 120_000
WATCH = """
window.tpoLong = 0;
new PerformanceObserver((list) => { for (const task of list.getEntries()) window.tpoLong += task.duration; })
  .observe({ type: 'longtask' });
"""
MARK = "document.querySelectorAll('svg.marks').forEach((chart) => { chart.dataset.tpoOld = 1; })"
KEPT = "document.querySelectorAll('svg.marks[data-tpo-old]').length"


@dataclass(frozen=True)
class Tab:
    """One tab.

    Attributes:
        look: what its link adds.
        blocked_percent: of the time, in tasks of more than 50 ms.
        busy_percent: of the time, in tasks of any length.
        embedded_again: charts that were drawn anew.
    """

    look: str
    blocked_percent: float
    busy_percent: float
    embedded_again: int


@dataclass(frozen=True)
class StreamFigures:
    """What watching costs.

    Attributes:
        minutes: that were counted.
        memory: resident megabytes of the web process, every five seconds.
    """

    minutes: float
    tabs: tuple[Tab, ...]
    memory: tuple[float, ...]

    def as_json(self) -> dict[str, object]:
        """The figures and their summary."""
        return {**asdict(self), "memory_growth": self.growth()}

    def growth(self) -> float:
        """Megabytes from the median of the first quarter of the time to that of the last."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[-quarter:]) - statistics.median(self.memory[:quarter])

    def as_text(self) -> str:
        """A few lines for a terminal."""
        lines = [
            f"tab {tab.look or '(usual)':28} main thread blocked {tab.blocked_percent:4.1f} %, busy "
            f"{tab.busy_percent:4.1f} %, charts drawn anew: {tab.embedded_again}"
            for tab in self.tabs
        ]
        return "\n".join(
            (
                *lines,
                f"memory of the web process over {self.minutes:.1f} min: {self.memory[0]:.0f} MB at first, "
                f"{max(self.memory):.0f} at most, {self.memory[-1]:.0f} at last, {self.growth():+.1f} by quarters",
            )
        )


def measure(minutes: float) -> StreamFigures:
    """Start a lab, a run and a browser, and watch the run in three tabs.

    Raises:
        InputError: if no Chromium is found.
    """
    with sync_playwright() as api, tempfile.TemporaryDirectory() as name:
        path = find(api)
        if path is None:
            raise InputError("browser", HOW_TO_GET)
        folder = Path(name)
        with (
            running(folder) as server,
            _streaming(folder / "home", minutes) as run_id,
            launch(api, path) as browser,
        ):
            pages = [_open(browser, f"{server.url}/runs?run={run_id}{look}") for look in LOOKS]
            return _watch(pages, psutil.Process(server.pid), 60 * minutes)


@contextmanager
def _streaming(folder: Path, minutes: float) -> Iterator[str]:
    """A run that grows for longer than it is watched; its id."""
    spare = 3 + WARM_UP / 60  # minutes, for opening the tabs
    config = ReversalConfig(methods=METHODS, seeds=SEEDS, episodes=round(STEPS_PER_MINUTE * (minutes + spare)))
    ended = threading.Event()
    home.private(folder / home.MARK)  # the lab makes it as well, whoever comes first
    with closing(Catalogue(folder)) as catalogue:
        owner = Owner(folder)
        run_id = catalogue.add(config, owner_id=owner.id)
        catalogue.set_run(run_id, "running")
        writer = threading.Thread(target=_write, args=(catalogue, run_id, config, ended))
        writer.start()
        try:
            yield run_id
        finally:
            ended.set()
            writer.join()
            owner.release()


def _write(catalogue: Catalogue, run_id: str, config: ReversalConfig, ended: threading.Event) -> None:
    """Be the worker: a chunk of every lane, again and again."""
    names, numbers = tuple(diagnostics_of(config)), np.random.default_rng(0)
    chunk = max(1, STEPS_PER_MINUTE // 60 // CHUNKS_PER_SECOND)
    with RunFile.create(catalogue.folder, run_id, names, config.seeds) as file:
        for method in config.methods:
            file.take(method)
        began = time.monotonic()
        for first in range(0, config.episodes - chunk + 1, chunk):
            falling = np.exp(-np.arange(first, first + chunk) / 500)[:, None, None]
            for method in config.methods:
                values = falling * numbers.random((chunk, len(names), config.seeds))
                file.append(method, first, values.astype(np.float32))
                seconds = time.monotonic() - began
                rate = (first + chunk) / max(seconds, 1e-3)
                catalogue.set_lane(run_id, method, status="running", steps=first + chunk, seconds=seconds, rate=rate)
            if ended.wait(max(0.0, began + (first / chunk + 1) / CHUNKS_PER_SECOND - time.monotonic())):
                return


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
    page.add_init_script(WATCH)
    page.goto(url, timeout=PATIENCE_MS)
    page.wait_for_function(f"document.querySelectorAll('svg.marks').length === {CHARTS}", timeout=PATIENCE_MS)
    return page


def _watch(pages: list[Page], server: psutil.Process, seconds: float) -> StreamFigures:
    """Wait, looking at the memory of the server, and then ask every page."""
    pages[0].wait_for_timeout(1_000 * WARM_UP)
    sessions = [page.context.new_cdp_session(page) for page in pages]
    for page, session in zip(pages, sessions, strict=True):
        session.send("Performance.enable")
        page.evaluate(MARK)
    before, began = [_spent(*both) for both in zip(pages, sessions, strict=True)], time.monotonic()
    memory = [_megabytes(server)]
    while (left := began + seconds - time.monotonic()) > 0:
        pages[0].wait_for_timeout(1_000 * min(SAMPLE, left))
        memory.append(_megabytes(server))
    watched = time.monotonic() - began
    tabs = []
    for look, page, session, (blocked, busy) in zip(LOOKS, pages, sessions, before, strict=True):
        blocked_now, busy_now = _spent(page, session)
        anew = CHARTS - int(page.evaluate(KEPT))
        tabs.append(Tab(look, 100 * (blocked_now - blocked) / watched, 100 * (busy_now - busy) / watched, anew))
    return StreamFigures(watched / 60, tuple(tabs), tuple(memory))


def _spent(page: Page, session: CDPSession) -> tuple[float, float]:
    """Seconds of the page's main thread so far: in long tasks, and in all tasks."""
    metrics = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
    return float(page.evaluate("window.tpoLong")) / 1_000, float(metrics["TaskDuration"])


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20
