"""The knee of a server with disks: memory and disks move it; a faster processor gains nothing where disks bind."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import netsim as ns
from netsim.units import MIB
from tests.on_servers import SERVER_MIX, server_bench

pytestmark = pytest.mark.validation

CLIENTS = (4, 8, 12, 16, 24, 32, 40, 60)
MEMORY = 8 * MIB + 64 * MIB  # for 16 data segments of 4 MiB, minus a little for threads
# 2.4 ms at 500 MHz, the same for all kinds, so that the kinds drawn matter little.
KINDS = ("client_server", "processor", "server_client", "random_read", "random_write")
MIX = SERVER_MIX.replace({f"{kind}.cycles": 1_200_000 for kind in KINDS}
                         | {f"{kind}.records": 8 for kind in KINDS[3:]})  # fmt: skip


@cache
def simulated(clients: int, limit: str = "2 s", **changes: Any) -> ns.Result:
    """A run with `clients` clients, at most `limit` long; "__" for "." in the addresses of changes."""
    changes = {"server__memory__size": MEMORY, **changes}
    test = server_bench(clients, mix=MIX, **changes)
    return ns.simulate(test, precision=0.01, warm_up="500 ms", sample="50 ms", limit=limit)


def knee(**changes: Any) -> int:
    """The most clients at which throughput is at least nine tenths of the peak."""
    found = {clients: simulated(clients, "1 s", **changes).throughput for clients in CLIENTS}
    return max(clients for clients, rate in found.items() if rate >= 0.9 * max(found.values()))


def test_with_half_the_memory_the_knee_is_at_fewer_clients() -> None:
    assert knee(server__memory__size=MEMORY // 2) < knee()


def test_with_twice_the_disks_the_knee_is_at_more_clients() -> None:
    """With enough writes in progress to keep ten disks busy."""
    many = {"server__system__files__cache__concurrent_writes": 32}
    assert knee(server__storage__disks=10, **many) > knee(**many)


def test_beyond_the_knee_disks_are_in_the_way_and_before_it_processors() -> None:
    beyond, before = simulated(60, "1 s"), simulated(8, "1 s")
    assert beyond.bottleneck == "server disks"
    assert before.bottleneck == "server processors"
    assert beyond.throughput < 0.8 * before.throughput


def test_a_faster_processor_changes_nothing_where_disks_bind() -> None:
    fast, slow = simulated(60, "15 s"), simulated(60, "15 s", server__processors__clock="450 MHz")
    assert fast.throughput == pytest.approx(slow.throughput, abs=fast.half_width)
    assert fast.half_width < 0.1 * fast.throughput


def test_a_faster_processor_gains_its_clock_where_processors_bind() -> None:
    """Except for copies, which gain nothing."""
    fast, slow = simulated(8), simulated(8, server__processors__clock="450 MHz")
    gain = fast.throughput / slow.throughput
    assert gain == pytest.approx(500 / 450, abs=0.015)
