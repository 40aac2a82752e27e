"""Which station gets a short shared medium, such as most at 10 Mbit/s: contention, a whole round at a time.

It applies where a signal returns from the farthest station within a preamble, and without bursts. The order in which
stations hear each other then only decides which take part. A station starts no later than the first signal reaches it,
or at the end of the gap after the last round, whose signals reach each station before any newer one does. A station
that meets another does so in its preamble, sends the shortest fragment, and waits for the end of the others' fragments,
which arrive without a gap. No signal of the next round can reach any station before the gap after this one is over.

A round therefore follows from when its stations are ready: one alone is carried, two or more collide. `Contention`
computes any other medium, and would find the same result here, signal by signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from netsim.ethernet.contention import NO_STATION
from netsim.ethernet.deference import INDEX, INDEX_BITS, NEVER
from netsim.ethernet.mac import Mac
from netsim.ethernet.segment_spec import ATTEMPT_LIMIT, SegmentSpec

if TYPE_CHECKING:
    from netsim.ethernet.segment import Segment

LAST_BUT_ONE: Final = 15  # attempts
BEYOND: Final = 1 << 61  # ps: after NEVER


def is_short(spec: SegmentSpec, stations: Sequence[Mac]) -> bool:
    """Whether `Rounds` applies."""
    return not spec.burst_time and 2 * _span(stations) <= spec.preamble_time


def _span(stations: Sequence[Mac]) -> int:
    return max(max(one.distance) for one in stations)


@mypyc_attr(allow_interpreted_subclasses=True)
class Rounds:
    """Stations that have a frame to send, and the end of the last round. It replaces Contention, with the same
    interface."""

    def __init__(self, segment: Segment) -> None:
        spec, self._stations = segment.spec, segment.macs
        self.segment = segment
        self.collisions = 0  # rounds with two stations or more
        self._gap, self._slot, self._shortest = spec.gap, spec.slot_time, spec.fragment_time(0)
        self._span = _span(self._stations)
        self._window = self._span + spec.gap  # a signal that all have heard for a gap is carried
        self._patience = self._window  # from a round's start until it is computed; less if it may be a last attempt
        self._last_attempts: dict[int, int] = {}  # station with one attempt left -> its earliest time (ps)
        self._last_attempt = BEYOND  # the first of these
        self._waiting = [NO_STATION]  # heap: when a station is ready (ps) and which, in one number
        self._sure: list[tuple[int, int]] = []  # start (ps) and station: its gap ends then
        self._first = NEVER  # start of the next round
        self._look = NEVER  # when it is computed
        self._sender: Mac | None = None  # the one that was alone in the last round
        self._free_from = -self._span  # end of the gap after that round, where its last signal came from
        self._fragments = [(self._free_from, 0)]  # the same for each station of a round that collided: ps, station
        self._busy = 0  # ps of closed spans of use
        self._busy_from = self._free_from  # of the current one

    # --- from outside ------------------------------------------------------------------------------------------------

    def join(self, mac: Mac, ready: int) -> int:
        """A station has a frame to send, `ready` now (ps); returns when to look at the medium."""
        sender = self._sender
        start = self._free(mac) if sender is None else self._free_from + sender.distance[mac.index]
        if ready <= start:
            self._sure.append((start, mac.index))
        else:
            start = ready
            heappush(self._waiting, ready << INDEX_BITS | mac.index)
        if start < self._first:
            self._first = start
            self._look = start + self._patience
        return self._look

    def advance(self, now: int) -> None:
        """Compute all rounds that are certain `now` (ps)."""
        while self._look <= now:
            first = self._first
            starts, self._sure = self._sure, []
            behind: list[Mac] = []  # those that wait for the end of this round
            if self._waiting[0] >> INDEX_BITS <= first + self._span:
                self._meet(first + self._span, starts, behind)
            if len(starts) > 1:
                self.collide(starts, behind)
            elif first + self._window <= now:
                self._succeed(first, self._stations[starts[0][1]])
            else:
                self._look_again(starts, behind)
                return
            if behind:
                self._sure = [(self._free(mac), mac.index) for mac in behind]
            self._first = first = self._next_start()
            self._patience = self._window if first + self._span < self._last_attempt else self._shortest
            self._look = first + self._patience

    def next_look(self) -> int:
        """When to look at the medium (ps) if no station joins earlier; NEVER or more: not at all."""
        return self._look

    # --- what happens ------------------------------------------------------------------------------------------------

    def _free(self, mac: Mac) -> int:
        """When the gap after the last round ends (ps) for a station."""
        if self._sender is not None:
            return self._free_from + self._sender.distance[mac.index]
        distance, latest = mac.distance, -NEVER
        for free, index in self._fragments:
            there = free + distance[index]
            if there > latest:
                latest = there
        return latest

    def _meet(self, latest: int, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        """Any other station ready by `latest` (ps) takes part, unless it hears one of the others first."""
        stations, waiting = self._stations, self._waiting
        while waiting[0] >> INDEX_BITS <= latest:
            one = heappop(waiting)
            ready, index = one >> INDEX_BITS, one & INDEX
            mac = stations[index]
            free = self._free(mac)
            if ready <= free:
                starts.append((free, index))
                continue
            distance = mac.distance
            for start, other in starts:
                if start + distance[other] < ready:
                    behind.append(mac)
                    break
            else:
                starts.append((ready, index))

    def _succeed(self, start: int, mac: Mac) -> None:
        if start > self._free_from:
            self._begin_use(start)
        end = start + mac.duration
        self._sender, self._free_from = mac, end + self._gap
        if mac.attempts == LAST_BUT_ONE:
            self._leave_last_attempt(mac)
        self.segment.carried(mac, start, end)

    def collide(self, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        """Two or more stations start (ps, station): each backs off, and is `behind` the round if it draws no slot to
        wait, or gives its frame up."""
        self.collisions += 1
        starts.sort()
        if starts[0][0] > self._free_from:
            self._begin_use(starts[0][0])
        stations, waiting, shortest, slot = self._stations, self._waiting, self._shortest, self._slot
        again = shortest + self._gap
        self._sender, self._free_from = None, starts[-1][0] + again
        self._fragments = fragments = []
        for start, index in starts:
            fragments.append((start + again, index))
            mac, end = stations[index], start + shortest
            mac.collisions += 1
            mac.attempts = attempts = mac.attempts + 1
            if attempts == ATTEMPT_LIMIT:
                self._give_up(mac, end)
                continue
            slots = mac.backoff.slots(attempts)
            if slots:
                heappush(waiting, (end + slots * slot) << INDEX_BITS | index)
            else:
                behind.append(mac)
            if attempts == LAST_BUT_ONE:
                self._last_attempts[index] = end + slots * slot
                self._last_attempt = min(self._last_attempts.values())

    def _give_up(self, mac: Mac, end: int) -> None:
        mac.attempts = 0
        self._leave_last_attempt(mac)
        self.segment.given_up(mac, end)

    def _leave_last_attempt(self, mac: Mac) -> None:
        """The station's last attempt is over, successful or not."""
        del self._last_attempts[mac.index]
        self._last_attempt = min(self._last_attempts.values(), default=BEYOND)

    def _look_again(self, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        """A station that was looked at early has met no other: its frame is carried, but that is certain only a gap
        after all have heard it."""
        self._sure = starts
        for mac in behind:
            heappush(self._waiting, (self._first + self._span) << INDEX_BITS | mac.index)
        self._patience = self._window
        self._look = self._first + self._window

    def _next_start(self) -> int:
        """The next start: that of the first station that is ready, or waits for the end of a gap."""
        sure, waiting, sender = self._sure, self._waiting, self._sender
        first = min(sure)[0] if sure else NEVER
        while (ready := (one := waiting[0]) >> INDEX_BITS) < first:
            index = one & INDEX
            if sender is None:
                free = self._free(self._stations[index])
            else:
                free = self._free_from + sender.distance[index]
            if ready > free:
                return ready
            heappop(waiting)
            sure.append((free, index))
            if free < first:
                first = free
        return first

    def _begin_use(self, first: int) -> None:
        """The medium was free until now."""
        self._busy += self._free_from - self._busy_from
        self._busy_from = first

    # --- accounts -----------------------------------------------------------------------------------------------------

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which a station sent or the gap after its signal passed. Everything up to `now` must have
        been computed."""
        first, free = self._first, self._free_from
        used = self._busy - self._busy_from + min(now, free)
        return used if first >= now else used + now - max(first, min(now, free))
