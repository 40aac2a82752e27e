"""The sending half of a bus-master adapter: descriptor ring, DMA engine, transmit FIFO, interrupts.

Its transactions for a frame: 1. the driver writes the doorbell (the processor's register accesses, in the driver's
costs); 2. memory read: descriptor (`tx_descriptor` bytes); 3. memory read: the frame, in bursts of at most `tx_burst`,
into the transmit FIFO; a bridge may send the DMA engine away until memory has answered; 4. the wire, from the moment
`tx_threshold` bytes are in the FIFO; a frame to be enciphered first passes the crypto engine, as a whole; 5. memory
write: status (`tx_status` bytes), whose bus time is combined with that of 2 and 3, followed by the gaps in which the
engine waits for memory; 6. an event to report, if the driver requested one with this frame, or a notice when nothing is
left.

It cuts a TCP large send into successive frames, each as soon as the FIFO has room: steps 3 and 4. The headers in memory
are fetched with the first frame; all frames share one descriptor, status and event.

The chip is done with a frame when its last bit has left (`tx_done` "sent"), or when it has fetched it ("fetched").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64, mypyc_attr

from netsim.accounts import Resource
from netsim.bus import Bus, ListPolls, Slot, Transaction
from netsim.engine import Environment, Fifo
from netsim.ethernet import Frame, Link
from netsim.nic.crypto import CryptoEngine
from netsim.nic.onboard import Onboard
from netsim.nic.transmitter_spec import TransmitterSpec
from netsim.nic.underruns import Rise, Underruns

_POINTER: Final = 4  # bytes: the link to the next entry of a list


class _Times:
    """For frames of one `size`: ps of `bus`, ps from the grant to the earliest start on the wire, ps of gaps; bytes;
    and the results of TransmitterSpec.tx_head_start, by room."""

    __slots__ = ("bus", "gaps", "head_starts", "lead", "nbytes", "size")

    def __init__(self, size: int, bus: int, lead: int, gaps: int, nbytes: int) -> None:
        self.size = size
        self.bus: i64 = bus
        self.lead: i64 = lead
        self.gaps: i64 = gaps
        self.nbytes = nbytes
        self.head_starts: dict[int, int] = {}


@mypyc_attr(allow_interpreted_subclasses=True)
class Transmitter:
    """The sending half in a running simulation. The driver reads `queued` and takes back the frames sent. A frame is
    not fetched before the `onboard` processor, if any, has finished with it."""

    __slots__ = (
        "_busy", "_busy_to", "_crypto", "_cuts", "_dma", "_done", "_done_early", "_due", "_enters", "_fetching",
        "_fifo", "_frames", "_gaps", "_held_up", "_idle", "_idle_check", "_last_bit", "_loaded", "_memory",
        "_onboard", "_planned", "_polls", "_reports", "_there", "_times", "_times_behind", "_turnaround", "_waited",
        "_waiting_since", "_wake_up", "bus", "calendar", "env", "interrupt", "interrupt_when_idle", "link", "name",
        "queued", "ring", "rise", "seen", "sent", "spec", "underruns",
    )

    def __init__(
        self,
        env: Environment,
        spec: TransmitterSpec,
        bus: Bus,
        seen: Slot,
        name: Resource,
        onboard: Onboard | None = None,
        crypto: CryptoEngine | None = None,
    ) -> None:
        self.env = env
        self.calendar = env.calendar
        self.spec = spec
        self.bus = bus
        self.seen = seen
        self.name = name
        self.link: Link | None = None  # the link on which it sends
        self.interrupt: Callable[[], None] = lambda: None  # called when it has an event to report to the host
        self.interrupt_when_idle = False
        self.rise: Rise | None = None  # how the driver raises the threshold; None: never
        self.underruns: Underruns | None = None  # from the first frame on, if the threshold may be raised
        self.ring: Fifo[Frame] = Fifo()  # to be fetched
        self.sent: Fifo[Frame] = Fifo()  # fetched, each with the time when it is done; not reclaimed yet
        self._polls: ListPolls | None = None
        self._onboard = onboard
        self._crypto = crypto
        self._loaded: Fifo[Frame] = Fifo((), spec.tx_frames)  # the last ones fetched: the FIFO holds no others
        self.queued: i64 = 0  # ring entries in use: frames handed over and not reclaimed
        self._dma = Transaction(seen.tenure(False, spec.tx_burst), granted=self.granted, resumed=self._resumed)
        self._memory = bus.fetched
        self._fetching = False  # a fetch is planned, or waits for the bus
        self._held_up = False  # no fetch can be planned: the previous one was cut, and waits for the bus
        self._idle_check: i64 = -1  # when the next check for an idle transmitter is due; -1: none is
        self._last_bit: i64 = 0  # when the last frame's last bit leaves
        self._done: i64 = 0  # when the chip is done with the last frame
        self._done_early = spec.tx_done == "fetched"
        self._busy_to: i64 = 0  # when the chip is done with the last frame: its last bit and the turnaround
        self._busy: i64 = 0  # ps up to then in which it had a frame to fetch or to send, or turned around
        self._waited: i64 = 0  # ps of earlier times in which a frame waited to be fetched
        self._waiting_since: i64 = 0  # the start of the current one, if there is any
        self._times: dict[int, _Times] = {}  # by frame size
        self._times_behind: dict[int, _Times] = {}  # for frames that are not the first of their ring entry
        self._planned = _Times(0, 0, 0, 0, 0)  # of the frame being fetched
        self._gaps: i64 = 0  # ps that the DMA engine needs after the bus time of the last fetch,
        self._there: i64 = 0  # and when memory has moved it, if that serves others, too
        self._frames: i64 = spec.tx_frames
        self._fifo: i64 = spec.tx_fifo
        self._turnaround: i64 = spec.tx_turnaround
        self._wake_up: i64 = spec.tx_wake_up
        self._due, self._enters, self._idle = self._fetch_due, self._enter, self._look_idle  # bound once
        self._reports = self._frame_sent
        self._cuts = spec.tx_segmentation  # checked first, since a frame's own attributes take longer to look up

    def poll(self, interval: int) -> None:
        """From now on, read the end of the list every `interval` (ps)."""
        self._polls = ListPolls(interval, self.seen.transfer_time(_POINTER, False))
        self.bus.polls.append(self._polls)

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Take a frame from the driver, which may want an `interrupt` when it is sent. For a frame with pieces, the
        driver gets the last piece back."""
        if self._cuts and frame.pieces:
            for piece in frame.pieces:
                self.put(piece, interrupt and piece.last)
            self.queued -= len(frame.pieces) - 1  # they are one entry
            return
        frame.wants_interrupt = interrupt
        self.queued += 1
        onboard = self._onboard
        if onboard is None:
            self._enter(frame)
        else:
            self.calendar.call_at(onboard.put(frame, onboard.tx_time), self._enters, frame)

    def _enter(self, frame: Frame) -> None:
        """Queue a frame to be fetched, after earlier ones."""
        if not self.ring:
            self._waiting_since = self.calendar.now
        self.ring.append(frame)
        if not self._fetching:
            if self._polls is not None:
                self._polls.end(self.calendar.now)
            self._plan_fetch(self.calendar.now + self._wake_up)

    def reclaim(self) -> list[Frame]:
        """The frames sent since the last call: the driver takes their buffers back."""
        sent = self.sent
        now = self.calendar.now
        frames = []
        while sent and sent[0].done <= now:
            frames.append(sent.popleft())
        self.queued -= len(frames)
        return frames

    # --- fetching ----------------------------------------------------------------------------------------------------

    def _plan_fetch(self, earliest: i64 = 0) -> None:
        """Fetch the next frame now, or when the DMA engine and the FIFO have room for it."""
        calendar = self.calendar
        due = self._fetched()
        if earliest > due:
            due = earliest
        if self._last_bit > due or self._frames == 1:  # otherwise the FIFO is empty by then
            due = self._room_from(due)
        self._fetching = True
        if due > calendar.now:
            calendar.call_at(due, self._due)
        else:
            self._fetch_due(None)

    def _fetched(self) -> i64:
        """When the DMA engine has the last frame."""
        end = self._dma.end + self._gaps
        return end if end > self._there else self._there

    def _room_from(self, earliest: i64) -> i64:
        """When the FIFO has room for the next frame, not before `earliest`."""
        if self._frames == 1:  # one frame at a time: nothing is fetched ahead
            return earliest if earliest > self._busy_to else self._busy_to
        frame = self.ring[0]
        size, room, places = frame.size, self._fifo, self._frames
        for place in range(len(self._loaded) - 1, -1, -1):  # the last one first
            ahead = self._loaded[place]
            last_bit = ahead.last_bit
            if last_bit <= earliest:
                break  # it has left the FIFO by then, as have those before it
            room -= ahead.size
            places -= 1
            if not places:
                return last_bit
            if room < size:  # only `room` bytes can be fetched before it has left
                due = last_bit - self._head_start(frame, room)
                if due > earliest:
                    earliest = due
            if room <= 0:
                break
        return earliest

    def _head_start(self, frame: Frame, room: i64) -> i64:
        """See TransmitterSpec."""
        times = self._times_of(frame)
        head_start = times.head_starts.get(room, -1)
        if head_start < 0:
            head_start = times.head_starts[room] = self.spec.tx_head_start(self.seen, frame, room)
        return head_start

    def _fetch_due(self, _: object) -> None:
        if self._dma.waiting:
            self._held_up = True
        elif self._fetched() > self.calendar.now:
            self._plan_fetch()  # a processor's access has delayed the last fetch
        else:
            frame, times = self.ring[0], self._planned
            if times.size != frame.size or self._cuts:
                times = self._planned = self._times_of(frame)
            self.bus.request(self._dma, times.bus, times.nbytes)

    def _times_of(self, frame: Frame) -> _Times:
        known = self._times_behind if self._cuts and not frame.first else self._times
        return known.get(frame.size) or self._timing(frame)

    def _timing(self, frame: Frame) -> _Times:
        """Compute and keep the times of frames of this size. On an otherwise idle bus, the FIFO does not run dry."""
        assert self.link is not None
        if self.rise is not None and self.underruns is None:
            self.underruns = Underruns(self.spec.tx_threshold, self.rise, self.link.spec.time(1))
        spec, seen, nbytes, first = self.spec, self.seen, frame.fetched, frame.first
        bus, gaps = spec.tx_bus_time(seen, nbytes, first), spec.tx_gaps(seen, nbytes, first)
        lead = max(spec.tx_lead_time(seen, nbytes, first), bus + gaps - self.link.spec.time(frame.size))
        known = self._times if first else self._times_behind
        known[frame.size] = times = _Times(frame.size, bus, lead, gaps, frame.size if first else nbytes)
        return times

    def granted(self, dma: Transaction) -> None:
        """The bus is granted for the next frame: its whole path to the wire is now certain."""
        link, frame, start = self.link, self.ring.popleft(), dma.start
        assert link is not None
        gaps = self._gaps = self._planned.gaps
        ready = start + self._planned.lead
        if self._memory is not None:
            self._there = self._memory.put(frame.fetched, start)
            if self._there > dma.end + gaps:
                ready += self._there - dma.end - gaps
        if self._crypto is not None and frame.encipher:
            ready = self._crypto.put(frame, frame.encipher, self._fetched())
            link.hold(ready)
        last_bit = frame.last_bit = link.put(frame, ready)
        free = last_bit + self._turnaround
        self._busy += free - (start if start > self._busy_to else self._busy_to)
        self._last_bit, self._busy_to = last_bit, free
        self._loaded.append(frame)
        if not self._cuts or frame.last:
            self.sent.append(frame)
        frame.done = self._done = done = self._fetched() if self._done_early else last_bit
        if frame.wants_interrupt:
            calendar = self.calendar
            calendar.call_at(done if done > calendar.now else calendar.now, self._reports)
        if self.ring:
            self._plan_fetch()
            return
        self._waited += self.calendar.now - self._waiting_since
        self._fetching = False
        if self._polls is not None:
            self._polls.begin(dma.end)
        if self.interrupt_when_idle and not frame.wants_interrupt and self._idle_check < 0:
            self._watch_idle()

    def _resumed(self, _: Transaction) -> None:
        """The fetch was cut, and continues; its frame is on its way already."""
        dry, dma = self.underruns, self._dma
        if dry is not None:
            resumed = self.calendar.now + dma.restart
            frame, fetch = self._loaded[-1], self._planned.bus
            if dry.cut(frame, self._last_bit, resumed, dma.end - resumed, fetch):
                self._underrun(dry)
        if self._done_early and self.sent:
            self._loaded[-1].done = self._done = self._fetched()
        if self._held_up:
            self._held_up = False
            self._plan_fetch()

    def _underrun(self, dry: Underruns) -> None:
        """The FIFO has run dry: frames fetched from now on start later."""
        dry.rise()
        self.spec = self.spec.unchecked(tx_threshold=dry.threshold)
        for times in (*self._times.values(), *self._times_behind.values()):
            times.size = 0  # times kept so far are not used again
        self._times.clear()
        self._times_behind.clear()

    # --- interrupts --------------------------------------------------------------------------------------------------

    def _frame_sent(self, _: object) -> None:
        interrupt = self.interrupt
        interrupt()

    def _watch_idle(self) -> None:
        """When the last frame is done, check whether it is still the last."""
        calendar = self.calendar
        self._idle_check = due = self._done if self._done > calendar.now else calendar.now
        calendar.call_at(due, self._idle)

    def _look_idle(self, _: object) -> None:
        self._idle_check = -1
        if self.queued > len(self.sent):
            return  # busy again: the part that empties the ring will watch
        if self._done > self.calendar.now:
            self._watch_idle()
        else:
            interrupt = self.interrupt
            interrupt()

    # --- accounts -----------------------------------------------------------------------------------------------------

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which the transmitter had a frame to fetch or to send, or turned around after one."""
        return self._busy - max(0, self._busy_to - now)

    def wanted_until(self, now: int) -> int:
        """ps up to `now` in which a frame waited to be fetched. One may be fetched while others are sent, so a
        transmitter that is busy all the time may still have time for more."""
        return self._waited + (now - self._waiting_since if self.ring else 0)
