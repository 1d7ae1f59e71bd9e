"""The lab under test: one Streamlit server of its own, and how to know that a page has settled."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A running lab: its address, its process and what it has printed."""

    url: str
    port: int
    pid: int
    log: Path


def settled(page: Page, timeout_ms: float = 15_000) -> Page:
    """Wait until the page is connected and its script has ended (not for pages on which a fragment ticks)."""
    page.wait_for_selector("[data-test-connection-state=CONNECTED]", state="attached", timeout=timeout_ms)
    page.wait_for_selector("[data-test-script-state=notRunning]", state="attached", timeout=timeout_ms)
    return page


@contextmanager
def running(home: Path, script: Path = ROOT / "app.py") -> Iterator[Server]:
    """Run the lab on a free loopback port with `home` as its TPO_LAB_HOME, and end it whatever happens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", "--server.headless=true"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "TPO_LAB_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        server = Server(f"http://127.0.0.1:{port}", port, process.pid, log)
        _wait_until_healthy(server, process)
        yield server
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        with suppress(ProcessLookupError):  # the session's group: workers that outlived the server
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_healthy(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError):  # not listening yet, or slow to answer
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"The lab did not start. It printed:\n{server.log.read_text()}")
