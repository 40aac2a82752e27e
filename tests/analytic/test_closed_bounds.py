"""The closed form of a closed test: a simulation stays within its two asymptotes, near them and in between."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Bounds
from netsim.accounts.resource import CLIENTS, LATENCY
from netsim.queueing import asymptotes
from netsim.units import MS, PS_PER_S, TPS
from tests.closed_desk import SERVICE, Desk
from tests.named import by_resource

ALONE = Desk().way + SERVICE["order"]  # ps of a lone order


def orders(clients, **simulate):
    """Only orders, which all take the same time."""
    return ns.simulate(Desk(clients=clients, orders=1.0), **{"precision": 0.01, **simulate})


def test_bounds_have_both_asymptotes():
    bounds = Bounds(by_resource({"server disks": 4 * MS, "server processors": 1 * MS, CLIENTS: 10 * MS / 2}), 1, TPS)
    assert (bounds.bottleneck, bounds.limit) == (CLIENTS, 200.0)
    assert str(bounds).split("\n")[0].split() == ["clients", "200.00", "TPS"]
    assert bounds.throughput("server disks") == 250.0


@pytest.mark.parametrize("clients", [1, 2, 3, 4, 20])
def test_a_test_without_chance_meets_them(clients):
    """Three clients are just enough to keep the processor busy: 2 ms of service in 6 ms."""
    bounds, found = Desk(clients=clients, orders=1.0).bounds(), orders(clients)
    expected = min(clients / ALONE, 1 / SERVICE["order"]) * PS_PER_S
    assert bounds.limit == pytest.approx(expected)
    assert found.throughput == pytest.approx(expected, rel=1e-6)
    (kind,) = found.kinds
    assert kind.response == pytest.approx(max(ALONE, clients * SERVICE["order"]) / PS_PER_S, rel=0.01)
    name, share = (LATENCY, 1.0) if clients < 3 else ("server processors", 1.0)
    if clients != 3:  # where both bounds are reached
        assert (found.bottleneck, found.bottleneck_share) == (name, pytest.approx(share, rel=1e-3))


@pytest.mark.parametrize("clients", [1, 3, 6, 12, 40])
def test_a_test_with_chance_keeps_within(clients):
    """Bounds and asymptotes express the same limits; the bottleneck is the limit that throughput comes closest to."""
    test = Desk(clients=clients)
    found = ns.simulate(test, precision=0.005)
    limits = asymptotes({"processors": test.service}, clients, test.way)
    assert test.bounds().limit == pytest.approx(limits.high * PS_PER_S)
    assert limits.low * PS_PER_S <= found.throughput <= test.bounds().limit + found.half_width
    shares = {
        LATENCY: found.throughput / test.bounds().throughput(CLIENTS),
        "server processors": found.cpu["server"],
    }
    decides = max(shares, key=shares.get)
    assert (found.bottleneck, found.bottleneck_share) == (decides, pytest.approx(shares[decides]))
    assert decides == (LATENCY if clients <= 3 else "server processors")


def test_less_is_reached_of_either_where_they_meet():
    """Around the knee clients wait for each other although nothing is always busy."""
    shares = [ns.simulate(Desk(clients=clients), precision=0.01).bottleneck_share for clients in (1, 5, 40)]
    assert shares[1] < 0.95 < min(shares[0], shares[2])
