"""Safety and soundness of every page: loopback only, no foreign host, no exception, nothing wider than the window."""

import ast
import os
import socket
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.lab import ROOT, Server, settled

SCROLLS = """() => [document.documentElement, ...document.querySelectorAll('[data-testid=stMain]')]
    .filter(box => box.scrollWidth > box.clientWidth)
    .map(box => `${box.tagName} is ${box.scrollWidth} wide in ${box.clientWidth}`)"""


def page_urls() -> dict[str, str]:
    """The file and the path of every st.Page in the lab."""
    urls = {}
    for node in ast.walk(ast.parse((ROOT / "tpo_lab/ui/lab.py").read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "Page":
            options = {option.arg: ast.literal_eval(option.value) for option in node.keywords if option.arg}
            (where,) = node.args  # file_of("target")
            assert isinstance(where, ast.Call)
            file = f"pages/{ast.literal_eval(where.args[0])}.py"
            urls[file] = "/" if options.get("default") else "/" + options.get("url_path", Path(file).stem)
    return urls


def test_every_page_file_is_in_the_navigation() -> None:
    files = {Path(file) for file in page_urls()}
    (folder,) = {file.parent for file in files}
    assert files == {path.relative_to(ROOT) for path in (ROOT / folder).glob("*.py")}


@pytest.mark.parametrize("url", page_urls().values())
def test_a_page_stays_here_shows_no_exception_and_does_not_scroll_sideways(page: Page, url: str) -> None:
    page.goto(url)
    settled(page)
    assert page.get_by_role("heading").first.inner_text()
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.evaluate(SCROLLS) == []
    # The fixture fails the test on a request to another host, a JavaScript error or a traceback of the server.


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_server_listens_on_loopback_only(server: Server) -> None:
    assert listening(server.pid) == {f"127.0.0.1:{server.port}"}


def listening(group: int) -> set[str]:
    """The addresses on which the processes of a group listen, from /proc."""
    inodes = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) == group:
                inodes |= {os.readlink(link).strip("socket:[]") for link in (process / "fd").iterdir()}
        except OSError:  # the process or the descriptor has gone
            continue
    found = set()
    for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                words = [bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8)]
                found.add(f"{socket.inet_ntop(family, b''.join(words))}:{int(port, 16)}")
    return found


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 101), ("localhost", 101), ("rebound.example", 403)])
def test_a_websocket_is_opened_for_local_names_only(server: Server, host: str, status: int) -> None:
    request = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request.encode())
        answer = connection.recv(1024).decode()
    assert answer.startswith(f"HTTP/1.1 {status} ")
