"""Buses of several standards in one description: by name or as a table, distinguished by a tag; and cards that fit."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.bus import BusSpec, EisaSpec, IsaSpec, PciSlot, PciSpec, PcixSlot
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import ComputerSpec
from netsim.units import MS
from netsim.workload import Netperf

PCI = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
EMPTY = PCI.replace("nics", [])
LATE = {"standard": "pci", "clock": "33 MHz", "width": 4, "latency_timer": 256}  # its register has 8 bits
SLOW = {"nics.0.rate": "10 Mbit/s", "nics.0.tx_burst": 64, "nics.0.rx_burst": 64}  # a card for such a bus


def with_card(bus: object, standard: str, **changes: object) -> ComputerSpec:
    """A host whose only card is a bus master of a standard."""
    card = {f"nics.0.{name}": value for name, value in changes.items()}
    return PCI.replace({"bus": bus, "nics.0.bus_standard": standard, **SLOW, **card})


# ---- tags ----


@pytest.mark.parametrize(("name", "kind"), [("pci-64-66", PciSpec), ("isa-16", IsaSpec), ("eisa", EisaSpec)])
def test_a_name_is_a_bus_of_its_standard(name: str, kind: type[BusSpec]) -> None:
    host = EMPTY.replace("bus", name)
    assert type(host.bus) is kind
    assert host.bus == BusSpec.from_name(name) == kind.from_name(name)
    assert type(host).from_toml(host.to_toml() + "\n") == host
    assert host.replace("bus", "pci-32-33") == EMPTY


def test_a_table_without_a_standard_is_a_pci_bus() -> None:
    left_out = ("standard", "clock", "latency_timer")
    table = {name: value for name, value in PCI.bus.__dict__.items() if name not in left_out}
    host = EMPTY.replace("bus", table | {"clock": "25 MHz", "latency_timer": 32})
    assert (type(host.bus), host.bus.clock) == (PciSpec, 25_000_000)


def test_a_name_with_changes() -> None:
    host = EMPTY.replace({"bus": {"model": "eisa", "clock": "8 MHz"}, "peers": ["isa-16", "pci-32-33"]})
    assert host.bus == EisaSpec.from_name("eisa").replace("clock", "8 MHz")
    assert [type(one) for one in host.buses] == [EisaSpec, IsaSpec, PciSpec]
    assert host.get("bus.clock") == 8_000_000
    assert host.replace({"peers.0.io_recovery": 5}).get("peers.0.io_recovery") == 5
    assert host.replace({"bus": "isa-16", "bus.clock": "8 MHz"}).bus == IsaSpec.from_name("isa-16").replace(
        "clock", "8 MHz"
    )


def test_every_number_keeps_its_source() -> None:
    provenance = EMPTY.replace("bus", "eisa").provenance()
    assert provenance["bus.preemption"].source.startswith("82374EB (ESC) data sheet")
    assert provenance["bus.master_cycle"].kind == "derived"
    assert EMPTY.replace({"bus": {"model": "eisa", "clock": "8 MHz"}}).provenance()["bus.clock"].source == (
        "set by the user"
    )


def test_buses_of_different_standards_are_different() -> None:
    eisa = EisaSpec.from_name("eisa")
    assert eisa.for_isa() == IsaSpec.from_name("isa-16")
    assert eisa != eisa.for_isa()
    assert len({EMPTY.replace("bus", name).digest() for name in ("pci-32-33", "isa-16", "eisa")}) == 3


@pytest.mark.parametrize(
    ("address", "value", "message"),
    [
        ("bus", "eisaa", 'bus: nothing in buses is called "eisaa" (did you mean "eisa"?)'),
        ("bus.standard", "isaa", 'bus.standard: "isaa" is not allowed (did you mean "isa"?); allowed: isa, eisa, pci'),
        ("bus", {"standard": 5}, "bus.standard: 5 is not allowed; allowed: isa, eisa, pci, pci-x"),
        ("bus", 5, 'bus: nothing in buses is called "5"; allowed: eisa, isa-16, isa-8, '),
        ("bus", 5.5, "bus: 5.5 is not a valid BusSpec; allowed: a table with standard, clock, width"),
        ("bus", {"standard": "isa", "clok": 8}, 'bus.clok: no such key (did you mean "clock"?)'),
        ("bus.standard", "pci", "bus.clock: missing"),  # another variant, with no values of the previous one
        ("bus.latency_timer", 64, "bus.latency_timer: no such address"),
        ("bus", LATE, "bus.latency_timer: 256 is out of range for a latency timer; allowed: 0 to 255"),
        ("bus.io_cycle_8", 0, "bus.io_cycle_8: 0 is out of range for a count; allowed: 1 to 1000000"),
        ("bus.burst_cycle", 3, "bus.burst_cycle: 3 clocks are more than a cycle outside a burst takes"),
        ("peers", ["isa"], 'peers.0: nothing in buses is called "isa" (did you mean "eisa"?)'),
    ],
)
def test_messages(address: str, value: Any, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        EMPTY.replace("bus", "eisa").replace(address, value)
    assert str(error.value).startswith(message)


# ---- cards and slots ----


@pytest.mark.parametrize(
    ("card", "bus", "allowed"),
    [
        ("pci", "isa-16", "isa"),
        ("pci", "eisa", "isa, eisa"),
        ("isa", "pci-32-33", "pci, pci-x"),
        ("eisa", "isa-16", "isa"),
        ("eisa", "pci-64-66", "pci, pci-x"),
        ("pci-x", "isa-16", "isa"),
    ],
)
def test_a_card_of_another_standard_is_refused(card: str, bus: str, allowed: str) -> None:
    with pytest.raises(ScenarioError) as error:
        PCI.replace({"bus": bus, "nics.0.bus_standard": card})
    assert str(error.value) == (
        f'nics.0.bus_standard: "{card}" does not fit a slot of bus 0; allowed there: {allowed}'
        " (no bus of this host takes such a card)"
    )


def test_a_bus_of_8_data_lines_takes_no_masters() -> None:
    """MASTER is on the extension of the PC/AT's slots, as are the upper data lines."""
    pc = ns.host("486dx-33", system="linux-2.2.16", nics="at1500/lance")
    with pytest.raises(ScenarioError) as error:
        pc.replace("bus", "isa-8")
    assert str(error.value) == (
        "nics.0: only slots with 16 data lines have the line of a bus master, and bus 0 has 8; allowed there: "
        'cards moved_by "processor"'
    )
    assert pc.replace({"nics": ["ne1000/ne-8"], "bus": "isa-8"}).ports()[0].bus.width == 1


@pytest.mark.parametrize(("bus", "slots"), [("pci-x-133", 1), ("pci-x-100", 2), ("pci-x-66", 4)])
def test_a_fast_pci_x_bus_has_few_slots(bus: str, slots: int) -> None:
    few = PCIX.replace("bus", bus)
    assert len(few.replace("nics", ["pro1000mt/e1000-5"] * slots).ports()) == slots
    with pytest.raises(ScenarioError) as error:
        few.replace("nics", ["pro1000mt/e1000-5"] * (slots + 1))
    assert str(error.value) == (
        f"nics: {slots + 1} cards for the slots of bus 0; allowed there: up to {slots}"
        " (slot puts a card on another bus)"
    )


@pytest.mark.parametrize("standard", ["pci", "pci-x"])
def test_a_pci_card_has_32_or_64_data_lines(standard: str) -> None:
    with pytest.raises(ScenarioError, match=r"^nics\.0\.bus_width: 2 B is not a width of PCI .*; allowed: 4 B, 8 B$"):
        PCIX.replace({"nics.0.bus_standard": standard, "nics.0.bus_width": "2 B"})


def test_it_is_the_slot_that_counts() -> None:
    both = PCI.replace("peers", ["eisa"])
    card = {"nics.0.bus_standard": "eisa", "nics.0.slot": 1}
    assert both.replace(card).ports()[0].bus == EisaSpec.from_name("eisa").without_bursts()
    with pytest.raises(ScenarioError, match="does not fit a slot of bus 1; allowed there: isa, eisa"):
        both.replace("nics.0.slot", 1)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bus_cycle", "burst", 'only for cards with bus_standard "eisa"; allowed here: "standard" ("isa")'),
        ("bridge", "dec-21152", 'only for cards with bus_standard "pci"; allowed here: none ("isa")'),
        ("read_commands", "read", 'only for cards with bus_standard "pci"; allowed here: "by-length" ("isa")'),
        ("retry_clocks", 33, 'only for cards with bus_standard "pci"; allowed here: 0 ("isa")'),
        ("max_read", 2048, 'only for cards with bus_standard "pci-x"; allowed here: 512 ("isa")'),
        ("outstanding", 4, 'only for cards with bus_standard "pci-x"; allowed here: 1 ("isa")'),
    ],
)
def test_a_card_has_nothing_of_another_standard(name: str, value: object, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        with_card("isa-16", "isa").replace(f"nics.0.{name}", value)
    assert str(error.value) == f"nics.0.{name}: {message}"


def test_a_card_sees_its_own_cycles() -> None:
    eisa = EisaSpec.from_name("eisa")

    def clocks(standard: str, **changes: object) -> float:
        """Clocks of a transfer of 64 bytes at once."""
        time = with_card("eisa", standard, **changes).ports()[0].bus.transfer_time(64, True)
        return time / eisa.clocks(1)

    assert clocks("isa") == pytest.approx(4 + 32 * 3)
    assert clocks("eisa") == pytest.approx(2 + 16 * 2)
    assert clocks("eisa", bus_cycle="burst") == pytest.approx(2 + 2 + 15)
    assert clocks("eisa", bus_width=2) == pytest.approx(2 + 32 * 2)
    assert clocks("isa", bus_width=4) == clocks("isa")


def test_a_driver_pays_for_registers_of_the_cards_width() -> None:
    bus = IsaSpec.from_name("isa-16")

    def work(**changes: object) -> tuple[int, int]:
        pc = with_card("isa-16", "isa", **changes).replace({"nics.0.driver.tx_reads": 1, "nics.0.driver.tx_writes": 2})
        sent = pc.ports()[0].bill_transmit(pc.bill(), 1514).work()
        return sent.accesses, sent.total

    byte, word = work(register_width=1), work(register_width=2)
    assert byte[0] == bus.clocks(3 * 6)
    assert word[0] == bus.clocks(3 * 3)
    assert byte[1] - word[1] == byte[0] - word[0]
    assert work(register_width=2, registers="memory") == word  # the processor waits: nothing posts them
    recovered = with_card(bus.replace("io_recovery", 4), "isa", register_width=2)
    assert recovered.ports()[0].bus.crossing_time(3) - bus.crossing_time(3) == bus.clocks(3 * 4)


# ---- PCI-X ----

PCIX = ns.host("xeon-2400-gc-le", system="linux-2.2.16", nics=["pro1000mt/e1000-5"])


def test_a_pci_x_card_runs_as_pci_in_a_pci_slot() -> None:
    card = PCIX.nics[0]
    assert isinstance(seen := PCIX.ports()[0].bus, PcixSlot)
    assert (seen.max_read, seen.outstanding) == (card.max_read, card.outstanding)
    assert isinstance(seen := PCIX.replace("bus", "pci-64-66").ports()[0].bus, PciSlot)
    assert seen.retry_clocks == card.retry_clocks


def test_a_card_of_conventional_pci_makes_the_whole_bus_conventional() -> None:
    """As if it were one of 66 MHz; other buses stay unchanged."""
    both = PCIX.replace({"bus": "pci-x-100", "nics": ["pro1000mt/e1000-5", "pro1000f/e1000"]})
    fast = PCIX.replace({"bus": "pci-64-66", "bus.latency_timer": both.bus.latency_timer}).ports()[0].bus
    for number, port in enumerate(both.ports()):
        assert isinstance(port.bus, PciSlot), number
        assert (port.bus.clock, port.bus.width) == (66_666_667, 8)
    assert both.ports()[0].bus.transfer_time(1514, True) == fast.transfer_time(1514, True)
    apart = both.replace("nics.1.slot", 1).ports()
    assert [type(one.bus) for one in apart] == [PcixSlot, PciSlot]


@pytest.mark.parametrize("card", ["eepro100/eepro100", "3c905b/3c59x", "rtl8139/rtl8139", "lne100tx/tulip"])
@pytest.mark.parametrize("bus", ["pci-64-33", "pci-64-66", "pci-x-133"])
def test_a_card_for_32_bits_and_33_mhz_gains_nothing_from_a_faster_bus(card: str, bus: str) -> None:
    pc = ns.host("xeon-2400", system="linux-2.2.16", nics=[card])
    narrow, wide = (pc.replace("bus", name).ports()[0].bus for name in ("pci-32-33", bus))
    assert wide.transfer_time(1514, True) == pytest.approx(narrow.transfer_time(1514, True))


def test_one_card_for_33_mhz_slows_the_whole_bus_down() -> None:
    """PCI 2.2, 7.5.1."""
    fast, both = (
        ns.host("ml530", system="linux-2.2.16", nics=nics).replace("bus", "pci-64-66").ports()[0].bus
        for nics in (["sk9843/sk98lin"], ["sk9843/sk98lin", "eepro100/eepro100"])
    )
    assert (fast.clock, both.clock) == (66_666_667, 33_333_333)
    assert (fast.width, both.width) == (8, 8)


def test_a_pci_x_bus_needs_a_bridge_that_splits() -> None:
    with pytest.raises(ScenarioError, match=r"chipset\.split: needed for a PCI-X bus; allowed: a table with decode"):
        EMPTY.replace("bus", "pci-x-133")
    with pytest.raises(ScenarioError, match="chipset: needed for a PCI-X bus"):
        PCIX.replace("chipset", None)


@pytest.mark.parametrize("protocol", ["TCP_STREAM", "UDP_STREAM"])
def test_two_ports_of_one_card_share_its_bus(protocol: str) -> None:
    """On a PCI-X 66 bus that they fill, nothing is lost on the way to a socket, and the bus is occupied as in the
    closed form."""
    pc = PCIX.replace({"nics": ["pro1000mt-dual:2/e1000-5"], "bus": "pci-x-66", "bus.width": 4})
    pc = pc.replace({"bond": "linux-2.2.17", "processors.clock": "20 GHz", "memory.bandwidth": "1000000 GB/s"})
    test = Netperf(test=protocol, sender=pc, receiver=pc, link="1000base-t", message=8192, send_buffer="60 KiB")
    run = test.build(Environment(1))
    run.start()
    run.env.run(20 * MS)  # type: ignore[attr-defined]
    run.audit()
    accounts, bounds = run.accounts(), test.bounds()
    full = accounts.drops.get("receiver: socket buffer", 0)
    assert sum(accounts.drops.values()) == full
    for name in ("sender bus", "receiver bus"):
        least = bounds.demand[name] * (accounts.delivered + 8192 * full) / bounds.delivered
        assert 0.98 * least < accounts.occupied[name] < 1.3 * least


# ---- in a run ----


@pytest.mark.parametrize(
    ("bus", "standard", "cycle"),
    [
        ("isa-16", "isa", "standard"),
        ("eisa", "isa", "standard"),
        ("eisa", "eisa", "standard"),
        ("eisa", "eisa", "burst"),
    ],
)
@pytest.mark.parametrize("protocol", ["TCP_STREAM", "UDP_STREAM"])
def test_a_master_on_such_a_bus(bus: str, standard: str, cycle: str, protocol: str) -> None:
    """Nothing is lost, and the bus is occupied as in the closed form."""
    still = BusSpec.from_name(bus).replace("refresh_interval", 0)
    pc = with_card(still, standard, bus_cycle=cycle, register_width=2)
    test = Netperf(test=protocol, sender=pc, receiver=pc, link="10base-t", message=1472)
    run = test.build(Environment(1))
    run.start()
    run.env.run(300 * MS)  # type: ignore[attr-defined]
    run.audit()
    accounts, bounds = run.accounts(), test.bounds()
    assert accounts.delivered * 8 / 0.3 == pytest.approx(9.4e6, rel=0.05)
    for name in ("sender bus", "receiver bus"):
        least = bounds.demand[name] * accounts.delivered / bounds.delivered
        assert 0.98 * least < accounts.occupied[name] < 1.3 * least
