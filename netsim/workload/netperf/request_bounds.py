"""The closed form of TCP_RR and UDP_RR: per transaction, the least time of every resource, and of one that is alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import CLIENTS
from netsim.closed_form.load import Frames, Load, carry
from netsim.closed_form.outline import frame, handed_over
from netsim.closed_form.passage import Passage
from netsim.closed_form.stream import pair_bounds
from netsim.closed_form.way import Way
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Place, Work
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.socket import CALLED, WITHIN, Entry
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from netsim.units import TPS

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf


_CACHED = Place("cache", aligned=True)


class _Message(NamedTuple):
    """Its `passages` in the order in which they leave, of which each carries `shared` messages at the most; bytes of a
    frame that carries only one; what the process does before the first may leave, and what is done with the last one
    behind its driver."""

    passages: Sequence[Passage]
    shared: int
    smallest: int
    written: Work
    taken: tuple[Work, ...]


def request_bounds(test: Netperf) -> Bounds:
    """Per transaction. "clients" is what would be reached if each of those under way had everything to itself."""
    near, far = test.ends
    there, back = _message(test, near, far, test.request_size), _message(test, far, near, test.response_size)
    client, server = Load(), Load()
    out = list(_carried(test, client, server, there, far))
    into = list(_carried(test, server, client, back, near))
    found = pair_bounds(test, 1, client, server, out, into)
    ways = (Way(*ends, test.medium, test.distance, test.switch) for ends in ((near, far), (far, near)))
    alone = sum(_least(test, way, message) for way, message in zip(ways, (there, back), strict=True))
    return replace(found, demand={**found.demand, Resource("", CLIENTS): alone / test.outstanding}, unit=TPS)


def _carried(test: Netperf, sends: Load, takes: Load, message: _Message, far: ComputerSpec) -> Iterator[Frames]:
    """The frames of each cable; they take all in turn."""
    backlog = far.system.tcp.backlog and test.test == "TCP_RR"
    count = 1 / test.cables / message.shared
    for port in range(test.cables):
        for one in message.passages:
            carry(sends, takes, count, one, port, backlog)
        yield [(count, one.frame) for one in message.passages]


def _least(test: Netperf, way: Way, message: _Message) -> int:
    """ps of a message that has everything to itself, at the least: its frames follow each other on one cable. An
    interrupt may be there already, and a process may not have slept. Of a frame that it may share only the wire counts:
    what others are in it decides what it costs."""
    frames = [one.frame for one in message.passages]
    if message.shared > 1:
        crossing = way.cabled(message.smallest)
    else:
        crossing = way.crossed(frames if test.cables == 1 else frames[-1:])
    return message.written.total + crossing + sum(work.total for work in message.taken)


def _message(test: Netperf, near: ComputerSpec, far: ComputerSpec, nbytes: int) -> _Message:
    make = _datagram if test.test == "UDP_RR" else _segments
    return make(test, near, far, nbytes)


def _segments(test: Netperf, near: ComputerSpec, far: ComputerSpec, nbytes: int) -> _Message:
    """Over TCP: full segments and a rest. As many small messages as are under way may share a segment."""
    sending, taking = TcpCosts(near, near.offloads()), TcpCosts(far, far.offloads())
    mss = near.mss(test.mtu)
    whole = (nbytes - 1) // mss
    lengths = [*[mss] * whole, nbytes - whole * mss]
    shared = max(1, min(test.outstanding, mss // nbytes))
    passages = [_segment(sending, taking, length, shared, first=not place) for place, length in enumerate(lengths)]
    first, last = lengths[0], lengths[-1]
    if test.outstanding > 1:  # it may wait, and be sent with others
        read = taking.read(0, _CACHED, CALLED)
        return _Message(passages, shared, near.frame_size(first), sending.write(first, CALLED), (read,))
    taken = taking.arrival(last, 0), _read(sending, taking, last, last, CALLED)
    written = sending.write_and_send(first, first, 0, CALLED)
    return _Message(passages, shared, near.frame_size(first), written, taken)


def _segment(sending: TcpCosts, taking: TcpCosts, length: int, shared: int, *, first: bool) -> Passage:
    """One with `shared` messages of `length`, each written and read by a call of its own."""
    entry, whole = CALLED if first else WITHIN, shared * length
    written = (sending.write(length, entry),) * shared
    sent = (sending.write_and_send(length, length, 0, entry),) if shared == 1 else (*written, sending.segment(whole, 0))
    reads = (_read(sending, taking, length, whole, entry),) * shared
    return Passage(handed_over(sending, taking, whole), sent, (taking.arrival(whole, 0),), reads, written)


def _read(sending: TcpCosts, taking: TcpCosts, length: int, whole: int, entry: Entry) -> Work:
    """A process reads `length` bytes of a segment of `whole`."""
    return taking.read(length, taking.place(sending.host.frame_size(whole), 0), entry)


def _datagram(test: Netperf, near: ComputerSpec, far: ComputerSpec, nbytes: int) -> _Message:
    """Over UDP: its fragments, as they are sent."""
    sending, taking = UdpCosts(near), UdpCosts(far)
    total = nbytes + udp.HEADER
    fragments = [size for size, _ in near.system.ip.cut(total, test.mtu)]
    last = len(fragments) - 1
    completion = taking.completion(fragments[last], total, 0)
    read = taking.read(nbytes, taking.place(fragments[last], total, 0), CALLED)
    passages = []
    for place, size in enumerate(fragments):
        sent = sending.write(size, 0, WITHIN if place else CALLED)
        arrives = completion if place == last else taking.fragment(size, 0)
        within = (sent.outside,) if sent.outside is not None else ()
        reads = (read,) if place == last else ()
        passages.append(Passage(frame(frame_size(ip.HEADER + size)), (sent,), (arrives,), reads, within))
    return _Message(passages, 1, passages[0].frame.size, passages[0].sent[0], (completion, read))
