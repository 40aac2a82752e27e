"""Each transmit-interrupt policy: where it requests interrupts, and how many a saturated UDP sender then takes."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.machine.tx_interrupt import (
    Countdown,
    EndOfList,
    EveryFrame,
    EveryNth,
    HalfRing,
    QueueDrain,
    WhenRoom,
    tables,
)
from netsim.units import QUANTITIES
from netsim.workload import Netperf

PC = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"])
UDP = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, send_buffer=32768, receive_buffer=32768)


def asked(policy: Any, ring: int, queued: int) -> list[int]:
    """The ring entries at which `policy` requests an interrupt, with this many frames queued."""
    return [entry for entry in range(ring) if policy.at_entry(entry, ring) or policy.behind(queued, ring)]


def test_what_each_asks_for() -> None:
    assert asked(EveryFrame(), 4, 0) == [0, 1, 2, 3]
    assert asked(EveryNth(n=8), 32, 5) == [0, 8, 16, 24]
    assert asked(HalfRing(), 16, 3) == [15]
    assert asked(HalfRing(), 16, 8) == asked(HalfRing(), 16, 14) == list(range(16))
    assert asked(QueueDrain(), 16, 3) == []
    assert asked(QueueDrain(), 16, 14) == list(range(16))
    assert asked(EndOfList(), 16, 15) == asked(WhenRoom(), 16, 15) == asked(Countdown(least=40), 16, 15) == []


@pytest.mark.parametrize(
    "policy",
    [EveryFrame(), EveryNth(n=8), HalfRing(), QueueDrain(), EndOfList(), Countdown(least=40), WhenRoom()],
)
def test_tables_grow_with_the_ring_and_not_with_its_square(policy: Any) -> None:
    largest = QUANTITIES["ring"].highest
    assert [len(one) for one in tables(policy, largest)] == [largest, largest]


def interrupts_per_frame(policy: dict[str, object]) -> float:
    env = Environment(1)
    run = UDP.replace("sender.nics.0.driver.tx_interrupt", policy).build(env)
    run.start()
    env.run(3 * 10**11)
    run.audit()
    accounts = run.accounts()
    return accounts.counts["sender interrupts"] / accounts.frames["wire to receiver"]


@pytest.mark.parametrize(
    ("policy", "low", "high"),
    [
        ({"policy": "every-frame"}, 0.95, 1.0),
        ({"policy": "every-nth", "n": 8}, 0.11, 0.14),
        ({"policy": "every-nth", "n": 4}, 0.23, 0.27),
        ({"policy": "end-of-list"}, 0.0001, 0.1),
    ],
)
def test_how_many_there_are(policy: dict[str, object], low: float, high: float) -> None:
    assert low <= interrupts_per_frame(policy) <= high
