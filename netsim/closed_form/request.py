"""A request or a response, over TCP or UDP, in the frames that it takes: the parts that a transaction adds up, and the
least time of a lone one. Equal frames are counted, so a long message takes no longer to compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from netsim.closed_form.load import Frames, Load, carry
from netsim.closed_form.outline import frame, handed_over
from netsim.closed_form.passage import Passage, Ports, Runs
from netsim.closed_form.way import Way
from netsim.machine import Place, Work
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.computer_spec import Fragment
from netsim.stack.socket import CALLED, WITHIN, Entry
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts

_CACHED = Place("cache", aligned=True)


class InFrames(NamedTuple):
    """A message's `passages` in the order in which they leave, with equal ones counted, each of which carries at most
    `shared` messages; the bytes of a frame that carries only one; the work of the process before the first may leave;
    and the work for the last one after its driver."""

    passages: Runs
    shared: int
    smallest: int
    written: Work
    taken: tuple[Work, ...]

    def carried(self, sends: Load, takes: Load, into: int, *, backlog: bool, share: float = 1) -> Frames:
        """Its frames, of which the `share` arrives on that port. Their work is added to both ends."""
        part = share / self.shared
        for number, one in self.passages:
            carry(sends, takes, number * part, one, into, backlog)
        return [(number * part, one.frame) for number, one in self.passages]

    def least(self, way: Way, cables: int = 1) -> int:
        """The least time (ps) of a lone message: its frames are consecutive on one cable. An interrupt may already be
        under way, and a process may not have slept. For a frame that may carry other messages only the wire counts,
        because the cost of the rest depends on these."""
        frames = [(number, one.frame) for number, one in self.passages]
        if self.shared > 1:
            crossing = way.cabled(self.smallest)
        else:
            crossing = way.crossed(frames if cables == 1 else [(1, frames[-1][1])])
        return self.written.total + crossing + sum(work.total for work in self.taken)


def over_tcp(
    near: ComputerSpec, far: ComputerSpec, nbytes: int, mtu: int, outstanding: int, ports: Ports = (0, 0),
    alone: bool = False, acks: bool = False,
) -> InFrames:
    """Full segments and a rest. Up to `outstanding` small messages may share a segment. The first one is sent `alone`
    or `acks`, as in TcpCosts."""
    sending, taking = TcpCosts(near, near.offloads(), through=ports[0]), TcpCosts(far, far.offloads())
    mss = near.mss(mtu)
    whole = (nbytes - 1) // mss
    last = nbytes - whole * mss
    first = mss if whole else last
    shared = max(1, min(outstanding, mss // nbytes))
    one = _Segments(sending, taking, shared, ports, alone, acks)
    behind = [(number, one.passage(size, first=False)) for number, size in ((whole - 1, mss), (1, last)) if number > 0]
    passages = [(1, one.passage(first, first=True)), *(behind if whole else ())]
    if outstanding > 1:  # a message may wait, and be sent with others
        read = taking.read(0, _CACHED, CALLED)
        return InFrames(passages, shared, near.frame_size(first), sending.write(first, CALLED), (read,))
    taken = taking.arrival(last, ports[1], acks=acks and not whole), one.read(last, last, CALLED)
    written = sending.write_and_send(first, first, ports[0], CALLED, alone=alone)
    return InFrames(passages, shared, near.frame_size(first), written, taken)


class _Segments(NamedTuple):
    """Segments with `shared` messages each, each message written and read by a separate call."""

    sending: TcpCosts
    taking: TcpCosts
    shared: int
    ports: Ports
    alone: bool
    acks: bool

    def passage(self, length: int, *, first: bool) -> Passage:
        """The passage of messages, or parts of them, of `length` bytes each."""
        sending, taking, shared, (out, into), *_ = self
        entry, alone, acks = CALLED if first else WITHIN, first and self.alone, first and self.acks
        whole = shared * length
        written = (sending.write(length, entry),) * shared
        at_once = sending.write_and_send(length, length, out, entry, alone=alone)
        sent = (at_once,) if shared == 1 else (*written, sending.segment(whole, out))
        reads = (self.read(length, whole, entry),) * shared
        arrives = (taking.arrival(whole, into, acks=acks),)
        return Passage(handed_over(sending, taking, whole), sent, arrives, reads, written)

    def read(self, length: int, whole: int, entry: Entry) -> Work:
        """A process reads `length` bytes of a segment of `whole`."""
        place = self.taking.place(self.sending.host.frame_size(whole), self.ports[1])
        return self.taking.read(length, place, entry)


def over_udp(near: ComputerSpec, far: ComputerSpec, nbytes: int, mtu: int, ports: Ports = (0, 0)) -> InFrames:
    """A datagram's fragments, as they are sent."""
    sending, taking = UdpCosts(near, ports[0]), UdpCosts(far)
    into, total = ports[1], nbytes + udp.HEADER
    fragments = near.fragments(total, mtu)
    last = fragments[-1].nbytes
    completion = taking.completion(last, total, into)
    read = taking.read(nbytes, taking.place(last, total, into), CALLED)
    passages = [(1, one) for one in _fragments(sending, taking, fragments, total, ports, (completion, read))]
    _, first = passages[0]
    return InFrames(passages, 1, first.frame.size, first.sent[0], (completion, read))


def _fragments(
    sending: UdpCosts, taking: UdpCosts, fragments: Sequence[Fragment], total: int, ports: Ports,
    last: tuple[Work, Work],
) -> Iterator[Passage]:
    """The fragments of a datagram of `total` bytes, with the work of the `last` one at the other end."""
    (out, into), (completion, read), end = ports, last, len(fragments) - 1
    for place, one in enumerate(fragments):
        sent = sending.write(one, total, out, WITHIN if place else CALLED)
        arrives = completion if place == end else taking.fragment(one.nbytes, into)
        within = (sent.outside,) if sent.outside is not None else ()
        reads = (read,) if place == end else ()
        out_frame = frame(one.size, packet=ip.HEADER + one.nbytes)
        yield Passage(out_frame, (sent,), (arrives,), reads, within)
