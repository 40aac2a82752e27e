"""Adapters by name: a card, how many of its ports, a driver; and the one line that every mistake gives."""

from __future__ import annotations

import pytest

from netsim.errors import ScenarioError
from netsim.host import AdapterSpec, DriverSpec
from netsim.scenario import host


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
    assert [port.driver for port in pc.ports()] == [pc.nics[0].driver, *[pc.nics[1].driver] * 3]
    assert [port.bus == pc.bus for port in pc.ports()] == [True, False, False, False]


MISTAKES = [
    ("dfe570tx:/tulip", "ports", '"" is not a count; allowed: a whole number, 1 or more'),
    ("dfe570tx:x/tulip", "ports", '"x" is not a count; allowed: a whole number, 1 or more'),
    ("dfe570tx:1.5/tulip", "ports", '"1.5" is not a count; allowed: a whole number, 1 or more'),
    ("dfe570tx:3:2/tulip", "ports", '"3:2" is not a count; allowed: a whole number, 1 or more'),
    ("dfe570tx:0/tulip", "ports", '"0" is out of range for a count; allowed: 1 or more'),
    ("dfe570tx:-1/tulip", "ports", '"-1" is out of range for a count; allowed: 1 or more'),
    ("dfe570tx:5/tulip", "ports", "5 is not allowed; allowed: 1 to 4"),
    ("3c905b:2/3c59x", "ports", "2 is not allowed; allowed: 1 to 1"),
    ("dfe570:3/tulip", "", 'nothing in nics is called "dfe570" (did you mean "dfe570tx"?)'),
    ("dfe570tx:3/tulp", "", 'nothing in drivers is called "tulp" (did you mean "tulip"?)'),
    ("dfe570tx:3/tulip/x", "", 'nothing in drivers is called "tulip/x" (did you mean "tulip"?)'),
    (
        "dfe570tx:3/3c59x",
        "driver.rx_checksum",
        '"nic" needs a card that can; allowed here: "host" (rx_checksum is false)',
    ),
]


@pytest.mark.parametrize(("name", "address", "problem"), MISTAKES)
def test_mistakes_are_one_line_with_their_place(name: str, address: str, problem: str) -> None:
    """On its own, and in a host, where the address goes on from the host."""
    with pytest.raises(ScenarioError) as alone:
        AdapterSpec.from_name(name)
    assert str(alone.value) == (f"{address}: {problem}" if address else problem)
    with pytest.raises(ScenarioError) as second:
        host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x", name])
    assert str(second.value) == ".".join(filter(None, ("nics.1", address))) + f": {problem}"


@pytest.mark.parametrize("name", ["dfe570tx", "dfe570tx:3", "dfe570tx/", "dfe570tx:3/"])
def test_a_card_alone_is_told_which_drivers_there_are(name: str) -> None:
    with pytest.raises(ScenarioError, match=r'^"dfe570tx" names a card and no driver; write one of .*dfe570tx/tulip$'):
        AdapterSpec.from_name(name)


@pytest.mark.parametrize("name", ["", "/tulip", ":3/tulip"])
def test_no_card_is_told_which_there_are(name: str) -> None:
    with pytest.raises(ScenarioError, match=r'^nothing in nics is called ""; allowed: 3c905b, '):
        AdapterSpec.from_name(name)
