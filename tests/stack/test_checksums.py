"""Which part computes the checksum of received data, by the sources of Linux 2.2.16's drivers, and its cost."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.scenario import host
from netsim.stack import ComputerSpec
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts


def costs(nic: str, name: str = "p166") -> TcpCosts:
    return TcpCosts(host(name, system="linux-2.2.16", nics=[nic]))


@pytest.mark.parametrize(
    ("nic", "length", "by_tcp"),
    [
        ("rtl8139/rtl8139", 1448, False),  # rtl8129_rx: eth_copy_and_sum, every frame
        ("rtl8139/rtl8139", 1, False),
        ("lne100tx/tulip", 1448, True),
        ("lne100tx/tulip", 34, True),  # a frame of 100 bytes, rx_copybreak
        ("lne100tx/tulip", 33, False),
        ("eepro100/eepro100", 134, True),
        ("eepro100/eepro100", 133, False),  # by the card
        ("3c905b/3c59x", 1448, False),  # the card
        ("3c905b/3c59x", 1, False),
        ("pro1000f/e1000", 1, True),  # CHECKSUM_NONE
        ("sk9843/sk98lin", 1448, False),
    ],
)
def test_tcp_sums_what_card_and_driver_have_not(nic: str, length: int, by_tcp: bool) -> None:
    one = costs(nic, "piii-600")
    parts = dict(one.arrival(length, 0).parts)
    assert ("checksum" in parts) == by_tcp
    # A pass over the data, by TCP or by the driver, has brought them into a cache.
    copied_or_summed = nic not in ("3c905b/3c59x", "sk9843/sk98lin") or length == 1
    assert one.place(one.host.frame_size(length), 0).source == ("cache" if copied_or_summed else "memory")


def test_sums_are_taken_aligned_and_copies_are_not() -> None:
    """csum_partial sums the first two bytes separately; the copy to the user has 362 words misaligned by two bytes, at
    3 clocks each."""
    one = costs("lne100tx/tulip")
    memory, processors = one.host.memory, one.host.processors
    assert dict(one.arrival(1448, 0).parts)["checksum"] == memory.read_time(1448, "memory")
    place = one.place(one.host.frame_size(1448), 0)
    assert not place.aligned
    copy = one.read(1448, place, WITHIN).total
    assert copy - memory.copy_time(1448, "cache") == processors.time(3 * 362) > 6_500_000


# --- sums of what is sent --------------------------------------------------------------------------------------------

GIGABIT = "pro1000f/e1000nt5"  # its driver leaves sums to the card
BOND = {"policy": "address", "tx_cycles": 500, "detection": "0 s"}


def windows(ports: int = 1, bond: Any = None, **by_host: str) -> ComputerSpec:
    """A host whose ports leave sums to their cards, except for those in `by_host`."""
    one = host("ml530", system="windows-2000", nics=[GIGABIT] * ports, bond=bond)
    return one.replace({f"nics.{port[1:]}.driver.tx_checksum": who for port, who in by_host.items()})


@pytest.mark.parametrize(("nbytes", "by_card"), [(1400, True), (1472, True), (1473, False), (8192, False)])
def test_a_card_sums_single_frames_only(nbytes: int, by_card: bool) -> None:
    """A fragment's card does not see the rest of the datagram."""
    for spec, sums in ((windows(), not by_card), (windows(p0="host"), True)):
        first, *_ = spec.fragments(nbytes + 8, 1500)
        work = UdpCosts(spec).write(first, nbytes + 8, 0, CALLED)
        assert ("checksum" in dict(work.parts)) == sums


def test_large_datagrams_cost_the_same_whoever_could_sum_them() -> None:
    card, own = (ns.Netperf("UDP_STREAM", spec, spec, link="1000base-sx", message=8192)
                 for spec in (windows(), windows(p0="host")))  # fmt: skip
    assert card.bounds().demand == own.bounds().demand
    found = [ns.simulate(test, precision=0.05, limit="50 ms") for test in (card, own)]
    assert found[0].throughput == found[1].throughput
    assert found[0].cpu == found[1].cpu


def sums(spec: ComputerSpec, through: int) -> bool:
    return "checksum" in dict(TcpCosts(spec, through=through).write(1000, WITHIN).parts)


def test_the_card_that_a_connection_uses_decides() -> None:
    """With a bond any card may carry a frame, so all of them have to."""
    mixed = windows(2, p1="host")
    assert [sums(mixed, port) for port in (0, 1)] == [False, True]
    assert [sums(windows(2, BOND), port) for port in (0, 1)] == [False, False]
    assert [sums(windows(2, BOND, p1="host"), port) for port in (0, 1)] == [True, True]


@pytest.mark.parametrize("test", ["TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"])
def test_an_unused_card_changes_nothing(test: str) -> None:
    message = {"message": 1400} if test.endswith("STREAM") else {"request": 1400, "response": 1400}
    both, used = (ns.Netperf(test, spec, spec, link="1000base-sx", **message)
                  for spec in (windows(2, p1="host"), windows(2)))  # fmt: skip
    assert both.bounds().demand == used.bounds().demand
    found = [ns.simulate(one, precision=0.05, limit="50 ms") for one in (both, used)]
    assert found[0].throughput == found[1].throughput


def checksum(result: ns.Result) -> float:
    return result.cpu_by_name("server").get("checksum", 0.0)


def test_each_port_of_a_server_has_its_own() -> None:
    """Clients take the ports in turn: those of the second port cost the server a sum."""
    client = windows()

    def chariot(server: ComputerSpec) -> ns.Chariot:
        once = {"min_iterations": 1, "max_iterations": 1}
        return ns.Chariot(server=server, clients=[client] * 2, switch="summit48", link="1000base-sx",
                          flow="download", **once)  # fmt: skip

    tests = [chariot(windows(2, p1=second)) for second in ("nic", "host")]
    tests.append(chariot(windows(2, p0="host", p1="host")))
    none, one, all_of_them = [test.bounds().demand["server processors"] for test in tests]
    assert none < one < all_of_them
    shares = [checksum(ns.simulate(test, precision=0.05, limit="50 ms")) for test in tests]
    assert shares[0] == 0 < shares[1] < 0.8 * shares[2]


def test_a_flow_of_a_network_asks_its_own_port() -> None:
    """Host a's first port leads to b, its second one to c."""
    hosts = {"a": windows(2, p1="host"), "b": windows(), "c": windows()}
    links = {"x": {"ends": ["a.0", "b"], "link": "1000base-sx"}, "y": {"ends": ["a.1", "c"], "link": "1000base-sx"}}

    def stream(to: str) -> ns.Flows:
        return ns.Flows(hosts, {"one": {"kind": "stream", "sender": "a", "receiver": to}}, links=links)

    near, far = stream("b"), stream("c")
    assert near.bounds().demand["a processors"] < far.bounds().demand["a processors"]
    summed = [ns.simulate(test, precision=0.05, limit="50 ms").cpu_by_name("a").get("checksum", 0.0)
              for test in (near, far)]  # fmt: skip
    assert summed[0] == 0 < summed[1]
