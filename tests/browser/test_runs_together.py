"""Runs beside each other in a browser: two of them on two tabs and in one chart, a worker that is killed, and files."""

import json
import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.lab import Server
from tests.browser.test_bandits import WARM_MS, progress, warm
from tests.browser.test_runs import press
from tpo_lab.experiments.config import BanditConfig


def run_of(page: Page) -> str:
    """The id of the run in the link."""
    return parse_qs(urlsplit(page.url).query)["run"][0]


def started(page: Page, steps: int) -> Page:
    """A page of Bandits that has just started a long run, which no other test has."""
    page.goto(f"/bandits?steps={steps}&seeds=1000")
    press(page, "Run")
    expect(page).to_have_url(re.compile("run="))
    return page


def test_two_runs_on_two_tabs_take_turns_and_lie_in_one_chart(page: Page, new_page: NewPage) -> None:
    one, two = started(warm(page), 9_000), new_page()
    progress(one, "Running")
    progress(started(two, 9_001), "Waiting")
    expect(two.get_by_role("button", name="Another run is computed first")).to_be_visible()
    press(one, "Pause")
    progress(one, "Paused")
    progress(two, "Running")
    press(one, "Resume")
    progress(one, "Waiting")

    both = new_page()
    both.goto(f"/runs?run={run_of(one)},{run_of(two)}")
    rows = both.locator("table.overlay tbody tr")
    expect(rows.nth(0)).to_contain_text("Waiting")
    expect(rows.nth(1)).to_contain_text("Running")
    expect(both.locator("table.results:not(.overlay) tbody tr")).to_have_count(8)
    press(both, "Stop all")
    expect(rows.filter(has_text="Stopped")).to_have_count(2)
    progress(one, "Stopped")
    progress(two, "Stopped")


def test_a_killed_worker_is_said_and_the_run_goes_on(page: Page, server: Server) -> None:
    progress(started(warm(page), 9_002), "Running")
    children = psutil.Process(server.pid).children(recursive=True)
    next(child for child in children if "tpo_lab.runs.worker" in child.cmdline()).kill()
    expect(page.get_by_test_id("stProgress").get_by_text("worker lost, another goes on:")).to_be_visible()
    expect(page.get_by_text("The worker process was killed")).to_be_visible()

    def step() -> int:
        return int(progress(page, "Running").split("step ")[1].split(" of")[0].replace(",", ""))

    before, deadline = step(), time.monotonic() + WARM_MS / 1_000
    while step() <= before:
        assert time.monotonic() < deadline, "the methods of the killed worker stand still"
        page.wait_for_timeout(100)
    press(page, "Stop")
    progress(page, "Stopped")


def test_a_run_is_saved_in_every_form(page: Page, tmp_path: Path) -> None:
    warm(page).goto("/runs?find=done+bandit")
    page.get_by_test_id("stDataFrame").click(position={"x": 12, "y": 50})  # the first row
    progress(page, "Done")

    def saved(button: str) -> Path:
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).first.click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    config = BanditConfig.from_mapping(json.loads(saved("Settings (JSON)").read_text())["config"])
    assert saved("Curves (CSV)").read_text().startswith("method,diagnostic,step,mean,")
    assert len(saved("Results (CSV)").read_text().splitlines()) == 1 + len(config.methods)
    table = pq.read_table(saved("Every seed (Parquet)"))
    assert table.num_rows == len(config.methods) * config.seeds * config.steps
    assert saved("PNG").read_bytes().startswith(b"\x89PNG")
    svg = saved("SVG").read_text()
    assert svg.startswith("<svg")
    assert "TPO" in svg
