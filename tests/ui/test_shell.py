"""The page in which the front end starts: what is added to it, and that everything else passes through untouched."""

import asyncio
import re
from pathlib import Path

import pytest
import streamlit
from starlette.types import Message, Receive, Scope, Send

from tpo_lab.ui.shell import KINDS, Shell, head

STATIC = Path(streamlit.__file__).parent / "static"
HTML = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", b"32"), (b"etag", b'"old"')]
PAGE = (b"<html><head></head>", b"<p></p></html>")


def answer(status: int, headers: list[tuple[bytes, bytes]], *parts: bytes) -> tuple[Scope, list[Message]]:
    """What the server sees of a request, and what the browser is sent of this answer to it."""
    seen: list[Scope] = []
    sent: list[Message] = []

    async def app(scope: Scope, _: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for at, part in enumerate(parts, 1):
            await send({"type": "http.response.body", "body": part, "more_body": at < len(parts)})

    async def receive() -> Message:
        raise AssertionError("a request to read a page has no body")

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", b"gzip"), (b"host", b"localhost")]}
    asyncio.run(Shell(app)(scope, receive, send))
    return seen[0], sent


def test_a_page_gets_the_head_and_a_true_length() -> None:
    scope, (start, body) = answer(200, HTML, *PAGE)
    first, last = PAGE
    assert body["body"] == first.replace(b"<head>", b"<head>" + head().encode()) + last
    assert dict(start["headers"]) == {HTML[0][0]: HTML[0][1], b"content-length": str(len(body["body"])).encode()}
    assert scope["headers"] == [(b"host", b"localhost")]  # a compressed page could not be added to


@pytest.mark.parametrize(
    ("status", "headers"), [(200, [(b"content-type", b"text/javascript")]), (304, HTML), (404, HTML), (200, [])]
)
def test_everything_else_passes_as_it_is(status: int, headers: list[tuple[bytes, bytes]]) -> None:
    _, (start, *bodies) = answer(status, headers, *PAGE)
    assert (start["status"], start["headers"]) == (status, headers)
    assert tuple(message["body"] for message in bodies) == PAGE


def test_the_modules_that_are_fetched_early_exist_and_are_not_fetched_anyway() -> None:
    files = re.findall(r'href="\./([^"]+)"', head())
    assert {Path(file).name.split(".")[0] for file in files} >= set(KINDS)
    assert all((STATIC / file).is_file() for file in files)
    page = (STATIC / "index.html").read_text()
    assert "./static/js/index." in page
    assert [file for file in files if file in page] == []
