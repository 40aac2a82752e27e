"""How long a closed test is measured: for many response times, and to a share of its mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import netsim as ns
from netsim.accounts import Accounts, Bounds
from netsim.accounts.resource import CLIENTS
from netsim.measure.turnover import turned_over
from netsim.units import MS, TPS, S
from tests.closed_desk import SERVICE, Desk
from tests.named import by_resource


class Promising(Desk):
    """A desk whose bound leaves out what its transactions take most of their time for."""

    def bounds(self) -> Bounds:
        return Bounds(by_resource({"server processors": MS // 100, CLIENTS: MS}), 1, TPS)


@pytest.fixture
def rare(monkeypatch: pytest.MonkeyPatch) -> Iterator[Promising]:
    """Orders of 2 s, one in ten transactions: soon all clients wait for one."""
    monkeypatch.setitem(SERVICE, "order", 2 * S)
    return Promising(clients=24, orders=0.1, duration=4000 * S, interval=0.9)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_closed_test_is_known_to_a_share_of_its_mean(rare: Promising, seed: int) -> None:
    """However high its bound is, and although its first transactions are quick ones."""
    result = ns.simulate(rare, seed=seed, precision=0.2)
    assert result.converged
    assert result.half_width <= 0.2 * result.throughput
    assert result.throughput == pytest.approx(S / rare.service, rel=0.3)


def test_a_closed_test_that_is_too_short_for_that_says_so(rare: Promising) -> None:
    result = ns.simulate(rare, precision=0.2, limit="4 s")
    assert not result.converged
    assert "note " in str(result)


def window(ended: int, stayed: int) -> Accounts:
    """A second of four clients."""
    return Accounts(S, ended, ended={"a": ended, "b": 0}, stays={"a": stayed, "b": 0}, under_way=4 * S)


@pytest.mark.parametrize(
    ("ended", "stayed", "enough"),
    [
        (40, 4 * S, True),
        (39, 4 * S, False),
        (0, 0, False),
        (1000, 3 * S, False),  # a client has waited all the time
        (1000, 5 * S, False),  # one has waited since long before
    ],
)
def test_a_window_is_long_enough_by_littles_law(ended: int, stayed: int, enough: bool) -> None:
    assert turned_over(window(ended, stayed)) == enough
