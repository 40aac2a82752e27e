"""Adapters by name: a card, the number of ports used, and a driver; every mistake gives one line."""

from __future__ import annotations

import pytest

from netsim.bus import BridgeSpec, PciSlot
from netsim.errors import ScenarioError
from netsim.machine import AdapterSpec, DriverSpec, SlaveAdapterSpec
from netsim.scenario import host
from netsim.stack import NcpHostSpec


def test_a_name_says_card_ports_and_driver() -> None:
    three = AdapterSpec.from_name("dfe570tx:3/tulip")
    assert (three.ports, three.max_ports) == (3, 4)
    assert three.driver == DriverSpec.from_name("tulip")
    assert three.bridge is not None
    assert three == AdapterSpec.from_name("dfe570tx/tulip").replace("ports", 3)


def test_without_a_count_one_port_is_used() -> None:
    assert AdapterSpec.from_name("dfe570tx/tulip").ports == 1
    assert AdapterSpec.from_name("dfe570tx:1/tulip") == AdapterSpec.from_name("dfe570tx/tulip")


def test_each_port_of_a_card_is_a_port_of_its_host() -> None:
    pc = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x", "dfe570tx:3/tulip"])
    bridge = BridgeSpec.from_name("dec-21152")
    assert [port.driver for port in pc.ports()] == [pc.nics[0].driver, *[pc.nics[1].driver] * 3]
    assert [isinstance(port.bus, PciSlot) and port.bus.bridge for port in pc.ports()] == [None, bridge, bridge, bridge]


MISTAKES = [
    ("dfe570tx:/tulip", "ports", '"" is not a number of parts; allowed: a whole number, 1 to 1000'),
    ("dfe570tx:x/tulip", "ports", '"x" is not a number of parts; allowed: a whole number, 1 to 1000'),
    ("dfe570tx:1.5/tulip", "ports", '"1.5" is not a number of parts; allowed: a whole number, 1 to 1000'),
    ("dfe570tx:3:2/tulip", "ports", '"3:2" is not a number of parts; allowed: a whole number, 1 to 1000'),
    ("dfe570tx:0/tulip", "ports", '"0" is out of range for a number of parts; allowed: 1 to 1000'),
    ("dfe570tx:-1/tulip", "ports", '"-1" is out of range for a number of parts; allowed: 1 to 1000'),
    ("dfe570tx:5/tulip", "ports", "5 is not allowed; allowed: 1 to 4"),
    ("3c905b:2/3c59x", "ports", "2 is not allowed; allowed: 1 to 1"),
    ("dfe570:3/tulip", "", 'nothing in nics is called "dfe570" (did you mean "dfe570tx"?)'),
    ("dfe570tx:3/tulp", "", 'nothing in drivers is called "tulp" (did you mean "tulip"?)'),
    ("dfe570tx:3/tulip/x", "", 'nothing in drivers is called "tulip/x" (did you mean "tulip"?)'),
    (
        "dfe570tx:3/3c59x",
        "",
        '"3c59x" is not a driver for "dfe570tx", only for 3c905b; allowed: dfe570tx/tulip',
    ),
]


@pytest.mark.parametrize(("name", "address", "problem"), MISTAKES)
def test_mistakes_are_one_line_with_their_place(name: str, address: str, problem: str) -> None:
    """On its own, and in a host, where the address starts with the host's."""
    with pytest.raises(ScenarioError) as alone:
        AdapterSpec.from_name(name)
    assert str(alone.value) == (f"{address}: {problem}" if address else problem)
    with pytest.raises(ScenarioError) as second:
        host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x", name])
    assert str(second.value) == ".".join(filter(None, ("nics.1", address))) + f": {problem}"


@pytest.mark.parametrize("name", ["dfe570tx", "dfe570tx:3", "dfe570tx/", "dfe570tx:3/"])
def test_a_card_alone_is_told_which_drivers_there_are(name: str) -> None:
    with pytest.raises(ScenarioError, match=r'^"dfe570tx" names a card without a driver; allowed: .*dfe570tx/tulip$'):
        AdapterSpec.from_name(name)


@pytest.mark.parametrize("name", ["", "/tulip", ":3/tulip"])
def test_no_card_is_told_which_there_are(name: str) -> None:
    with pytest.raises(ScenarioError, match=r'^nothing in nics is called ""; allowed: 3c509, 3c905b, '):
        AdapterSpec.from_name(name)


# ---- cards of several kinds ----


def workstation(model: str, *nics: str) -> NcpHostSpec:
    return NcpHostSpec.from_catalog("hosts", model, system="netx-3", nics=list(nics))


def test_a_card_is_of_the_kind_that_its_file_says() -> None:
    nics = workstation("compaq-cp3301", "ne2000/ne2000-odi", "plx-sonic/plx-sonic-lan").nics
    assert [type(nic) for nic in nics] == [SlaveAdapterSpec, AdapterSpec]
    assert [nic.moved_by for nic in nics] == ["processor", "adapter"]


def test_a_host_with_tcp_takes_a_slave_that_fits_its_slot() -> None:
    assert host("pc-brand-a84210", system="linux-2.2.16", nics=["ne2000/ne"]).ports()[0].moves
    with pytest.raises(ScenarioError, match=r'^nics.0.bus_standard: "isa" does not fit a slot of bus 0; allowed'):
        host("piii-600", system="linux-2.2.16", nics=["ne2000/ne"])


@pytest.mark.parametrize(
    ("model", "name", "problem"),
    [
        ("pc-brand-a84210", "3c905b/3c59x", '"pci" does not fit a slot of bus 0; allowed there: isa'),
        ("pc-brand-a84210", "lne390/lne390-lan", '"eisa" does not fit a slot of bus 0; allowed there: isa'),
        ("compaq-cp3301", "3c905b/3c59x", '"pci" does not fit a slot of bus 0; allowed there: isa, eisa'),
        ("piii-600", "at1500/at1500-odi", '"isa" does not fit a slot of bus 0; allowed there: pci, pci-x'),
    ],
)
def test_a_card_has_to_fit_its_slot(model: str, name: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as error:
        workstation(model, name)
    assert str(error.value) == f"nics.0.bus_standard: {problem} (no bus of this host takes such a card)"


def test_a_card_that_fits_another_slot_is_told_which() -> None:
    with pytest.raises(ScenarioError, match=r"allowed there: pci, pci-x \(such a card: slot = 1\)$"):
        host("p90", system="linux-2.2.16", nics=["ne2000/ne"])
    assert host("p90", system="linux-2.2.16", nics=[{"model": "ne2000/ne", "slot": 1}]).ports()[0].slot == 1


def test_who_moves_the_data_is_one_of_two() -> None:
    pc = workstation("pc-brand-a84210", "ne2000/ne2000-odi")
    with pytest.raises(ScenarioError) as error:
        pc.replace("nics.0.moved_by", "cable")
    assert str(error.value) == 'nics.0.moved_by: "cable" is not allowed; allowed: processor, adapter'


@pytest.mark.parametrize(
    ("name", "changes", "allowed"),
    [
        ("ne2000/ne2000-odi", {}, 64 * 256 - 2 * 6 * 256),
        ("ne2000/ne2000-odi", {"driver.tx_ring": 1}, 64 * 256 - 6 * 256),
        ("ne2000/ne2000-odi", {"max_frame": 1284}, 64 * 256 - 2 * 5 * 256),
        ("ne2000/ne2000-odi", {"max_frame": 1285}, 64 * 256 - 2 * 6 * 256),
        ("3c509/3c509-odi", {}, 4096 - 1514),
        ("3c509/3c509-odi", {"driver.tx_ring": 20}, 4096 - 1514),
    ],
)
def test_the_buffer_holds_what_is_received_and_what_is_to_be_sent(
    name: str, changes: dict[str, object], allowed: int
) -> None:
    """An 8390 with 64 pages, or a FIFO that empties as it sends."""
    card = SlaveAdapterSpec.from_name(name)
    fits = card.replace(changes | {"driver.rx_ring_bytes": allowed})
    with pytest.raises(ScenarioError) as error:
        fits.replace("driver.rx_ring_bytes", allowed + 1)
    assert str(error.value) == (
        f"driver.rx_ring_bytes: {allowed + 1} bytes don't fit into the card's {card.buffer} besides frames to send; "
        f"allowed: 0 to {allowed}"
    )


def test_what_crosses_the_bus_by_itself_and_what_the_processor_moves() -> None:
    """Per frame, a bus master takes its own bus time and no processor time; with a slave it is the other way round."""
    pc = workstation("pc-brand-a84210", "ne2000/ne2000-odi", "at1500/at1500-odi")
    slave, master = pc.nics
    assert slave.tx_bus_time(pc.slots[0], 1000) == slave.rx_bus_time(pc.slots[0], 60) == 0
    assert min(master.tx_bus_time(pc.slots[0], 1000), master.rx_bus_time(pc.slots[0], 60)) > 0
    for move in ("bill_out", "bill_in"):
        assert getattr(master, move)(pc.bill(), pc.slots[0], 0, 1000).work().total == 0
        assert getattr(slave, move)(pc.bill(), pc.slots[0], 0, 1000).work().moved == pc.slots[0].access_time(500, 0, 2)
