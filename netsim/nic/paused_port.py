"""A port whose receiver requests pauses from its sender, in a running simulation, frame by frame but without events.

Frames come over the wire into a FIFO, and leave it over the link to memory as soon as their queue has a descriptor.
Looking at a queue computes all that has happened up to that time, in chronological order.
"""

from __future__ import annotations

from typing import Final, final

from netsim.engine import Fifo
from netsim.nic.frame_arrivals import FrameArrivals
from netsim.nic.frame_times import FrameTimes
from netsim.nic.receive_queue import HostLink, ReceiveQueue
from netsim.units.constants import PS_PER_S

_NEVER: Final = 1 << 62  # ps


@final
class PauseTimes:
    """Times (ps) of a pause: how long it `lasts`, the `way` of its frame to the sender, and the sender's `response`
    until it stops; and the numbers of frames in the FIFO at which it begins (`high`) and ends (`low`)."""

    def __init__(self, lasts: int, way: int, response: int, high: int, low: int) -> None:
        self.lasts = lasts
        self.way = way
        self.response = response
        self.high = high
        self.low = low


@final
class SenderTimes:
    """Times (ps) of a frame: on the wire until its last bit (`sending`) and until the next one's start (`spacing`), and
    of the path (`delay`); frames are due at `rate` per second, `most` of them in total if that is not negative."""

    def __init__(self, sending: int, spacing: int, delay: int, rate: int, most: int) -> None:
        self.sending = sending
        self.spacing = spacing
        self.delay = delay
        self.rate = rate
        self.most = most


@final
class PausedSender:
    """Sends each frame when it is due, or as soon as allowed after that."""

    def __init__(self, times: SenderTimes) -> None:
        self.times = times
        self.sent = 0
        self._free = 0  # when the wire is free (ps)
        self._stops: Fifo[tuple[int, int]] = Fifo()  # it stops from, and its timer runs until: known pauses, in order

    def next_start(self) -> int:
        """When the next frame begins, as far as is known (ps)."""
        times = self.times
        if 0 <= times.most <= self.sent:
            return _NEVER
        start = max(self.sent * PS_PER_S // times.rate, self._free)
        for since, until in self._stops:
            if since <= start < until:
                start = until
        return start

    def send(self, start: int) -> int:
        """The next frame begins. Returns when its last bit arrives (ps)."""
        self.sent += 1
        self._free = start + self.times.spacing
        while self._stops and self._stops[0][1] <= start:
            self._stops.popleft()
        return start + self.times.sending + self.times.delay

    def stop(self, received: int, response: int, lasts: int) -> None:
        """Obey a pause frame: it sets the timer, which counts from its reception (31B.3.3), and the sender stops after
        its `response`. While the timer runs, it has stopped or is about to, and the frame only sets the timer anew."""
        since = received + response
        if self._stops and self._stops[-1][1] >= received:
            since = self._stops.pop()[0]
        self._stops.append((since, received + lasts))


@final
class PausedPort:
    """Each of the `queues` gets the frames at its `places` in each round of `flows`; the FIFO holds up to `room`
    frames, each of which occupies the link to memory for `service` (ps)."""

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
        self._wire: Fifo[int] = Fifo()  # when frames on their way will have arrived (ps)
        self._waiting: list[Fifo[int]] = [Fifo() for _ in places]  # when frames in the FIFO arrived, by queue
        self.moves: list[Fifo[int]] = [Fifo() for _ in places]  # when each began to move, while this is needed
        self.counts = [0] * len(places)  # moved so far
        self.inside = self.came = self.moved = self.dropped = 0
        self.waited = 0  # ps that moved frames spent in the FIFO
        self.asked = 0  # pause frames
        self._free = 0  # when the link to memory is free (ps)
        self._again = _NEVER  # when another pause is requested
        self.now = 0  # the time up to which everything is computed

    def settle(self, now: int) -> None:
        """Compute all that happens up to `now` (ps)."""
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
        """Of the queues with a descriptor, the one whose frame has waited longest; -1: none."""
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
            self.sender.stop(start + self._pause.way, 0, 0)

    def _ask(self, now: int) -> None:
        """Request a pause."""
        pause = self._pause
        self.asked += 1
        self._again = now + pause.lasts // 2
        self.sender.stop(now + pause.way, pause.response, pause.lasts)

    def occupy(self, time: int, now: int) -> None:
        """Other traffic occupies the link to memory for `time` (ps)."""
        self.settle(now)
        self._free = max(self._free, now) + time

    def moved_by(self, now: int) -> int:
        """Frames moved by `now`."""
        ahead = now - self._service
        return self.moved - sum([1 for moves in self.moves for start in moves if start > ahead])

    def expected(self, number: int) -> int:
        """The earliest time when a queue's next frame may begin to move (ps), since a pause may end at any time; -1:
        never."""
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
    """The link to memory as seen by queues behind a port: their frames have already crossed it."""

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


class PausedArrivals(FrameTimes):
    """The arrivals of one queue: its frames count as arrived when they begin to move to memory."""

    def __init__(self, port: PausedPort, number: int, due: FrameArrivals) -> None:
        self._port = port
        self._number = number
        self._due = due  # when frames would arrive without pauses or waits
        self._gone = 0  # frames whose times are no longer needed

    def count(self, time: int) -> int:
        """See FrameTimes."""
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
        """See FrameArrivals. For a frame that has not begun to move, the earliest time when it may."""
        port = self._port
        known = port.counts[self._number]
        if number < known:
            return port.moves[self._number][number - self._gone]
        first = port.expected(self._number)
        if first < 0:
            return first
        return max(first + (number - known) * port.sender.times.spacing, self._due.time(number))
