"""Closed clients on hubs of unequal speed: those on faster hubs do more, so no bound may assume an even share."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Bounds
from netsim.closed_form import closed_clients
from netsim.workload.netbench.bounds import visit
from tests.on_servers import net_bench, server_bench

SLOW = {"server.nics.0.tx_descriptor": 32_000}  # bytes of each descriptor: they keep the bus busy


@pytest.mark.parametrize("clients", [2, 4, 9])
@pytest.mark.parametrize("make", [net_bench, server_bench])
def test_no_simulation_beats_the_bound(make, clients: int) -> None:
    test = make(clients=clients).replace(SLOW)
    found = ns.simulate(test, precision=0.05, limit="0.6 s")
    assert found.throughput - found.half_width <= test.bounds().limit


def test_an_even_share_is_no_bound() -> None:
    """With half of the work on the slow hub, the limit would be below what clients achieve."""
    test = net_bench(clients=8).replace(SLOW)
    even = closed_clients._equal(test, list(visit(test, 0)))
    found = ns.simulate(test, precision=0.05, limit="0.6 s")
    assert found.throughput > 1.2 * Bounds(even, test.mix.file_size, test.unit).limit


@pytest.mark.parametrize("clients", [1, 4, 8])
def test_equal_ports_may_be_taken_as_unequal_ones(clients: int) -> None:
    """With equal numbers of clients on each, equal shares make the whole fastest."""
    test = net_bench(clients=clients)
    apart = Bounds(closed_clients._unequal(test, lambda port: list(visit(test, port))), test.mix.file_size, test.unit)
    assert apart.limit == pytest.approx(test.bounds().limit, rel=1e-6)
