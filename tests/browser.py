"""A real Chromium, driven by tests over its DevTools protocol: keys, clicks, sizes, light and dark."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
REASON = "needs chromium (Debian's package of that name)"
_PATIENCE = 30.0  # s
_KEYS = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowDown": 40, " ": 32}


class Tab:
    """One page. Its console output and errors are in `console`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: WebSocketClientConnection) -> None:
        self._loop, self._socket, self._number = loop, socket, 0
        self.console: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """The browser's answer."""
        self._number += 1
        return self._loop.run_until_complete(self._call(self._number, method, given))

    async def _call(self, number: int, method: str, given: dict[str, Any]) -> dict[str, Any]:
        await self._socket.write_message(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            text = await asyncio.wait_for(self._socket.read_message(), _PATIENCE)
            assert text is not None, "the browser has gone"
            said = json.loads(text)
            if said.get("id") == number:
                assert "error" not in said, said
                return dict(said["result"])
            if said.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.console.append(json.dumps(said["params"])[:500])

    def run(self, script: str) -> Any:
        """The value of a script."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until a script's value is true."""
        end = time.monotonic() + _PATIENCE
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)

    def open(self, url: str) -> None:
        """Open a URL, and wait until the page is loaded."""
        self.call("Page.navigate", url=url)
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def look(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Emulate a screen of this width, in light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def key(self, name: str) -> None:
        """Press and release one key."""
        code = {"key": name, "code": name, "windowsVirtualKeyCode": _KEYS[name]}
        text = {"Enter": "\r", " ": " "}.get(name)
        self.call("Input.dispatchKeyEvent", type="keyDown", **code, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        """Type into the focused element."""
        self.call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click with the mouse on the middle of an element."""
        place = self.run(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            " one.scrollIntoView({block: 'center'});"
            " const at = one.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2] })()"
        )
        for what in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=what, x=place[0], y=place[1], button="left", clickCount=1)

    def picture(self, file: Path, *, whole: bool = True) -> None:
        """A PNG of the visible part, or of the whole page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def chromium(folder: Path) -> Iterator[Tab]:
    """A browser with a profile in `folder`."""
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-dev-shm-usage",
        f"--user-data-dir={folder}", "--remote-debugging-port=0", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    loop = asyncio.new_event_loop()
    try:
        yield Tab(loop, loop.run_until_complete(_connected(folder / "DevToolsActivePort")))
    finally:
        loop.close()
        process.terminate()
        process.wait()


async def _connected(file: Path) -> WebSocketClientConnection:
    """A DevTools connection to the browser's first tab."""
    end = time.monotonic() + _PATIENCE
    while not file.exists() or "\n" not in (text := file.read_text()):
        assert time.monotonic() < end, "the browser doesn't start"
        await asyncio.sleep(0.05)
    answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{text.splitlines()[0]}/json")
    (tab, *_) = [one for one in json.loads(answer.body) if one["type"] == "page"]
    return await websocket_connect(tab["webSocketDebuggerUrl"], max_message_size=1 << 26)
