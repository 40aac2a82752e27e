"""A request or a response, over TCP or UDP, in the frames that it takes: the parts that a transaction adds up, and the
least time of a lone one. Equal frames are counted, so a long message takes no longer to compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from netsim.closed_form.load import Frames, Load, carry
from netsim.closed_form.outline import frame, handed_over
from netsim.closed_form.passage import Passage, Ports
from netsim.closed_form.way import Way
from netsim.ethernet import Frame
from netsim.machine import Place, Work
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.computer_spec import Fragment
from netsim.stack.socket import CALLED, WITHIN, Entry
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts

_CACHED = Place("cache", aligned=True)


class InFrames(NamedTuple):
    """A message's `passages` in the order in which they leave, each with how often it is made (equal ones are counted,
    and one that other messages share counts as a share); the frames of a `lone` message, with equal ones counted, and
    whether one of them has room for other messages, too (`shares`); the work of the process before the first may leave;
    the work for the last one after its driver; and what the calls of both processes take, if it is not in the passages.
    """

    passages: Sequence[tuple[float, Passage]]
    lone: Sequence[tuple[int, Frame]]
    shares: bool
    written: Work
    taken: tuple[Work, ...]
    calls: tuple[Work, Work] | None = None

    def carried(self, sends: Load, takes: Load, into: int, *, backlog: bool, share: float = 1) -> Frames:
        """Its frames, of which the `share` arrives on that port. Their work is added to both ends."""
        for number, one in self.passages:
            carry(sends, takes, number * share, one, into, backlog)
        for load, work in zip((sends, takes), self.calls or (), strict=False):
            load.anywhere.append((share, work))
            load.calls.append((share, work))
        return [(number * share, one.frame) for number, one in self.passages]

    def least(self, way: Way, cables: int = 1) -> int:
        """The least time (ps) of a lone message: its frames are consecutive on one cable. An interrupt may already be
        under way, and a process may not have slept. For a frame that may carry other messages only the wire counts,
        because the cost of the rest depends on these."""
        if self.shares:
            crossing = way.cabled(self.lone)
        else:
            crossing = way.crossed(self.lone if cables == 1 else [(1, self.lone[-1][1])])
        return self.written.total + crossing + sum(work.total for work in self.taken)


def over_tcp(
    near: ComputerSpec, far: ComputerSpec, nbytes: int, mtu: int, outstanding: int, ports: Ports = (0, 0),
    alone: bool = False, acks: bool = False,
) -> InFrames:
    """Full segments and a rest, if no other message is `outstanding`. The first one is sent `alone` or `acks`, as in
    TcpCosts."""
    sending, taking = TcpCosts(near, near.offloads(), through=ports[0]), TcpCosts(far, far.offloads())
    mss = near.mss(mtu)
    whole = (nbytes - 1) // mss
    last = nbytes - whole * mss
    first = mss if whole else last
    one = _Segments(sending, taking, ports, alone, acks)
    behind = [(number, one.passage(size, first=False)) for number, size in ((whole - 1, mss), (1, last)) if number > 0]
    passages = [(1, one.passage(first, first=True)), *(behind if whole else ())]
    lone = [(number, passage.frame) for number, passage in passages]
    if outstanding > 1:  # a message may wait, and be sent with others
        calls = sending.write(0, CALLED), taking.read(0, _CACHED, CALLED)
        filled = one.filled(nbytes, min(mss, outstanding * nbytes), last)
        return InFrames(filled, lone, mss >= 2 * nbytes, sending.write(first, CALLED), calls[1:], calls)
    taken = taking.arrival(last, ports[1], acks=acks and not whole), one.read(last, CALLED)
    written = sending.write_and_send(first, first, ports[0], CALLED, alone=alone)
    return InFrames(passages, lone, False, written, taken)


class _Segments(NamedTuple):
    """Segments from one end to the other."""

    sending: TcpCosts
    taking: TcpCosts
    ports: Ports
    alone: bool
    acks: bool

    def passage(self, length: int, *, first: bool) -> Passage:
        """The passage of a message, or a part of it, of `length` bytes."""
        (sending, taking, (out, into), *_), alone, acks = self, first and self.alone, first and self.acks
        entry = CALLED if first else WITHIN
        return Passage(
            handed_over(sending, taking, length),
            (sending.write_and_send(length, length, out, entry, alone=alone),),
            (taking.arrival(length, into, acks=acks),),
            (self.read(length, entry),),
            (sending.write(length, entry),),
        )

    def filled(self, nbytes: int, most: int, last: int) -> list[tuple[float, Passage]]:
        """The passages of a message of `nbytes`, without its calls, if segments of up to `most` bytes carry what
        follows it, too. A process appends to the last segment in its socket until that is sent, with TCP_NODELAY as
        well (Linux 2.2: tcp_do_sendmsg), so a message that fills only a part of a segment needs only that share of a
        frame. None has to end with a frame of its own, with the `last` bytes; but if it does, that leaves room in the
        card's FIFO (TransmitterSpec.transmit_time)."""
        return [(nbytes / most, self.passage(most, first=False)), (0, self.passage(last, first=False))]

    def read(self, length: int, entry: Entry) -> Work:
        """A process reads a segment of `length` bytes."""
        place = self.taking.place(self.sending.host.frame_size(length), self.ports[1])
        return self.taking.read(length, place, entry)


def over_udp(near: ComputerSpec, far: ComputerSpec, nbytes: int, mtu: int, ports: Ports = (0, 0)) -> InFrames:
    """A datagram's fragments, as they are sent."""
    sending, taking = UdpCosts(near, ports[0]), UdpCosts(far, peer=near)
    into, total = ports[1], nbytes + udp.HEADER
    fragments = near.fragments(total, mtu)
    last = fragments[-1].nbytes
    completion = taking.completion(last, total, into)
    read = taking.read(nbytes, taking.place(last, total, into), CALLED)
    passages = [(1, one) for one in _fragments(sending, taking, fragments, total, ports, (completion, read))]
    _, first = passages[0]
    return InFrames(passages, [(1, one.frame) for _, one in passages], False, first.sent[0], (completion, read))


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
