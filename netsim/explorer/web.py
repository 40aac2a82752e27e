"""The page on the loopback, for those who have its token. Only this module needs the web library, tornado.

The token is part of every address, so no other page can send requests, whatever cookies a browser has. A name that
resolves to the loopback does not help either: the address must be the loopback's own.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.web import Application, HTTPError, RequestHandler

from netsim.errors import ScenarioError
from netsim.explorer.page import Page, style

HOST = "127.0.0.1"
_LARGEST = 1 << 16  # bytes per request
_SCRIPT = Path(__file__).with_name("static") / "page.js"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class WebServer:
    """`url` has the token. It listens as soon as it is created; raises OSError if the port is in use."""

    def __init__(self, page: Page, port: int = 0) -> None:
        self._page = page
        self._token = secrets.token_urlsafe(24)
        self._socket = socket.create_server((HOST, port))
        self._socket.setblocking(False)
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}/{self._token}/"

    def serve(self) -> None:
        """Serve until Ctrl-C."""
        self._page.runs.warm_up()
        try:
            asyncio.run(self._serve())
        except KeyboardInterrupt:
            pass
        finally:
            self._page.close()

    async def _serve(self) -> None:
        given = {"page": self._page, "token": self._token, "host": self.url.split("/")[2]}
        application = Application([(r"/([^/]*)/(.*)", _Handler, given)], log_function=lambda _: None)
        HTTPServer(application, max_body_size=_LARGEST).add_sockets([self._socket])
        await asyncio.Event().wait()


class _Handler(RequestHandler):
    """The page, its assets, and its requests."""

    def initialize(self, page: Page, token: str, host: str) -> None:
        self._page, self._token, self._host = page, token, host

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        """Accept only requests with the token, at the loopback's own address."""
        token = self.path_args[0] or ""
        if not hmac.compare_digest(token.encode(), self._token.encode()) or self.request.host != self._host:
            raise HTTPError(404)

    def get(self, _: str, name: str) -> None:
        """The page, or a file that it needs."""
        if not name:
            self.finish(self._page.whole())
        elif name == "page.css":
            self._finish(style(), "text/css")
        elif name == "page.js":
            self._finish(_SCRIPT.read_text("utf-8"), "text/javascript")
        else:
            raise HTTPError(404)

    def _finish(self, text: str, kind: str) -> None:
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.finish(text)

    def post(self, _: str, name: str) -> None:
        """An action, and all parts of the page after it."""
        if name != "do" or self.request.headers.get("Content-Type") != "application/json":
            raise HTTPError(404)
        try:
            problem = self._page.do(**self._asked())
        except ScenarioError as error:
            problem = str(error)
        page = self._page
        busy = bool(page.runs.under_way)
        self.finish({"parts": page.parts(), "said": page.said(), "problem": problem, "busy": busy})

    def _asked(self) -> dict[str, str]:
        from tornado.escape import json_decode

        try:
            given = json_decode(self.request.body)
            return {"action": str(given["do"]), **{key: str(given.get(key, "")) for key in ("address", "value")}}
        except (ValueError, KeyError, AttributeError, TypeError):
            raise HTTPError(400) from None

    def write_error(self, status_code: int, **_: object) -> None:
        """No traceback."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("not found" if status_code == 404 else "this request failed")
