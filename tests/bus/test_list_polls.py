"""A master repeatedly polls the end of its list while nothing is queued."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.bus import Bus, ListPolls
from netsim.engine import Environment
from netsim.units import MS, US


def test_reads_are_counted_while_the_list_is_at_its_end() -> None:
    polls = ListPolls(10, 3)
    assert [polls.taken(now) for now in (0, 9, 10, 25)] == [0, 0, 3, 6]
    polls.end(25)
    assert [polls.taken(now) for now in (25, 100)] == [6, 6]
    polls.begin(100)
    assert [polls.taken(now) for now in (90, 100, 109, 110, 131)] == [6, 6, 6, 9, 15]


def idle(driver: str, **changes: str) -> Bus:
    """The bus of a host whose card has nothing to send."""
    host = ns.host("p166", system="linux-2.2.16", nics=[f"3c905b/{driver}"])
    test = ns.Netperf("TCP_STREAM", host, host, link="100base-tx").replace(
        {f"receiver.nics.0.driver.{name}": value for name, value in changes.items()}
    )
    return test.build(Environment(seed=1)).receiver.buses[0]


@pytest.mark.parametrize("poll", [2.56, 10.24])
def test_a_card_that_polls_uses_the_bus_while_it_is_idle(poll: float) -> None:
    """20 clocks of 30 ns for a read: 7 for the processor's bus, an idle one, the address, one of decoding, 9 of memory,
    4 bytes."""
    bus = idle("3c90x", tx_poll=f"{poll} us")
    assert bus.busy_until(10 * MS) == int(10 * MS / (poll * US)) * 20 * 30_000


def test_others_don_t() -> None:
    assert idle("3c59x").busy_until(10 * MS) == 0
