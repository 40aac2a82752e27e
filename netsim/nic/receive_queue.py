"""Receive queues of an adapter in a running simulation: frames wait for descriptors, for the link to the host, and for
the processor, without any event.

The link to the host is one first-in-first-out server for all queues. Each look (`look`) accounts, by arithmetic, for
the arrivals at all of them since the last look: frames with a descriptor and room to wait are accepted, the others were
dropped. So looks at all queues together have to be in order of time. Not modelled: which of the frames between two
looks wait.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo
from netsim.nic.frame_times import FrameTimes

EVERY: Final = 2**62  # frames: more than any ring has


class HostLink:
    """The link from the adapter to memory, which all its `queues` share: each frame occupies it, or a slower part, for
    `service` (ps), and up to `room` frames wait for it."""

    def __init__(self, service: int, room: int) -> None:
        self.service = service
        self._room = room
        self.queues: list[ReceiveQueue] = []
        self.looked = 0  # up to when arrivals are accounted for (ps)
        self._free = 0  # when it has moved all frames so far (ps)
        self._messages = 0  # ps of messages sent between frames not looked at yet
        self._frames = 0

    def look(self, now: int) -> None:
        """Account for arrivals at all queues up to `now` (ps), which is not before the last look."""
        since, self.looked = self.looked, now
        behind, frames = self.behind(since), 0
        for queue in self.queues:
            frames += queue.find(now, behind)
        accepted = min(frames, self.allowed(since, now)) if frames else 0
        late = self.put(accepted, since, now) if accepted else 0
        self._share_out(max(1, frames), accepted, late)

    def _share_out(self, frames: int, accepted: int, late: int) -> None:
        """The queues' frames arrive in turns, so each queue gets its part of those accepted. The remainder of the
        division goes to another queue each time."""
        parts, given = self._frames % frames, 0
        for queue in self.queues:
            if queue.came:
                parts += queue.found * accepted
                share = parts // frames - given
                queue.accept(share, late)
                given += share

    def allowed(self, since: int, now: int) -> int:
        """The number of frames received since `since` that it can accept: those that it has moved by `now`, and those
        that find room to wait."""
        return max(0, (now - max(self._free, since) - self._messages) // self.service + self._room)

    def put(self, frames: int, since: int, now: int) -> int:
        """Take `frames` received since `since`. Returns the delay of the last one (ps). Its own service is part of the
        latency: that matters where looks at other queues come soon after it."""
        self._free = max(self._free, since) + self._messages + frames * self.service
        self._messages = 0
        self._frames += frames
        return max(0, self._free - now - (self.service if self.shared else 0))

    def interrupt(self, time: int, now: int) -> None:
        """The message of an interrupt takes `time` (ps). Frames that have arrived by `now` may not have been looked at:
        they don't wait for it as if the link had been busy until now."""
        self._messages += time

    def behind(self, now: int) -> int:
        """The remaining work (ps)."""
        return max(0, self._free - now)

    def moved(self, now: int) -> int:
        """The number of frames moved by `now`."""
        return self._frames - min(self._frames, -(-self.behind(now) // self.service))

    @property
    def shared(self) -> bool:
        """Whether several queues share it."""
        return len(self.queues) > 1


@final
class Lot:
    """Frames of one queue that were taken together: its arrivals from number `first` up to and excluding `last`. They
    are in memory `late` (ps) after their arrival."""

    __slots__ = ("first", "last", "late")

    def __init__(self, first: int, last: int, late: int) -> None:
        self.first = first
        self.last = last
        self.late = late


@final
class ReceiveQueue:
    """A ring of `ring` descriptors, filled from `arrivals` through `link`. An idle adapter has a frame in memory
    `latency` (ps) after its last bit. If the dropped frames have to be known, `lost` is a list of their ranges: the
    number of the first, and of the one after the last."""

    def __init__(self, arrivals: FrameTimes, link: HostLink, ring: int, latency: int) -> None:
        self._arrivals = arrivals
        self._link = link
        self._latency = latency
        self._ring = ring
        self._posted = ring  # descriptors that the adapter has
        self._lots: Fifo[Lot] = Fifo()
        self.came = self.found = 0  # since the last look: frames, and those with a descriptor
        self.arrived = 0
        self.taken = 0  # by the processor
        self.waiting = 0  # accepted, not taken yet
        self.dropped_by_ring = 0
        self.dropped_by_link = 0
        self.stayed = 0  # total ps from last bits of frames until they were handled
        self.longest = 0
        self.lost: list[tuple[int, int]] | None = None
        link.queues.append(self)

    def arrived_by(self, now: int) -> int:
        """The number of frames that have arrived by `now` (ps), whether or not they are accounted for yet."""
        return self._arrivals.count(now)

    def look(self, now: int) -> None:
        """Account for arrivals up to `now` (ps), which is not before the last look at any queue of the link."""
        self._link.look(now)

    def find(self, now: int, behind: int) -> int:
        """Find the frames that have come since the last look, when the link had `behind` ps of work. Returns the number
        of those with a descriptor; the others are dropped."""
        self.came = self._arrivals.count(now) - self.arrived
        self.found = min(self.came, self._posted)
        if self.found < self.came:
            if behind > self._ring * self._link.service:  # a whole ring waits for it
                self.dropped_by_link += self.came - self.found
            else:
                self.dropped_by_ring += self.came - self.found
        return self.found

    def accept(self, frames: int, late: int) -> None:
        """The link takes the first `frames` of those with a descriptor, the last one `late` (ps); others are
        dropped."""
        first = self.arrived
        self.arrived += self.came
        self.dropped_by_link += self.found - frames
        if self.lost is not None and frames < self.came:
            self.lost.append((first + frames, self.arrived))
        if frames:
            self._posted -= frames
            self.waiting += frames
            self._keep(first, first + frames, self._latency + late)

    def _keep(self, first: int, last: int, late: int) -> None:
        """Looks at other queues come often: they add to a lot that goes on."""
        if self._link.shared and self._lots:
            before = self._lots[-1]
            if before.last == first and before.late == late:
                before.last = last
                return
        self._lots.append(Lot(first, last, late))

    def ready(self, now: int, most: int = EVERY) -> int:
        """The number of frames that the processor finds in memory at `now`, the time of the last look, but no more than
        `most`: a full ring is not searched for the few frames of a poll."""
        found = 0
        for number in range(len(self._lots)):
            lot = self._lots[number]
            there = min(self._arrivals.count(now - lot.late), lot.last)
            found += max(0, there - lot.first)
            if there < lot.last or found >= most:
                break
        return min(found, most)

    def next_ready(self, frames: int) -> int:
        """The earliest time (ps) when `frames` frames will be in memory, as of the last look; -1: never, as far as is
        known."""
        number, late = self._place(frames - 1)
        if number < 0:
            return -1
        time = self._arrivals.time(number)
        return -1 if time < 0 else time + late

    def _place(self, at: int) -> tuple[int, int]:
        """The arrival number of the frame that comes `at` places after the next one, and its delay in memory (ps)."""
        for index in range(len(self._lots)):
            lot = self._lots[index]
            if at < lot.last - lot.first:
                return lot.first + at, lot.late
            at -= lot.last - lot.first
        if at >= self._posted:
            return -1, 0
        return self.arrived + at, self._latency + self._link.behind(self._link.looked)

    def take(self, frames: int, start: int, each: int) -> None:
        """The processor handles ready frames from `start` on, each for `each` (ps)."""
        self.taken += frames
        self.waiting -= frames
        while frames:
            lot = self._lots[0]
            some = min(frames, lot.last - lot.first)
            self._stay(lot.first, some, start, each)
            start += some * each
            lot.first += some
            frames -= some
            if lot.first == lot.last:
                self._lots.popleft()

    def _stay(self, first: int, frames: int, start: int, each: int) -> None:
        """Both arrivals and ends of the frames are evenly spaced, and the sum thus follows from the mean of the first
        and the last."""
        one = start + each - self._arrivals.time(first)
        other = start + frames * each - self._arrivals.time(first + frames - 1)
        self.stayed += (one + other) * frames // 2
        self.longest = max(self.longest, one, other)

    def interrupt(self, time: int, now: int) -> None:
        """The adapter sends the message of an interrupt, which takes the link for `time` (ps)."""
        self._link.interrupt(time, now)

    @property
    def shared(self) -> bool:
        """Whether its link has other queues, too."""
        return self._link.shared

    def post(self, descriptors: int) -> None:
        """The driver returns `descriptors` descriptors to the adapter."""
        self._posted += descriptors

    @property
    def posted(self) -> int:
        """The number of descriptors that the adapter has."""
        return self._posted
