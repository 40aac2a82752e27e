"""Simulations in a process of their own: their progress, their results, and stopping them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import netsim as ns
from netsim.errors import NetsimError
from netsim.explorer import ready
from netsim.explorer.page import Page
from netsim.explorer.runs import Runs

pytestmark = pytest.mark.xdist_group("explorer runs")  # each test continues with the page of the one before
SHORT = ready.first().replace({"duration": "100 ms", "max_iterations": 2})


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    page = Page(SHORT)
    yield page
    page.close()


def ended(runs: Runs, page: Page) -> list[float]:
    """Polls until everything is done; the shares of progress on the way."""
    shares, end = [], time.monotonic() + 60
    while runs.under_way:
        assert time.monotonic() < end
        page.do("look")
        shares.append(runs.share)
        time.sleep(0.02)
    return shares


def test_both_are_simulated_and_compared(page: Page) -> None:
    page.do("set", "receiver.processors.clock", "300 MHz")
    page.do("settings", "precision", "0.05")
    page.do("simulate")
    assert page.runs.under_way == "simulating now"
    shares = ended(page.runs, page)
    assert shares == sorted(shares)
    results = [one for one in page.found.values() if isinstance(one, ns.Result)]
    assert [one.scenario for one in results] == [page.state.now.scenario, page.state.scenario]
    assert results[0] == ns.simulate(page.state.now.scenario, precision=0.05)
    assert "what if" in page.parts()["simulation"]
    assert "limited by" in page.parts()["answer"]


def test_what_is_known_is_not_simulated_again(page: Page) -> None:
    page.do("simulate")
    assert not page.runs.under_way


def test_it_can_be_stopped_and_goes_on_then(page: Page) -> None:
    page.do("settings", "seed", "7")
    page.do("set", "duration", "3000 s")
    page.do("settings", "precision", "0.002")
    page.do("simulate")
    page.do("look")
    page.do("cancel")
    assert not page.runs.under_way
    page.do("set", "duration", "100 ms")
    page.do("draw")
    ended(page.runs, page)
    assert "<svg" in page.parts()["frames"]


def test_a_process_that_is_killed_is_told_of(page: Page) -> None:
    page.do("settings", "seed", "8")
    page.do("simulate")
    assert page.runs._process is not None
    page.runs._process.kill()
    page.runs._process.join()
    ended(page.runs, page)
    assert [str(one) for one in page.found.values() if isinstance(one, NetsimError)] == [
        "the process that simulates has ended; try again"
    ]


def test_wrong_settings_are_said(page: Page) -> None:
    assert page.do("settings", "seed", "-1").startswith("seed: not allowed")
    with pytest.raises(NetsimError, match="this page has no action"):
        page.do("delete")
