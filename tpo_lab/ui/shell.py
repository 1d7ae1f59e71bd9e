"""The page of HTML in which Streamlit's front end starts, told at once what it would otherwise find out by asking.

- Where the server is. Under the path of a page the front end looks there first, fails, and waits a tenth of a second
  before it tries the root; only then does it connect. `window.__streamlit` is how a host may say it.
- Which modules it will need. It asks for those of a kind of element when the first one arrives; so they are fetched and
  compiled while all the rest is.

Measured with `tpo-lab bench page`: each saves a tenth of a second of the time to the first drawing.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KINDS = ("BidiComponent", "Html")  # the drawings and the words: what a page shows first
_MANIFEST = Path(streamlit.__file__).parent / "static" / "manifest.json"
_HTML = (b"text/html", b"text/html; charset=utf-8")
_CONNECT = """<script>
window.__streamlit = {
  BACKEND_BASE_URL: location.origin + %s,
  HOST_CONFIG: { allowedOrigins: [location.origin], useExternalAuthToken: false },
};
</script>"""


class Shell:
    """ASGI middleware that puts `head` into each page of HTML."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._head = head().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back; a page of HTML leaves once it is complete."""
        start: Message | None = None
        html = b""

        async def forward(message: Message) -> None:
            nonlocal start, html
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                html += message.get("body", b"")
                if not message.get("more_body"):
                    html = html.replace(b"<head>", b"<head>" + self._head, 1)
                    await send({**start, "headers": _headers(start, len(html))})
                    await send({"type": "http.response.body", "body": html})

        if scope["type"] == "http" and scope["method"] == "GET":
            # Nothing is gained by compressing what stays on this machine, and it could not be added to.
            headers = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
            await self._app({**scope, "headers": headers}, receive, forward)
        else:
            await self._app(scope, receive, send)


def head() -> str:
    """The address of the server, and a link for every module of `KINDS` that the front end does not load by itself."""
    base = str(streamlit.get_option("server.baseUrlPath")).strip("/")
    manifest: dict[str, Any] = json.loads(_MANIFEST.read_text(encoding="utf-8"))
    kinds = [name for name, entry in manifest.items() if entry.get("name") in KINDS]
    chunks = _needed(manifest, *kinds) - _needed(manifest, "index.html")
    files = sorted(manifest[chunk]["file"] for chunk in chunks)
    links = "".join(f'<link rel="modulepreload" crossorigin href="./{file}">' for file in files)
    return _CONNECT % json.dumps(f"/{base}" if base else "") + links


def _needed(manifest: Mapping[str, Any], *chunks: str) -> set[str]:
    """These chunks and all that they import."""
    found: set[str] = set()
    todo = list(chunks)
    while todo:
        chunk = todo.pop()
        if chunk not in found:
            found.add(chunk)
            todo += manifest[chunk].get("imports", ())
    return found


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and dict(start["headers"]).get(b"content-type") in _HTML


def _headers(start: Message, length: int) -> list[tuple[bytes, bytes]]:
    """Those of the answer, for a body of another length, without the marks by which a browser knows the old one."""
    dropped = (b"content-length", b"etag", b"last-modified")
    kept = [(name, value) for name, value in start["headers"] if name not in dropped]
    return [*kept, (b"content-length", str(length).encode())]
