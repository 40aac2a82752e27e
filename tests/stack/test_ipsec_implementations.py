"""IPsec added to a system, as FreeS/WAN to Linux 2.2: the costs of its own code and of its copies, the largest packets,
and datagrams whose fragments are protected one by one."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.ethernet.frame_sizes import wire_size
from netsim.machine import Work
from netsim.stack import EspSpec
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp import UdpFragment
from netsim.stack.udp_costs import UdpCosts
from tests.stack.test_ipsec import more

MD5, SHA = (EspSpec.from_name(f"3des-cbc/{name}") for name in ("hmac-md5-96", "hmac-sha-1-96"))
TUNNEL = MD5.replace("mode", "tunnel")
NS = 1000  # ps
PLAIN = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"]).replace(
    {
        "system.ipsec": "freeswan-1.97",
        "system.kernel.buffer_cycles": 900,
        "system.kernel.free_cycles": 500,
        "processors.clock": "1 GHz",  # 1 ns a cycle
        "system.kernel.cycle_factor": 1,
        "memory.cached": "1 GB/s",
        "system.ipsec.cycles": 5000,
        "system.ipsec.rx_cycles": 5500,
    }
)
WHOLE = PLAIN.replace({"system.ipsec.cuts_first": False, "system.ipsec.mtu_reserve": None})
FAST = {"processors.clock": "50 GHz"} | {f"memory.{way}": "50 GB/s" for way in ("read", "cached", "write")}


def crypto(enciphered: int, cycles: float, blocks: int) -> int:
    """ps: 3DES as in the best code, and a compiled hash of this many blocks."""
    return round(121.7 * enciphered * NS) + round(cycles * 64 * blocks * NS)


def test_compiled_hashes_are_slower_and_the_keys_pads_are_hashed_once() -> None:
    """Of a packet of 1463 bytes, 1448 are enciphered and 1464 hashed, which makes 24 blocks, plus one for the inner
    digest; compiled SHA-1 hashes two more needlessly."""
    for esp, cycles, blocks in ((MD5, 9, 24 + 1), (SHA, 25, 24 + 1 + 2)):
        costs = TcpCosts(PLAIN.under(esp))
        parts = dict(costs.segment(1463 - 52, 0).parts)
        assert parts["crypto"] == dict(costs.arrival(1463 - 52, 0).parts)["crypto"] == crypto(1448, cycles, blocks)


def test_what_is_sent_is_copied_and_twice_if_tcp_keeps_it() -> None:
    clear, esp = TcpCosts(PLAIN), TcpCosts(PLAIN.under(MD5))
    copied = PLAIN.bill().copy(1463, "cache").work().total
    found = more(esp.segment(1411, 0), clear.segment(1411, 0))
    assert found["ipsec"] == (5000 + 2 * 1400) * NS
    assert found["copy"] == 2 * copied
    assert more(esp.segment(0, 0), clear.segment(0, 0))["ipsec"] == (5000 + 1400) * NS
    assert more(esp.arrival(0, 0), clear.arrival(0, 0))["ipsec"] == 5500 * NS


def test_a_fragment_costs_what_a_packet_does() -> None:
    clear, esp = UdpCosts(PLAIN), UdpCosts(PLAIN.under(TUNNEL))

    def pairs() -> list[tuple[Work, Work]]:
        fragments = [host.fragments(4008, mtu)[-1] for host, mtu in ((esp.host, 1500), (clear.host, 1443))]
        assert [one.nbytes for one in fragments] == [1416, 1416]
        pairs = zip((esp, clear), fragments, strict=True)
        return [(one.write(cut, 4008, 0, CALLED), one.fragment(1416, 0)) for one, cut in pairs]

    (sent, came), (plainly, came_plainly) = pairs()
    assert more(sent, plainly)["ipsec"] == (5000 + 1400) * NS
    assert more(came, came_plainly) == {"ipsec": 5500 * NS, "crypto": more(sent, plainly)["crypto"]}


@pytest.mark.parametrize(("mode", "largest"), [("transport", 1463), ("tunnel", 1443)])
@pytest.mark.parametrize("cipher", ["des-cbc", "3des-cbc"])
def test_packets_fit_with_what_the_system_reserves(cipher: str, mode: str, largest: int) -> None:
    """KLIPS reserves the longest trailer plus five bytes."""
    host = PLAIN.under(EspSpec.from_name(f"{cipher}/hmac-sha-1-96").replace("mode", mode))
    assert host.mss(1500) == largest - 52
    assert host.frame_size(largest - 52) <= 1518
    assert host.ipsec is not None
    fits = host.ipsec.largest(1500)
    assert host.ipsec.packet_size(fits) <= 1500 < host.ipsec.packet_size(fits + 1)


def test_a_datagram_is_cut_before_and_goes_as_fast_as_its_frames() -> None:
    """4008 bytes make fragments of 1416, 1416 and 1176, each behind a header of 20; ESP adds 54 bytes and pads to 8."""
    fast = PLAIN.replace(FAST)
    test = ns.Netperf("UDP_STREAM", fast, fast, message=4000, ipsec=TUNNEL)
    frames = [14 + 20 + 16 + (20 + n + 2 + 7) // 8 * 8 + 12 + 4 for n in (1416, 1416, 1176)]
    limit = 4000 / sum(wire_size(one) for one in frames) * 100e6
    assert test.bounds().limit == pytest.approx(limit)
    run: Any = test.build(ns.engine.Environment(1))
    seen: list[UdpFragment] = []
    run.ledger.links[0].lost = lambda frame: bool(seen.append(frame))
    run.start()
    run.env.run(5 * 10**10)
    run.audit()
    assert sorted({frame.size for frame in seen}) == sorted(set(frames))
    assert [frame.number for frame in seen] == list(range(1, len(seen) + 1))
    assert run.delivered * 8 / 0.05 == pytest.approx(limit, rel=0.03)
    counts = run.accounts().counts
    assert counts["sender IPsec packets by the host"] == pytest.approx(len(seen), abs=60)  # some in its ring
    assert counts["receiver IPsec packets by the host"] == pytest.approx(len(seen), abs=20)


def test_a_datagram_that_is_protected_whole_is_cut_behind_that() -> None:
    """4008 bytes and 2 of trailer are 4016 in blocks of 8; with 16 before and 12 after them they are cut into 1480,
    1480 and 1084, and the first one contains the IPsec header."""
    fast = WHOLE.replace(FAST)
    test = ns.Netperf("UDP_STREAM", fast, fast, message=4000, ipsec=MD5)
    assert [tuple(one) for one in test.sender.under(test.ipsec).fragments(4008, 1500)] == [
        (1444, 0, 1518), (1480, 1444, 1518), (1084, 2924, 1122)]  # fmt: skip
    run: Any = test.build(ns.engine.Environment(1))
    run.start()
    run.env.run(5 * 10**10)
    run.audit()
    counts, bounds = run.accounts().counts, test.bounds()
    assert 0.9 * bounds.limit < run.delivered * 8 / 0.05 <= bounds.limit
    assert counts["sender IPsec packets by the host"] == pytest.approx(counts["datagrams sent"], abs=1)
    assert counts["receiver IPsec packets by the host"] == pytest.approx(run.delivered / 4000, abs=40)  # queued


def test_one_that_is_protected_whole_pays_once_for_all_of_it() -> None:
    clear, esp = UdpCosts(WHOLE), UdpCosts(WHOLE.under(MD5))
    first, second, last = esp.host.fragments(4008, 1500)
    one = more(esp.write(first, 4008, 0, CALLED), clear.write(clear.host.fragments(4008, 1500)[0], 4008, 0, CALLED))
    blocks = -(-(MD5.authenticated(4028) + 9) // 64)
    assert one["crypto"] == crypto(MD5.enciphered(4028), 9, blocks + 1)
    assert "crypto" not in dict(esp.write(second, 4008, 0, WITHIN).parts)
    assert "crypto" not in dict(esp.fragment(second.nbytes, 0).parts)
    assert dict(esp.completion(last.nbytes, 4008, 0).parts)["crypto"] == one["crypto"]


def test_the_sender_decides_how_many_packets_the_receiver_opens() -> None:
    """The receiver opens what is on the wire, however its own system would have protected it."""
    for sender, receiver, packets in ((WHOLE, PLAIN, 1), (PLAIN, WHOLE, 3)):
        ends = sender.replace(FAST), receiver.replace(FAST)
        test = ns.Netperf("UDP_STREAM", *ends, message=4000, ipsec=TUNNEL)
        run: Any = test.build(ns.engine.Environment(1))
        run.start()
        run.env.run(2 * 10**10)
        run.audit()
        counts = run.accounts().counts
        assert counts["sender IPsec packets by the host"] == pytest.approx(packets * counts["datagrams sent"], abs=3)
        opened = packets * counts["datagrams received"]
        assert counts["receiver IPsec packets by the host"] == pytest.approx(opened, abs=3)
        assert run.delivered * 8 / 0.02 <= test.bounds().limit


def test_opening_costs_what_the_sender_has_made_of_the_datagram() -> None:
    whole, cut = WHOLE.under(TUNNEL), PLAIN.under(TUNNEL)

    def parts(costs: UdpCosts) -> list[dict[str, int]]:
        return [dict(work.parts) for work in (costs.fragment(1416, 0), costs.completion(1176, 4008, 0))]

    assert parts(UdpCosts(cut, peer=whole)) == parts(UdpCosts(whole))
    assert parts(UdpCosts(whole, peer=cut)) == parts(UdpCosts(cut)) != parts(UdpCosts(whole))


@pytest.mark.parametrize("test", ["UDP_STREAM", "UDP_RR", "TCP_RR"])
def test_no_bound_is_beaten_where_the_processor_enciphers(test: str) -> None:
    size: dict[str, Any] = {} if test.endswith("RR") else {"message": 3000}
    alone = PLAIN.replace("memory.bandwidth", "1000000 GB/s")
    fast = alone.replace("processors.clock", "2 GHz")  # otherwise a receiver flooded with datagrams loses many
    netperf = ns.Netperf(test, alone, fast, ipsec=SHA.replace("mode", "tunnel"), **size)
    result = ns.simulate(netperf, precision=0.03, limit="0.2 s")
    assert 0.75 * netperf.bounds().limit < result.throughput <= netperf.bounds().limit * 1.001
    assert max(result.cpu_by_name("sender"), key=result.cpu_by_name("sender").__getitem__) == "crypto"


def test_a_pentium_computes_at_nearly_the_same_clocks_and_does_all_else_slower() -> None:
    hosts = [ns.host(name, system="linux-2.2.16", nics="eepro100/eepro100") for name in ("p166", "piii-600")]
    same = {"system.ipsec": "freeswan-1.97", "processors.clock": "100 MHz"}
    slow, fast = (TcpCosts(one.replace(same).under(MD5)) for one in hosts)
    one, other = dict(slow.segment(1411, 0).parts), dict(fast.segment(1411, 0).parts)
    assert one["crypto"] == pytest.approx(1.05 * other["crypto"])
    assert one["protocol"] > 1.5 * other["protocol"]


WINDOWS = ns.host("piii-600", system="windows-2000", nics="pro100s/e100bnt5")


@pytest.mark.parametrize(
    ("change", "address", "words"),
    [
        ({"ipsec": "null/hmac-md5-96"}, "sender.ipsec.cipher", "allowed: des-cbc, 3des-cbc"),
        ({"sender.system.ipsec": None}, "sender.system.ipsec", "freeswan-1.97"),
        ({"sender": WINDOWS, "message": 1000}, "ipsec", "IPsec by the card"),
        ({"sender": WHOLE, "receiver": WHOLE, "message": 65_507}, "ipsec", "leave no room"),
        ({"message": 1436}, "ipsec.mode", 'allowed: "tunnel", or up to 1443 bytes of IP payload'),
        ({"test": "UDP_RR", "message": None, "response": 1436}, "ipsec.mode", "1444 bytes of IP payload"),
    ],
)
def test_what_is_not_modelled_is_refused(change: dict[str, Any], address: str, words: str) -> None:
    test = ns.Netperf("UDP_STREAM", PLAIN, PLAIN, message=1435, ipsec=MD5)
    with pytest.raises(ScenarioError) as caught:
        test.replace(change)
    assert caught.value.address == address
    assert words in caught.value.problem
