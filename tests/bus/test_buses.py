"""Several buses in one host: an adapter is on the bus of its slot, and adapters on other buses don't wait for it."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.scenario import host
from netsim.units import MS
from netsim.workload import Netperf

ONE = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
SLOW = ONE.bus.replace("clock", "4 MHz")
TWO = ONE.replace("peers", [SLOW])


def occupied(pc: ns.spec.Spec) -> dict[str, int]:
    run = Netperf(test="TCP_STREAM", sender=pc, receiver=ONE).build(Environment(1))
    run.start()
    run.env.run(50 * MS)  # type: ignore[attr-defined]
    run.audit()
    return {name: ps for name, ps in run.accounts().occupied.items() if "sender bus" in name}


def test_an_adapter_takes_the_bus_it_is_on() -> None:
    first, second = occupied(TWO), occupied(TWO.replace("nics.0.slot", 1))
    assert list(first) == list(second) == ["sender bus", "sender bus 1"]
    assert first["sender bus 1"] == second["sender bus"] == 0
    assert second["sender bus 1"] > first["sender bus"] > 0


def test_a_peer_that_nothing_is_on_changes_nothing() -> None:
    assert occupied(TWO)["sender bus"] == occupied(ONE)["sender bus"]


def test_a_driver_pays_for_the_registers_of_its_bus() -> None:
    there, here = (pc.ports()[0].bill_transmit(pc.bill(), 1514).work() for pc in (TWO.replace("nics.0.slot", 1), TWO))
    assert (there.slot, here.slot) == (1, 0)
    assert there.accesses > here.accesses > 0


def test_the_closed_form_knows_each() -> None:
    demand = Netperf(test="TCP_STREAM", sender=TWO.replace("nics.0.slot", 1), receiver=ONE).bounds().demand
    assert demand["sender bus"] == 0
    assert demand["sender bus 1"] > 4 * demand["receiver bus"]


def test_two_cards_on_two_buses_do_not_share_one() -> None:
    """Four ports at 100 Mbit/s are too much for one slow bus."""
    def throughput(slots: tuple[int, int]) -> float:
        cards = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2).replace("bond", "linux-2.2.17")
        bus = cards.bus.replace("clock", "3 MHz")
        pc = cards.replace({"bus": bus, "peers": [bus], "nics.0.slot": slots[0], "nics.1.slot": slots[1]})
        test = Netperf(test="UDP_STREAM", sender=pc, receiver=cards, message=8192, send_buffer="64 KiB")
        return ns.simulate(test, limit="0.2 s").throughput

    assert throughput((0, 1)) > 1.6 * throughput((1, 1))


def test_a_slot_that_is_not_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"nics\.0\.slot.*2 is not a bus of this host; allowed: 0 to 1"):
        TWO.replace("nics.0.slot", 2)
    with pytest.raises(ScenarioError, match=r"nics\.0\.slot.*allowed: 0$"):
        ONE.replace("nics.0.slot", 1)
