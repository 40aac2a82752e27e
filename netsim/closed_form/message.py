"""Messages over a shared segment: their least demand on each resource, and how long they take without other traffic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from netsim.closed_form.bursts import quickest
from netsim.closed_form.passage import Passage, Runs, finished, received
from netsim.ethernet import Frame, SegmentSpec
from netsim.machine import HostSpec, Port, Work


class End(NamedTuple):
    """A host, and the number of its port on the segment."""

    host: HostSpec
    number: int = 0

    @property
    def port(self) -> Port:
        """The host's port on the segment."""
        return self.host.ports()[self.number]

    @property
    def interrupt(self) -> tuple[int, int]:
        """The times (ps) from an interrupt until the driver looks at a frame, and to leave the handler."""
        port, bill, kernel = self.port, self.host.bill, self.host.system.kernel
        return port.entry_time(bill, kernel), port.exit_time(bill, kernel)

    @property
    def saved_by_ticks(self) -> float:
        """The share of the time that the clock's ticks may save at most: while one is handled, a frame may arrive that
        would have needed an interrupt, and share that of a sent one."""
        tick = self.host.system.kernel.tick
        return sum(self.interrupt) / tick if tick else 0.0


class Need(NamedTuple):
    """The times (ps) of an end's processors, and of the bus of its port."""

    processors: int
    bus: int


class _Stages(NamedTuple):
    """The times (ps) of a frame's stages: the sender's processor, its card until the first bit, the wire, from the last
    bit until the receiver's driver is called (negative if that is earlier), and the receiver's processor. The sender's
    work after the card has begun to send is left out: it may happen while the sender waits for the reply."""

    sent: int
    ahead: int
    wire: int
    behind: int
    taken: int


class Message(NamedTuple):
    """Consecutive frames from `near` to `far`, `distance` (ps) apart, with equal ones counted. Interrupts are left out,
    because any number of frames may share them."""

    near: End
    far: End
    segment: SegmentSpec
    distance: int
    passages: Runs

    @property
    def sender(self) -> Need:
        """The demand on the sending end."""
        (host, _), port, bus = self.near, self.near.port, self.near.port.bus
        works = [(n, work) for n, one in self.passages for work in (*one.sent, *finished(host, port, one.frame))]
        fetched = sum(n * port.adapter.tx_bus_time(bus, one.frame.buffer) for n, one in self.passages)
        return Need(_time(works), _bus(works) + fetched)

    @property
    def taker(self) -> Need:
        """The demand on the receiving end."""
        port, works = self.far.port, [(n, work) for n, one in self.passages for work in self._taken(one)]
        stored = sum(n * port.adapter.rx_bus_time(port.bus, one.frame.buffer) for n, one in self.passages)
        return Need(_time(works), _bus(works) + stored)

    @property
    def wire(self) -> int:
        """The time (ps) of the segment."""
        return sum(n * self._wired(one) for n, one in self.passages)

    def _taken(self, one: Passage) -> tuple[Work, ...]:
        return received(self.far.host, self.far.port, one.frame), *one.arrives, *one.reads

    def time(self, answers: Message | None = None) -> int:
        """The time (ps) from the first step to the last.

        The first frame reaches the slowest stage, all frames pass through it, and the last one continues from there.
        Consecutive frames are at best one stage apart. An interrupt is included only if the message `answers` another
        one and certainly needs its own; the next frames may be on the wire while the driver enters it.
        """
        stages = [(n, self._stages(one)) for n, one in self.passages]
        first, last = stages[0][1], stages[-1][1]
        whole = _Stages(*(sum(n * stage[part] for n, stage in stages) for part in range(len(first))))
        entry, leave = self._interrupt(answers) if answers is not None else (0, 0)
        longest = max(
            whole.sent + last.ahead + last.wire + last.behind + last.taken,
            first.sent + first.ahead + whole.wire + last.behind + last.taken,
            first.sent + first.ahead + first.wire + first.behind + entry + whole.taken,
        )
        return longest + leave - self.segment.gap + self.distance

    def _stages(self, one: Passage) -> _Stages:
        sent, taken = (sum(work.total for work in works) for works in (one.sent, self._taken(one)))
        ahead = self.near.port.adapter.ahead(self.near.port.bus, one.frame)
        return _Stages(sent, ahead, self._wired(one), self._behind(one.frame), taken)

    def _wired(self, one: Passage) -> int:
        """The least time (ps) of a frame on the wire: any may be within a burst."""
        return quickest(self.segment).frame_time(one.frame.size)

    def _behind(self, frame: Frame) -> int:
        """The time (ps) from a frame's last bit until the receiver's driver is called; negative if that is earlier."""
        into, far = self.far.port, self.far.host
        handling = into.handling_time(far.bill, far.system.kernel, frame.buffer)
        return into.adapter.behind(into.bus, self.segment, frame, handling)

    def _interrupt(self, answers: Message) -> tuple[int, int]:
        """The times (ps) until the receiver's driver looks at the first frame, and to leave the handler after the last
        one, if the message certainly causes an interrupt: the handling of the sent message that this one `answers` has
        ended by then. Otherwise 0, because one interrupt may serve both."""
        port, last, first = self.far.port, answers.passages[-1][1], self.passages[0][1]
        host, kernel = self.far.host, self.far.host.system.kernel
        wire = self.segment.time(first.frame.size) + self._behind(first.frame)
        between = answers._stages(last).taken + self._stages(first).sent + wire
        handled = port.sent_time(host.bill, kernel, last.frame.buffer) * sum(n for n, _ in answers.passages)
        return self.far.interrupt if handled <= between else (0, 0)


class Exchange(NamedTuple):
    """Successive messages, with equal ones counted, between a client and the server at the end `server`."""

    server: End
    messages: Sequence[tuple[int, Message]]

    @property
    def need(self) -> Need:
        """The server's demand, without the work to serve the request."""
        parts = [(n, one.sender if one.near == self.server else one.taker) for n, one in self.messages]
        return Need(sum(n * need.processors for n, need in parts), sum(n * need.bus for n, need in parts))

    @property
    def wire(self) -> int:
        """The time (ps) of the segment."""
        return sum(n * one.wire for n, one in self.messages)

    def time(self, interrupts: bool = False) -> int:
        """The time (ps) of all messages without other traffic; with `interrupts`, each message that certainly needs its
        own interrupt waits for it. Messages go there and back in turn."""
        if not interrupts:
            return sum(n * one.time() for n, one in self.messages)
        return sum(n * (there.time(back) + back.time(there)) for n, there, back in self._pairs)

    @property
    def _pairs(self) -> list[tuple[int, Message, Message]]:
        """Messages there and back, with equal pairs counted."""
        pairs = zip(self.messages[::2], self.messages[1::2], strict=True)
        return [(n, there, back) for (n, there), (_, back) in pairs]

    @property
    def least_mean(self) -> float:
        """The least mean time (ps) of many such exchanges in succession, without other traffic. At each end ticks save
        their share of the time, but no more than interrupts cost there: of all cases, the longest time counts."""
        first, pairs = self.messages[0][1], self._pairs
        ends = (
            (sum(n * (there.time(back) - there.time()) for n, there, back in pairs), first.far.saved_by_ticks),
            (sum(n * (back.time(there) - back.time()) for n, there, back in pairs), first.near.saved_by_ticks),
        )
        some = [(), *((one,) for one in ends), ends]  # the ends at which ticks don't save all of it
        return max((self.time() + sum(w for w, _ in one)) / (1 + sum(s for _, s in one)) for one in some)


def _time(works: Iterable[tuple[int, Work]]) -> int:
    return sum(count * work.total for count, work in works)


def _bus(works: Iterable[tuple[int, Work]]) -> int:
    return sum(count * work.bus for count, work in works)
