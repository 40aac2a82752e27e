"""The page is only for clients that know its token, and only on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("tornado", reason="needs the tornado package")

from netsim.cli import main
from netsim.explorer import ready
from netsim.explorer.page import Page
from netsim.explorer.web import WebServer

pytestmark = pytest.mark.xdist_group("explorer web")  # one worker has the server for all tests


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    page = Page(ready.first())
    server = WebServer(page)
    loop = asyncio.new_event_loop()

    def run() -> None:
        asyncio.set_event_loop(loop)
        with pytest.raises(RuntimeError, match="stopped before"):
            loop.run_until_complete(server._serve())

    thread = Thread(target=run)
    thread.start()
    yield server.url
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def ask(url: str, body: object = None, **headers: str) -> tuple[int, Any, str]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(url, data, headers), timeout=20) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except HTTPError as error:
        return error.code, error.headers, error.read().decode()


JSON = {"Content-Type": "application/json"}


def test_it_has_a_page_and_what_that_needs(url: str) -> None:
    status, headers, text = ask(url)
    assert (status, headers["Cache-Control"]) == (200, "no-store")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert text.startswith("<!doctype html>")
    assert "http://" not in text.replace("http://www.w3.org", "")
    for name, kind in (("page.css", "text/css"), ("page.js", "text/javascript")):
        status, headers, _ = ask(url + name)
        assert (status, headers["Content-Type"].partition(";")[0]) == (200, kind)


def test_an_action_brings_all_parts(url: str) -> None:
    status, _, text = ask(url + "do", {"do": "set", "address": "mtu", "value": "900"}, **JSON)
    found = json.loads(text)
    assert (status, found["busy"], found["problem"]) == (200, False, "")
    assert "900 B" in found["parts"]["bar"]
    status, _, text = ask(url + "do", {"do": "erase"}, **JSON)
    assert "this page has no action" in json.loads(text)["problem"]


def test_without_the_token_there_is_nothing(url: str) -> None:
    port = url.split(":")[2].split("/")[0]
    root = f"http://127.0.0.1:{port}"
    for wrong in (f"{root}/", f"{root}//", f"{root}/x/", f"{url[:-2]}/", f"{root}/x/page.js", f"{root}/%ff/"):
        assert ask(wrong)[0] in (400, 404)
    assert ask(f"{root}/x/do", {"do": "undo"}, **JSON)[0] == 404


def test_another_name_of_the_loopback_is_no_way_in(url: str) -> None:
    assert ask(url, Host="evil.example")[0] == 404
    assert ask(url + "do", {"do": "undo"}, Host="evil.example:80", **JSON)[0] == 404


@pytest.mark.parametrize(
    ("name", "body", "kind", "status"),
    [
        ("do", {"do": "undo"}, "text/plain", 404),  # another page's form could send that
        ("undo", {"do": "undo"}, "application/json", 404),
        ("do", ["undo"], "application/json", 400),
        ("do", {}, "application/json", 400),
    ],
)
def test_what_is_no_action(url: str, name: str, body: object, kind: str, status: int) -> None:
    found = ask(url + name, body, **{"Content-Type": kind})
    assert found[0] == status
    assert "Traceback" not in found[2]


@pytest.mark.parametrize("name", ["../web.py", "web.py", "page.html", "%2e%2e/web.py"])
def test_no_other_file_is_read(url: str, name: str) -> None:
    assert ask(url + name)[0] == 404


def test_it_listens_on_the_loopback_alone(url: str) -> None:
    port = int(url.split(":")[2].split("/")[0])
    others = {one[4][0] for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        if address.startswith("127."):
            continue
        with socket.socket() as trial:
            trial.settimeout(2)
            assert trial.connect_ex((address, port)) != 0


def test_it_ends_by_ctrl_c_and_leaves_no_process() -> None:
    command = [sys.executable, "-m", "netsim", "explore", "--no-browser", "--set", "mtu=900"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=_heed_ctrl_c)
    assert program.stdout is not None
    url = program.stdout.readline().strip()
    assert "900 B" in ask(url)[2]
    program.send_signal(signal.SIGINT)
    assert program.wait(timeout=20) == 0
    with pytest.raises(URLError):
        urlopen(url, timeout=5)


def _heed_ctrl_c() -> None:
    """Tests may run in the background of a script, where the shell ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_port_that_can_not_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "--no-browser", "--port", "70000"]) == 2
    assert capsys.readouterr().err == "netsim: --port: 70000 is not allowed; allowed: 0 to 65535\n"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["explore", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "Address already in use" in capsys.readouterr().err


def test_without_the_web_library_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "netsim.explorer.web")
    monkeypatch.setitem(sys.modules, "tornado.httpserver", None)
    assert main(["explore"]) == 2
    assert capsys.readouterr().err == "netsim: netsim explore needs the tornado package: pip install tornado\n"
