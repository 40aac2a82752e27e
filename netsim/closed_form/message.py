"""Messages over a shared segment: what they need of each resource at least, and how long they take with everything
to themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from netsim.closed_form.passage import Passage, Runs, finished, received
from netsim.ethernet import Frame, SegmentSpec
from netsim.machine import HostSpec, Port, Work


class End(NamedTuple):
    """A host, and the number of the port by which it is on the segment."""

    host: HostSpec
    number: int = 0

    @property
    def port(self) -> Port:
        """The port by which it is on the segment."""
        return self.host.ports()[self.number]


class Need(NamedTuple):
    """ps of an end's processors, and of the bus that its port is on."""

    processors: int
    bus: int


class _Stages(NamedTuple):
    """ps that frames keep the sender's processor, the wire, and the taker's processor. What the sender does when the
    card has begun to send is left out: it may do that while it waits for the reply."""

    sent: int
    wire: int
    taken: int


class Message(NamedTuple):
    """Frames that follow each other from `near` to `far`, `distance` ps apart, equal ones counted. Interrupts are left
    out, as they may be shared by any number of frames."""

    near: End
    far: End
    segment: SegmentSpec
    distance: int
    passages: Runs

    @property
    def sender(self) -> Need:
        """What the end that sends needs."""
        (host, _), port, bus = self.near, self.near.port, self.near.port.bus
        works = [(n, work) for n, one in self.passages for work in (*one.sent, *finished(host, port, one.frame))]
        fetched = sum(n * port.adapter.tx_bus_time(bus, one.frame.buffer) for n, one in self.passages)
        return Need(_time(works), _bus(works) + fetched)

    @property
    def taker(self) -> Need:
        """What the end that receives needs."""
        port, works = self.far.port, [(n, work) for n, one in self.passages for work in self._taken(one)]
        stored = sum(n * port.adapter.rx_bus_time(port.bus, one.frame.buffer) for n, one in self.passages)
        return Need(_time(works), _bus(works) + stored)

    @property
    def wire(self) -> int:
        """ps of the segment."""
        return sum(n * self.segment.frame_time(one.frame.size) for n, one in self.passages)

    def _taken(self, one: Passage) -> tuple[Work, ...]:
        return received(self.far.host, self.far.port, one.frame), *one.arrives, *one.reads

    def time(self) -> int:
        """ps from the first step to the last.

        The first frame comes to the stage that is slowest, all go through that, and the last one continues from there.
        Frames that follow each other are one stage apart, at best. No interrupt is waited for: the frame may come while
        its receiver handles the one that says what it has sent.
        """
        stages = [(n, self._stages(one)) for n, one in self.passages]
        first, last = stages[0][1], stages[-1][1]
        whole = _Stages(*(sum(n * stage[part] for n, stage in stages) for part in range(len(first))))
        longest = max(
            whole.sent + last.wire + last.taken,
            first.sent + whole.wire + last.taken,
            first.sent + first.wire + whole.taken,
        )
        return longest - self.segment.gap + self._between()

    def _stages(self, one: Passage) -> _Stages:
        sent, taken = (sum(work.total for work in works) for works in (one.sent, self._taken(one)))
        return _Stages(sent, self.segment.frame_time(one.frame.size), taken)

    def _between(self) -> int:
        """ps that the last frame is neither with a processor nor on the wire."""
        frame, out = self.passages[-1][1].frame, self.near.port
        return out.adapter.ahead(out.bus, frame) + self.distance + self._behind(frame)

    def _behind(self, frame: Frame) -> int:
        """ps from a frame's last bit until the taker's driver is called; negative if that is before."""
        into, far = self.far.port, self.far.host
        handling = into.handling_time(far.bill, far.system.kernel, frame.buffer)
        return into.adapter.behind(into.bus, self.segment, frame, handling)

    def interrupt_time(self, answers: Message) -> int:
        """ps until the taker's driver looks at the first frame, and of its way out behind the last, if that surely
        interrupts it: what it does when its own last message, which this one `answers`, has been sent is over by then.
        Else 0, as one interrupt may be for both."""
        port, last, first = self.far.port, answers.passages[-1][1], self.passages[0][1]
        host, kernel = self.far.host, self.far.host.system.kernel
        wire = self.segment.time(first.frame.size) + self._behind(first.frame)
        between = answers._stages(last).taken + self._stages(first).sent + wire
        sure = port.sent_time(host.bill, kernel, last.frame.buffer) <= between
        return port.entry_time(host.bill, kernel) + port.exit_time(host.bill, kernel) if sure else 0


class Exchange(NamedTuple):
    """Messages one after the other, equal ones counted, between a client and the server at the end `server`."""

    server: End
    messages: Sequence[tuple[int, Message]]

    @property
    def need(self) -> Need:
        """Of the server, without what it does to serve the request."""
        parts = [(n, one.sender if one.near == self.server else one.taker) for n, one in self.messages]
        return Need(sum(n * need.processors for n, need in parts), sum(n * need.bus for n, need in parts))

    @property
    def wire(self) -> int:
        """ps of the segment."""
        return sum(n * one.wire for n, one in self.messages)

    def time(self, interrupts: bool = False) -> int:
        """ps of all messages with everything to themselves; with `interrupts` each that surely does waits for one of
        its own. Messages go there and back in turn."""
        alone = sum(n * one.time() for n, one in self.messages)
        if not interrupts:
            return alone
        pairs = zip(self.messages[::2], self.messages[1::2], strict=True)
        both = ((n, there.interrupt_time(back) + back.interrupt_time(there)) for (n, there), (_, back) in pairs)
        return alone + sum(n * time for n, time in both)


def _time(works: Iterable[tuple[int, Work]]) -> int:
    return sum(count * work.total for count, work in works)


def _bus(works: Iterable[tuple[int, Work]]) -> int:
    return sum(count * work.bus for count, work in works)
