"""The lab as a child process on a free loopback port."""

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

import psutil  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.runs.home import VARIABLE

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
WARM_SECONDS = 180


@dataclass(frozen=True)
class Server:
    """A running lab: its address, its process group and what it prints."""

    url: str
    port: int
    pid: int
    log: Path


@contextmanager
def running(folder: Path, script: Path = ROOT / "app.py") -> Iterator[Server]:
    """Run the lab, or another script, with its log and its runs in `folder`; end it and its workers whatever happens.

    Raises:
        RuntimeError: if the lab does not answer within a minute; the message holds what it printed.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", "--server.headless=true"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, VARIABLE: str(folder / "home")},
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
        with suppress(ProcessLookupError):  # workers that outlived the server
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


def wait_until_compiled(server: Server) -> None:
    """Wait until a lab whose page was opened compiles nothing ahead any more.

    Raises:
        InputError: if it does not come to an end.
    """
    lab, deadline = psutil.Process(server.pid), time.monotonic() + WARM_SECONDS
    while any(map(_compiles_ahead, lab.children())):
        if time.monotonic() > deadline:
            raise InputError("bench", f"The lab still compiles ahead after {WARM_SECONDS} s.")
        time.sleep(0.5)


def _compiles_ahead(process: psutil.Process) -> bool:
    try:
        return "tpo_lab.runs.warmth" in process.cmdline()
    except psutil.Error:  # it has just ended
        return False
