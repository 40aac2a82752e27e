"""A real Chromium on the page: keys and clicks, at desktop and phone width, in light and dark."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("tornado", reason="needs the tornado package")

from tests.browser import CHROMIUM, REASON, Tab, chromium

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason=REASON), pytest.mark.xdist_group("explorer in a browser")]
SCENARIO = """\
tool = "netperf"
test = "TCP_STREAM"
duration = "200 ms"
sender = { model = "piii-600", system = "linux-2.2.16", nics = "3c905b/3c59x" }
receiver = { model = "p166", system = "linux-2.2.16", nics = "3c905b/3c59x" }
"""
CLOCK = "receiver.processors.clock"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """The page of `netsim explore`, as a user starts it."""
    folder = tmp_path_factory.mktemp("explorer")
    (folder / "own.toml").write_text(SCENARIO)
    command = [sys.executable, "-m", "netsim", "explore", "--no-browser", str(folder / "own.toml")]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    try:
        with chromium(folder / "profile") as tab:
            tab.look(1280)
            tab.open(program.stdout.readline().strip())
            yield tab
    finally:
        program.terminate()
        program.wait()
    assert {one.name for one in folder.iterdir()} == {"own.toml", "profile"}


def text(tab: Tab, selector: str) -> str:
    return str(tab.run(f"document.querySelector({selector!r}).innerText"))


def choose(tab: Tab, address: str, value: str) -> None:
    """Choose another option of a list, which opens outside of the page."""
    tab.run(
        f"(one => {{ one.value = '{value}'; one.dispatchEvent(new Event('change', {{bubbles: true}})) }})"
        f"(document.getElementById('c-{address}'))"
    )


def ask_for_precision(tab: Tab, value: str) -> None:
    tab.run(f"document.querySelector('#precision').value = '{value}'")
    tab.run("document.querySelector('#precision').dispatchEvent(new Event('change', {bubbles: true}))")


def test_it_is_used_by_keys_and_clicks(tab: Tab) -> None:
    assert "limited by wire to receiver" in text(tab, ".tile.now")
    tab.click("#search")
    tab.type("receiver clock")
    tab.wait(f"document.getElementById('n-{CLOCK}')")
    assert tab.run("document.activeElement.id") == "search"  # the response does not move the focus

    tab.run(f"document.getElementById('n-{CLOCK}').select(), document.getElementById('n-{CLOCK}').focus()")
    tab.type("fast")
    tab.key("Enter")
    tab.wait("document.querySelector('.numbers .wrong')")
    assert '"fast" is not a frequency' in text(tab, ".numbers .wrong")
    assert tab.run(f"document.getElementById('n-{CLOCK}').getAttribute('aria-invalid')") == "true"
    assert "limited by wire to receiver" in text(tab, ".tile.now")  # the last good picture
    assert not tab.run("document.querySelector('.tile.what-if')")

    tab.run(f"document.getElementById('n-{CLOCK}').select()")
    tab.type("300 MHz")
    tab.key("Enter")
    tab.wait("document.querySelector('.tile.what-if')")
    assert "limited by wire to receiver" in text(tab, ".tile.what-if")
    assert 'clock = "300 MHz"' in text(tab, "#toml")
    assert '"processors.clock": "300 MHz"' in text(tab, "#python")

    tab.key("Tab")
    assert tab.run("document.activeElement.id") == f"m-{CLOCK}"
    tab.key("ArrowRight")
    tab.wait("!document.querySelector('#toml').textContent.includes('300 MHz')")
    assert tab.run("document.activeElement.id") == f"m-{CLOCK}"
    tab.click("#undo")
    tab.wait("document.querySelector('#toml').textContent.includes('300 MHz')")

    tab.click("#simulate")
    tab.wait("document.querySelector('#progress')")
    tab.click("#cancel")
    tab.wait("!document.querySelector('#progress') && !document.querySelector('#simulate').disabled")
    ask_for_precision(tab, "0.05")
    tab.click("#simulate")
    tab.wait("document.querySelector('#simulation table')")
    assert "simulated, ±" in text(tab, ".tile.what-if")
    tab.click("#draw")
    tab.wait("document.querySelector('#frames svg')")
    tab.click("#keep")
    tab.wait("!document.querySelector('.tile.what-if')")
    assert tab.console == []


def test_a_number_can_be_typed_during_a_simulation(tab: Tab) -> None:
    """The answers that bring its progress leave the field alone until the number is sent."""
    field, answers = f"document.getElementById('n-{CLOCK}')", "Number(document.documentElement.dataset.answers)"
    ask_for_precision(tab, "0.002")
    tab.wait("!document.querySelector('#simulate').disabled")
    tab.click("#simulate")
    tab.wait("document.querySelector('#progress')")
    tab.run(f"{field}.focus(), {field}.select()")
    tab.type("20")
    before = tab.run(answers)
    tab.run("send({do: 'look'})")  # as the page asks four times a second during a simulation
    tab.wait(f"{answers} > {before}")
    assert tab.run(f"{field}.value") == "20"
    tab.type("0 MHz")
    tab.key("Enter")
    tab.wait("document.querySelector('#toml').textContent.includes('200 MHz')")
    tab.click("#undo")
    tab.wait(f"{field}.value !== '200 MHz'")
    tab.click("#cancel")
    tab.wait("!document.querySelector('#progress')")
    assert tab.console == []


def test_adapters_are_added_and_removed(tab: Tab) -> None:
    """By keys and clicks; when a button disappears, the focus is on the one beside it."""
    assert not tab.run("document.getElementById('x-sender.nics.0')")  # the last one stays
    tab.run("document.getElementById('more-sender-adapter').focus()")
    tab.key("Enter")
    tab.wait("document.getElementById('c-sender.nics.1')")
    assert text(tab, "#toml").count("3c905b/3c59x") == 3
    tab.run("document.getElementById('x-sender.nics.0').focus()")
    tab.key(" ")
    tab.wait("!document.getElementById('c-sender.nics.1')")
    assert tab.run("document.activeElement.id") == "more-sender-adapter"
    tab.click("#undo")
    tab.wait("document.getElementById('c-sender.nics.1')")


def test_clients_and_ports_are_added_and_removed(tab: Tab) -> None:
    choose(tab, "tool", "chariot")
    tab.wait("document.getElementById('more-clients.0-client')")
    tab.click("#more-clients\\.0-client")
    tab.wait("document.querySelector('#choices').innerText.includes('clients.0 to 4')")
    tab.click("#fewer-clients\\.0-client")
    tab.wait("document.querySelector('#choices').innerText.includes('clients.0 to 3')")
    choose(tab, "server.nics.0", "dfe570tx/tulip")
    tab.wait("document.getElementById('c-server.nics.0.ports')")
    tab.run("document.getElementById('c-server.nics.0.ports').focus()")
    tab.key("ArrowDown")
    tab.wait("document.querySelector('#toml').textContent.includes('dfe570tx:2/tulip')")
    assert tab.console == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_it_fits_and_everything_has_a_name(tab: Tab, width: int, dark: bool) -> None:
    tab.look(width, dark=dark)
    assert tab.run("document.documentElement.scrollWidth") == width
    outside = "[...document.querySelectorAll('body *')].filter(one => !one.closest('.wide, pre, svg, .unseen, .skip')"
    assert tab.run(f"{outside} && one.getBoundingClientRect().right > {width} + 0.5).map(one => one.className)") == []
    nameless = "one => !(one.labels && one.labels.length) && !one.ariaLabel && !one.textContent.trim()"
    assert tab.run(f"[...document.querySelectorAll('input, select, button')].filter({nameless}).length") == 0
    pictures = "[...document.querySelectorAll('svg, [role=img]')].filter(one => !one.getAttribute('aria-label')).length"
    assert tab.run(pictures) == 0
    assert tab.run("new Set([...document.querySelectorAll('[id]')].map(one => one.id)).size") == tab.run(
        "document.querySelectorAll('[id]').length"
    )
    light = "getComputedStyle(document.body).backgroundColor"
    assert (sum(map(int, tab.run(light)[4:-1].split(","))) < 200) is dark
    assert tab.run("performance.getEntriesByType('resource').every(one => one.name.startsWith(location.origin))")
