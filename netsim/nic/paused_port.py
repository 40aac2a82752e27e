"""A port whose receiver asks its sender for pauses, in a running simulation, frame by frame but without events.

Frames come over the wire into a FIFO, and leave it over the link to memory as soon as their queue has a descriptor.
What has happened up to some time is computed when a queue is looked at, in the order of time.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo
from netsim.nic.frame_arrivals import FrameArrivals
from netsim.nic.receive_queue import HostLink, ReceiveQueue

_NEVER: Final = 1 << 62  # ps


@final
class PauseTimes:
    """ps: that a pause lasts, until its frame is with the sender (`way`), and until that stops (`response`); and in how
    many frames of the FIFO it begins and ends."""

    def __init__(self, lasts: int, way: int, response: int, high: int, low: int) -> None:
        self.lasts = lasts
        self.way = way
        self.response = response
        self.high = high
        self.low = low


@final
class SenderTimes:
    """ps of a frame on the wire up to its last bit (`sending`), to the next one's start (`spacing`), and of the way
    (`delay`); frames are due at `rate` per second, and `most` of them, if that is not negative."""

    def __init__(self, sending: int, spacing: int, delay: int, rate: int, most: int) -> None:
        self.sending = sending
        self.spacing = spacing
        self.delay = delay
        self.rate = rate
        self.most = most


@final
class PausedSender:
    """It sends a frame when it is due, or as soon as it may."""

    def __init__(self, times: SenderTimes) -> None:
        self.times = times
        self.sent = 0
        self._free = 0  # when the wire is (ps)
        self._stops: Fifo[tuple[int, int]] = Fifo()  # from, until: those that it knows of, in order

    def next_start(self) -> int:
        """When the next frame begins, as it stands (ps)."""
        times = self.times
        if 0 <= times.most <= self.sent:
            return _NEVER
        start = max(self.sent * 10**12 // times.rate, self._free)
        for since, until in self._stops:
            if since <= start < until:
                start = until
        return start

    def send(self, start: int) -> int:
        """The next frame begins; returns when its last bit is there (ps)."""
        self.sent += 1
        self._free = start + self.times.spacing
        while self._stops and self._stops[0][1] <= start:
            self._stops.popleft()
        return start + self.times.sending + self.times.delay

    def stop(self, since: int, until: int) -> None:
        """A pause frame: a later one says again how long."""
        if self._stops and self._stops[-1][1] >= since:
            since = self._stops.pop()[0]
        if until > since:
            self._stops.append((since, until))


@final
class PausedPort:
    """`queues` get the frames of their `places` in each round of `flows`; up to `room` frames are in the FIFO, and each
    takes `service` of the link to memory (ps)."""

    def __init__(
        self, sender: PausedSender, pause: PauseTimes, places: list[list[int]], flows: int, room: int, service: int
    ) -> None:
        self.sender = sender
        self._pause = pause
        self._queue_of = [0] * flows
        for number, own in enumerate(places):
            for place in own:
                self._queue_of[place] = number
        self._room = room
        self._service = service
        self.queues: list[ReceiveQueue] = []
        self._wire: Fifo[int] = Fifo()  # when those on their way will have come (ps)
        self._waiting: list[Fifo[int]] = [Fifo() for _ in places]  # when those in the FIFO came, by queue
        self.moves: list[Fifo[int]] = [Fifo() for _ in places]  # when each began to move, of those still asked for
        self.counts = [0] * len(places)  # moved so far
        self.inside = self.came = self.moved = self.dropped = 0
        self.waited = 0  # ps in the FIFO, of those moved
        self.asked = 0  # pause frames
        self._free = 0  # when the link to memory is (ps)
        self._again = _NEVER  # when another pause is asked for
        self.now = 0  # up to when it is known what happened

    def settle(self, now: int) -> None:
        """All that happens up to then (ps)."""
        while True:
            starts = self.sender.next_start()
            comes = self._wire[0] if self._wire else _NEVER
            queue = self._first()
            moves = _NEVER if queue < 0 else max(self._free, self._waiting[queue][0], self.now)
            first = min(moves, comes, self._again, starts)
            if first > now:
                break
            self.now = max(self.now, first)
            if first == moves:
                self._move(queue, moves)
            elif first == comes:
                self._come(self._wire.popleft())
            elif first == self._again:
                self._ask(first)
            else:
                self._wire.append(self.sender.send(starts))
        self.now = max(self.now, now)

    def _come(self, now: int) -> None:
        queue = self._queue_of[self.came % len(self._queue_of)]
        self.came += 1
        if self.inside == self._room:
            self.dropped += 1
            return
        self.inside += 1
        self._waiting[queue].append(now)
        if self.inside >= self._pause.high and self._again == _NEVER:
            self._ask(now)

    def _first(self) -> int:
        """The queue whose frame has waited longest, of those with a descriptor; -1: none."""
        found, oldest = -1, _NEVER
        for number, waiting in enumerate(self._waiting):
            if waiting and waiting[0] < oldest:
                queue = self.queues[number]
                if queue.posted > self.counts[number] - queue.arrived:
                    found, oldest = number, waiting[0]
        return found

    def _move(self, number: int, start: int) -> None:
        """The first frame of a queue goes over the link to memory."""
        self.waited += start - self._waiting[number].popleft()
        self._free = start + self._service
        self.moves[number].append(start)
        self.counts[number] += 1
        self.moved += 1
        self.inside -= 1
        if self._again != _NEVER and self.inside <= self._pause.low:
            self._again = _NEVER
            self.asked += 1
            self.sender.stop(start + self._pause.way, start + self._pause.way)

    def _ask(self, now: int) -> None:
        """For a pause."""
        pause = self._pause
        self.asked += 1
        self._again = now + pause.lasts // 2
        there = now + pause.way
        self.sender.stop(there + pause.response, there + pause.lasts)

    def occupy(self, time: int, now: int) -> None:
        """Something else takes the link to memory for this long (ps)."""
        self.settle(now)
        self._free = max(self._free, now) + time

    def moved_by(self, now: int) -> int:
        """Frames that have been moved by then."""
        ahead = now - self._service
        return self.moved - sum([1 for moves in self.moves for start in moves if start > ahead])

    def expected(self, number: int) -> int:
        """When a queue's next frame may begin to move, at the earliest (ps): a pause may end at any time."""
        if self._waiting[number]:
            return max(self._free, self.now)
        times = self.sender.times
        if self._wire:
            return max(self._free, self._wire[0])
        start = self.sender.next_start()
        if start == _NEVER:
            return -1
        if self._again != _NEVER:
            start = min(start, self.now + self._pause.way)
        return start + times.sending + times.delay

    def audit(self) -> bool:
        """Whether each frame that was sent is on its way, in the FIFO, moved or dropped."""
        came = self.inside + self.moved + self.dropped
        return came == self.came and self.came + len(self._wire) == self.sender.sent


class PortLink(HostLink):
    """What queues behind a port find of the link to memory: their frames have crossed it."""

    def __init__(self, port: PausedPort) -> None:
        super().__init__(1, 0)
        self._port = port

    def allowed(self, since: int, now: int) -> int:
        """See HostLink."""
        return _NEVER

    def put(self, frames: int, since: int, now: int) -> int:
        """See HostLink."""
        return 0

    def interrupt(self, time: int, now: int) -> None:
        """See HostLink."""
        self._port.occupy(time, now)

    def moved(self, now: int) -> int:
        """See HostLink."""
        return self._port.moved_by(now)


class PausedArrivals(FrameArrivals):
    """Of one queue: its frames are there when they begin to move to memory."""

    def __init__(self, port: PausedPort, number: int, due: FrameArrivals) -> None:
        super().__init__([0], 1, 1, 0, -1)
        self._port = port
        self._number = number
        self._due = due  # when they would come if nothing kept them back
        self._gone = 0  # whose times are not asked for any more

    def count(self, time: int) -> int:
        """See FrameArrivals."""
        port = self._port
        if time > port.now:
            port.settle(time)
        moves = port.moves[self._number]
        taken = port.queues[self._number].taken
        while self._gone < taken:
            moves.popleft()
            self._gone += 1
        low, high = 0, len(moves)
        while low < high:
            middle = (low + high) >> 1
            if moves[middle] <= time:
                low = middle + 1
            else:
                high = middle
        return self._gone + low

    def time(self, number: int) -> int:
        """See FrameArrivals. Of one that has not begun, when it may at the earliest."""
        port = self._port
        known = port.counts[self._number]
        if number < known:
            return port.moves[self._number][number - self._gone]
        first = port.expected(self._number)
        if first < 0:
            return first
        return max(first + (number - known) * port.sender.times.spacing, self._due.time(number))
