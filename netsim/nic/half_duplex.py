"""The sending half of an adapter whose MAC decides when a frame is sent, and reports its end: on a shared segment, and
from a card's own memory on any wire.

Drivers use it like netsim.nic.transmitter.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.bus import Bus, Slot, Transaction
from netsim.engine import Environment, Fifo
from netsim.ethernet import Access, Frame, Medium
from netsim.nic.onboard import Onboard
from netsim.nic.transmitter_spec import TransmitterSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class HalfDuplexTransmitter:
    """Sends frames from the card's own memory, in the order of their arrival there.

    A chip needs `turnaround` (ps) from one frame's last bit to the next frame, to go through its lists. If `chained` is
    false, the chip knows of one frame only, and the driver starts the next by `go_on` once it has seen the end of the
    previous one (8390: one transmit page start register); until then it regards the chip as busy."""

    def __init__(self, env: Environment, name: Resource, *, chained: bool = True, turnaround: int = 0) -> None:
        self.env = env
        self.calendar = env.calendar
        self.name = name
        self.mac: Access | None = None  # through which it sends
        self.medium: Medium | None = None
        self.chained = chained
        self.turnaround = turnaround
        self.interrupt: Callable[[], None] = lambda: None  # called when it has an event to report to the host
        self.interrupt_when_idle = False
        self.forgets = False  # only lack of room and abandoned frames are reported to the driver
        self.wants_room = False
        self.sent: Fifo[Frame] = Fifo()  # finished and not reclaimed yet
        self.queued = 0  # frames handed over and not reclaimed
        self.given_up: dict[Frame, int] = {}  # finished without being sent: how often
        self._gone = self.gone  # bound once
        self._waiting: Fifo[Frame] = Fifo()  # the first one is with the MAC, unless it waits for `go_on`
        self._sending = False
        self._inside = 0  # frames handed over and not gone
        self._busy = self._busy_since = 0  # ps of earlier times with such frames; start of the current one

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Take a frame from the driver. `interrupt`: the driver wants an interrupt once it is sent."""
        frame.wants_interrupt = interrupt
        if not self._inside:
            self._busy_since = self.calendar.now
        self._inside += 1
        self.queued += 1
        self._take(frame)

    def _take(self, frame: Frame) -> None:
        self._offer(frame)

    def _offer(self, frame: Frame) -> None:
        """A frame may go on the wire, after those before it."""
        self._waiting.append(frame)
        if not self._sending and len(self._waiting) == 1 and (self.chained or not self.sent):
            self._send()

    @property
    def idle(self) -> bool:
        """Whether the driver regards the chip as idle."""
        return not self._waiting and (self.chained or not self.sent)

    @property
    def waits(self) -> bool:
        """Whether a frame waits for `go_on`."""
        return bool(self._waiting) and not self._sending

    def _send(self) -> None:
        self._sending = True
        mac = self.mac
        assert mac is not None
        mac.put(self._waiting[0], self._gone)

    def gone(self, frame: Frame, sent: bool) -> None:
        """The last bit of a frame has left, or the MAC has abandoned it, which the segment counts."""
        self._waiting.popleft()
        self._sending = False
        self._inside -= 1
        if not self._inside:
            self._busy += self.calendar.now - self._busy_since
        if self.chained and self.turnaround:
            self._sending = True
            self.calendar.call_at(self.calendar.now + self.turnaround, self._turned_around)
        elif self._waiting and self.chained:
            self._send()
        self._report(frame, sent)

    def _turned_around(self, _: object) -> None:
        self._sending = False
        if self._waiting:
            self._send()

    def _report(self, frame: Frame, sent: bool) -> None:
        """Report a finished frame to the driver, and count how often it was abandoned."""
        if not sent:
            self.given_up[frame] = self.given_up.get(frame, 0) + 1
        elif self.given_up:
            self.given_up.pop(frame, None)
        self._done(frame)

    def _done(self, frame: Frame) -> None:
        frame.done = self.calendar.now
        if self.forgets and frame not in self.given_up:
            self.queued -= 1
            tells, self.wants_room = self.wants_room, False
        else:
            self.sent.append(frame)
            idle = self.interrupt_when_idle and self.queued == len(self.sent)
            tells = frame.wants_interrupt or idle or self.forgets
        if tells:
            interrupt = self.interrupt
            interrupt()

    def full(self, ring_full: bool) -> bool:
        """Whether there is no room for another frame, given whether the driver's ring is full; if so, room will be
        reported."""
        self.wants_room = ring_full
        return ring_full

    def go_on(self, _: object = None) -> None:
        """The driver has seen the finished frames."""
        if self._waiting and not self._sending:
            self._send()

    def reclaim(self) -> list[Frame]:
        """The frames sent since the last call: the driver takes their buffers back."""
        frames = list(self.sent)
        self.sent.clear()
        self.queued -= len(frames)
        return frames

    def busy_until(self, now: int) -> int:
        """The time (ps) up to `now` in which it had a frame to send."""
        return self._busy + (now - self._busy_since if self._inside else 0)

    def wanted_until(self, now: int) -> int:
        """The time (ps) up to `now` in which a frame waited for it or was being sent: it sends one after the other."""
        return self.busy_until(now)


@mypyc_attr(allow_interpreted_subclasses=True)
class MasterTransmitter(HalfDuplexTransmitter):
    """A bus master: frames are fetched from memory before they are sent; a frame stays in the FIFO until it is gone, as
    it may have to be sent again. Its transactions for a frame:
      1. memory read: the descriptor, and as much of the data as the wire needs to start with;
      2. memory read: the rest;
      3. when the frame is gone, memory write: its status; memory read: the link to the next descriptor;
      4. an interrupt.
    Each of them requests the bus anew. A chip that holds several frames writes a frame's status while others are sent,
    so there it is part of 2.

    If the chip is done with a frame once it is "fetched" (`tx_done`), the driver takes its buffer back at that point: a
    frame given up later is lost, whatever the driver's `tx_retries`."""

    def __init__(
        self, env: Environment, spec: TransmitterSpec, bus: Bus, seen: Slot, name: Resource,
        onboard: Onboard | None = None,
    ) -> None:
        super().__init__(env, name)
        self.spec = spec
        self.bus = bus
        self.seen = seen  # the bus as the card sees it
        self.ring: Fifo[Frame] = Fifo()  # to be fetched
        self._onboard = onboard
        tenure = seen.tenure(False, spec.tx_burst)
        self._head = Transaction(tenure, done=self._begun)
        self._memory = bus.fetched
        self._there = 0  # when memory has moved the frame that is fetched, if it serves others, too (ps)
        self._dma = Transaction(tenure, done=self._read)
        self._status = Transaction(tenure, done=self._written)
        self._link = Transaction(tenure, done=self._linked)
        self._going: tuple[Frame, bool] | None = None  # whose status is written, and whether it was sent
        self._fetching: Frame | None = None
        self._waited = self._waiting_since = 0  # ps of earlier times with frames to fetch; start of the current one
        self._due = False  # a fetch is planned
        self._turned = 0  # when the chip has turned around after the last frame (ps)
        self._held = 0  # frames in the FIFO
        self._fifo = 0  # bytes of these
        self._early = spec.tx_done == "fetched"
        self._frames, self._size, self._wake_up = spec.tx_frames, spec.tx_fifo, spec.tx_wake_up
        self._turnaround = spec.tx_turnaround
        self._fetches, self._offers, self._ends = self._fetch, self._offer, self._fetched  # bound once
        alone = self._frames == 1 and not self._early  # the status is written between this frame and the next one
        self._status_time = spec.tx_status_time(seen) if alone else 0
        self._link_time = spec.tx_link_time(seen) if alone else 0
        # By frame size: ps of bus for the part that the wire needs to start, ps from its end until the wire starts, ps
        # of bus for the rest, ps of gaps; and the bytes of the first part.
        self._times: dict[int, tuple[int, int, int, int, int]] = {}

    def _take(self, frame: Frame) -> None:
        onboard = self._onboard
        if onboard is None:
            self._enter(frame)
        else:
            self.calendar.call_at(onboard.put(frame, onboard.tx_time), self._enter, frame)

    def _enter(self, frame: Frame) -> None:
        if not self.ring:
            self._waiting_since = self.calendar.now
        self.ring.append(frame)
        self._plan(0 if self._held else self._wake_up)

    def _plan(self, delay: int = 0) -> None:
        """Fetch the next frame, if any, after `delay` ps, if the DMA engine is free and the FIFO has room."""
        if self._due or self._fetching is not None or not self.ring or not self._has_room(self.ring[0]):
            return
        self._due = True
        self.calendar.call_at(max(self.calendar.now + delay, self._turned), self._fetches)

    def _has_room(self, frame: Frame) -> bool:
        return not self._held or (self._held < self._frames and self._fifo + frame.size <= self._size)

    def _fetch(self, _: object) -> None:
        self._due = False
        frame = self._fetching = self.ring.popleft()
        if not self.ring:
            self._waited += self.calendar.now - self._waiting_since
        self._held += 1
        self._fifo += frame.size
        times = self._times.get(frame.size) or self._timing(frame)
        self.bus.request(self._head, times[0], times[4])

    def _timing(self, frame: Frame) -> tuple[int, int, int, int, int]:
        """Compute and keep the times of frames of this size."""
        assert self.medium is not None
        spec, seen, nbytes = self.spec, self.seen, frame.fetched
        there = min(nbytes, spec.tx_threshold)
        head = spec.tx_lead_time(seen, nbytes) - spec.tx_gaps(seen, there)
        rest = spec.tx_bus_time(seen, nbytes) - head - self._status_time - self._link_time
        ahead = spec.tx_ahead(seen, self.medium, frame) - head
        times = self._times[frame.size] = head, ahead, rest, spec.tx_gaps(seen, nbytes), there
        return times

    def _begun(self, head: Transaction) -> None:
        """Enough of a frame is there for the wire to start."""
        frame = self._fetching
        assert frame is not None
        times = self._times[frame.size]
        ahead, rest = times[1], times[2]
        if self._memory is not None:
            self._there = self._memory.put(frame.fetched, head.start)
        if ahead:
            self.calendar.call_at(self.calendar.now + ahead, self._offers, frame)
        else:
            self._offer(frame)
        if rest:
            self.bus.request(self._dma, rest, frame.size - times[4])
        else:
            self._read(head)

    def _read(self, _: Transaction) -> None:
        """The DMA engine has done its part, except for the gaps between its bursts."""
        frame = self._fetching
        assert frame is not None
        end = self.calendar.now + self._times[frame.size][3]
        self.calendar.call_at(end if end > self._there else self._there, self._ends, frame)

    def _fetched(self, frame: Frame) -> None:
        self._fetching = None
        if self._early:
            self._done(frame)
        self._plan()

    def _report(self, frame: Frame, sent: bool) -> None:
        self._going = frame, sent
        if self._status_time:
            self.bus.request(self._status, self._status_time)
        else:
            self._written(self._status)

    def _written(self, _: Transaction) -> None:
        if self._link_time:
            self.bus.request(self._link, self._link_time)
        else:
            self._linked(self._link)

    def _linked(self, _: Transaction) -> None:
        """The chip is done with a frame."""
        assert self._going is not None
        frame, sent = self._going
        self._held -= 1
        self._fifo -= frame.size
        if self._frames == 1:
            self._turned = self.calendar.now + self._turnaround
        if not self._early:
            super()._report(frame, sent)
        self._plan()

    def wanted_until(self, now: int) -> int:
        """The time (ps) up to `now` in which a frame waited to be fetched, perhaps while another one was sent."""
        return self._waited + (now - self._waiting_since if self.ring else 0)
