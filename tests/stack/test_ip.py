"""Fragments: every byte once, in units of 8, and a datagram only when nothing is missing (RFC 791)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.stack import Computer, EspSpec, IpSpec, UdpReceiver
from netsim.stack.ip import FragmentMemory, Reassembly
from tests.stack.transfer import PC

IP: IpSpec = PC.system.ip


def test_the_benchmarks_datagram() -> None:
    """8192 B of message and 8 of UDP header: five fragments of 1480 and one of 800, the last one first."""
    assert IP.fragments(8200, 1500) == [800, 1480, 1480, 1480, 1480, 1480]


@given(payload=st.integers(1, 65515), mtu=st.integers(68, 9000))
def test_fragments_carry_every_byte_once(payload: int, mtu: int) -> None:
    sizes = IP.fragments(payload, mtu)
    assert sum(sizes) == payload
    assert max(sizes) + 20 <= mtu
    assert all(size % 8 == 0 for size in sizes[1:])  # all but the datagram's last one, which is sent first


@given(payload=st.integers(1, 65515), mtu=st.integers(68, 9000), back=st.booleans())
def test_fragments_lie_one_behind_the_other(payload: int, mtu: int, back: bool) -> None:
    """Whether the first or the last is sent first; offsets are in units of 8."""
    spec = IP.replace("last_fragment_first", back)
    cut = spec.cut(payload, mtu)
    assert [size for size, _ in cut] == spec.fragments(payload, mtu)
    assert all(offset % 8 == 0 for _, offset in cut)
    expected = 0
    for size, offset in cut[::-1] if back else cut:
        assert offset == expected
        expected += size
    assert expected == payload


@given(data=st.data(), payload=st.integers(1, 20000))
def test_complete_only_with_every_fragment(data: st.DataObject, payload: int) -> None:
    fragments = IP.fragments(payload, 1500)
    order = data.draw(st.permutations(range(len(fragments))))
    reassembly = Reassembly(FragmentMemory(IP))
    complete = [reassembly.add(7, fragments[index], payload, now=0, memory=1552) for index in order]
    assert complete == [False] * (len(order) - 1) + [True]
    assert reassembly.incomplete == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), unique=True, max_size=150))
def test_interleaved_datagrams_with_fragments_missing(arrivals: list[tuple[int, int]]) -> None:
    """Whatever arrives, a datagram is delivered if and only if all six of its fragments have arrived."""
    reassembly = Reassembly(FragmentMemory(IP.replace("reassembly_memory", "1 MiB")))
    sizes = IP.fragments(8200, 1500)
    delivered = {one for one, part in arrivals if reassembly.add(one, sizes[part], 8200, now=0, memory=1552)}
    came = [one for one, _ in arrivals]
    assert delivered == {one for one in came if came.count(one) == 6}


def test_the_oldest_are_given_up_when_memory_is_full() -> None:
    """Linux 2.2: above 256 KiB, down to 192 KiB, counting each fragment's buffer and its struct ipfrag, and 120 B a
    datagram."""
    reassembly, one = Reassembly(FragmentMemory(IP)), 1552 + 28 + 120
    most, left = 256 * 1024 // one, 192 * 1024 // one
    for datagram in range(most):
        reassembly.add(datagram, 1480, 8200, now=0, memory=1552)
    assert (reassembly.incomplete, reassembly.drops["reassembly"]) == (most, 0)
    reassembly.add(most, 1480, 8200, now=0, memory=1552)
    assert (reassembly.incomplete, reassembly.drops["reassembly"]) == (left, most + 1 - left)
    assert [reassembly.completes(kept, 8200 - 1480, 8200) for kept in (most - left, most - left + 1, most)] == [
        False, True, True
    ]  # fmt: skip


def test_where_all_is_kept_just_what_is_too_much_is_given_up() -> None:
    spec = IP.replace({"kept_share": 1, "fragment_overhead": 0, "datagram_overhead": 0})
    reassembly = Reassembly(FragmentMemory(spec))
    for datagram in range(1000):
        reassembly.add(datagram, 1480, 8200, now=0, memory=1480)
    assert reassembly.incomplete == spec.reassembly_memory // 1480
    assert reassembly.drops["reassembly"] + reassembly.incomplete == 1000


def test_each_fragment_gives_its_datagram_more_time() -> None:
    reassembly, second = Reassembly(FragmentMemory(IP)), 10**12
    for time in (0, 29, 58):
        reassembly.add(1, 1480, 8200, now=time * second, memory=1552)
    reassembly.add(2, 1480, 8200, now=80 * second, memory=1552)
    assert reassembly.incomplete == 2


def test_the_old_are_given_up() -> None:
    reassembly = Reassembly(FragmentMemory(IP))
    reassembly.add(1, 1480, 8200, now=0, memory=1552)
    reassembly.add(2, 1480, 8200, now=31 * 10**12, memory=1552)
    assert reassembly.incomplete == 1
    assert reassembly.drops["reassembly"] == 1


def test_flows_share_the_memory_of_their_host() -> None:
    """Each has its own datagrams, under the same numbers, and is charged with those of its own that are given up."""
    memory = FragmentMemory(IP)
    early, late, one = Reassembly(memory), Reassembly(memory), 1552 + 28 + 120
    first, last = 100, 192 * 1024 // one  # the later flow's fill what is kept
    for datagram in range(first):
        early.add(datagram, 1480, 8200, now=0, memory=1552)
    for datagram in range(last):
        late.add(datagram, 1480, 8200, now=0, memory=1552)
        assert memory.held == (early.incomplete + late.incomplete) * one <= 256 * 1024
    assert (early.drops["reassembly"], late.drops["reassembly"]) == (first - early.incomplete, 0)
    assert 0 < early.incomplete < first
    assert early.completes(first - 1, 8200 - 1480, 8200)
    assert late.add(1, 8200 - 1480, 8200, now=0, memory=1552)
    assert memory.held == (early.incomplete + last - 1) * one


def test_sockets_and_tunnels_of_a_host_share_its_memory() -> None:
    host = Computer(Environment(1), PC.replace("system.ipsec", "freeswan-1.97"), "server")
    sockets = [UdpReceiver(host, name, 65536) for name in ("one", "other")]
    host.open("tunnel", EspSpec.from_name("3des-cbc/hmac-md5-96"), 1500)
    for reassembly in (*(one.reassembly for one in sockets), host.openers["tunnel"].reassembly):
        before = host.fragments.held
        reassembly.add(1, 1480, 8200, now=0, memory=1552)
        assert host.fragments.held == before + 1552 + 28 + 120


@pytest.mark.parametrize("datagram", [1, 2])
def test_completes_tells_before_what_add_will_say(datagram: int) -> None:
    reassembly = Reassembly(FragmentMemory(IP))
    for nbytes in IP.fragments(8200, 1500):
        expected = reassembly.completes(datagram, nbytes, 8200)
        assert reassembly.add(datagram, nbytes, 8200, now=0, memory=1552) is expected
