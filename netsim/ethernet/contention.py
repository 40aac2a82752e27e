"""Which station gets a shared medium: carrier sense, collisions and backoff, by arithmetic (IEEE 802.3 clause 4).

Everything that happens on the medium follows from when stations become ready to send. It is therefore computed
afterwards, station by station in the order of their starts, up to the present: one look, shortly after the first start,
covers a whole round.

A signal is settled as collided when the first other signal reaches its station, once all signals that started before
then are known; and as carried once no station can start any more, because all have heard it and a gap has passed. (A
station that ignores carrier in a gap starts at that gap's end.) In any allowed layout a frame lasts longer than that,
so no frame that leaves the medium is noticed too late. The end of a last attempt could be: while a station may reach it
before the next look, looks are planned sooner.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from netsim.ethernet.deference import INDEX, INDEX_BITS, NEVER, Signal, earliest_start
from netsim.ethernet.mac import Mac
from netsim.ethernet.segment_spec import ATTEMPT_LIMIT

if TYPE_CHECKING:
    from netsim.ethernet.segment import Segment

NO_STATION = NEVER << INDEX_BITS


@mypyc_attr(allow_interpreted_subclasses=True)
class Contention:
    """Stations of a segment that have a frame to send, and the signals that they may hear. The segment learns which
    signals are carried, and which have met their station's last collision."""

    def __init__(self, segment: Segment) -> None:
        spec, self._stations = segment.spec, segment.macs
        self.segment = segment
        self.collisions = 0  # rounds of two signals or more
        self._gap, self._part_1, self._slot = spec.gap, spec.gap_part_1, spec.slot_time
        self._bit, self._jam = spec.bit, spec.jam_time
        self._preamble, self._shortest = spec.preamble_time, spec.fragment_time(0)
        self._pause = spec.jam_time + spec.gap  # a station that has collided starts again after that at the earliest
        self._waiting = [NO_STATION]  # heap: earliest start (ps) and station, in one number
        self._again = [0] * len(self._stations)  # the earliest next attempt of each after its last collision (ps)
        self._held_up: list[tuple[int, Mac]] = []  # stations that wait for the end of a signal, which isn't known yet
        self._last: Signal | None = None  # a frame that all have heard
        self._signals: list[Signal] = []  # since then: signals that may still be heard, or were heard in the last gap
        self._open: list[Signal] = []  # of these, the unsettled ones
        self._settle_by = NEVER  # no start that depends on their outcome is earlier
        self._floor = 0  # no station starts earlier: the last frame lasts until then
        self._nearly_last: list[int] = []  # heap: next attempt (ps) and station, for those near their last
        self._span = max((max(one.distance) for one in self._stations), default=0)  # to the farthest station
        self._window = self._span + self._gap  # no station starts later than this after the start of a carried signal
        self._many = ATTEMPT_LIMIT - self._most_collisions()  # after these, a last one may come between looks
        self._end = -self._window  # of the last settled signal; NEVER: not known yet
        self._busy = 0  # ps of closed spans of use
        self._busy_from = self._end + self._gap  # of the current one

    def _most_collisions(self) -> int:
        """The most collisions that one station may meet between two looks: it first starts again after a jam and a gap
        at the earliest, and then once per preamble, jam and gap."""
        if self._window < self._pause:
            return 1
        return 2 + (self._window - self._pause) // (self._preamble + self._pause)

    # --- from outside ------------------------------------------------------------------------------------------------

    def join(self, mac: Mac, ready: int) -> int:
        """A station has a frame to send, `ready` now (ps); returns when to look at the medium."""
        due = ready if ready > self._floor else self._floor
        if due == NEVER:
            self._held_up.append((ready, mac))
            return NEVER
        heappush(self._waiting, due << INDEX_BITS | mac.index)
        if not self._nearly_last:
            return due + self._window
        return due if self._open else due + self._shortest

    def advance(self, now: int) -> None:
        """Compute everything that has happened up to `now` (ps)."""
        waiting, stations = self._waiting, self._stations
        while self._floor <= now:
            due, index = waiting[0] >> INDEX_BITS, waiting[0] & INDEX
            if due > now or due >= self._settle_by:
                if self._open and self._settle(due if due < now else now):
                    continue  # a station that wasn't waiting before may be next
                if due > now:
                    return
            mac, last = stations[index], self._last
            if last is None or due > (start := last.end + mac.distance[last.index] + self._gap):
                start = self._earliest_start(mac, due)
            # else: another one that starts after the last frame is heard only after this one's gap has passed
            if start == due:
                heappop(waiting)
                self._start(due, mac)
            elif start < NEVER:
                heapreplace(waiting, start << INDEX_BITS | index)
            else:
                heappop(waiting)
                self._held_up.append((due, mac))

    def next_look(self) -> int:
        """When to look at the medium (ps) if no station joins earlier; NEVER or more: not at all."""
        patience = self._patience() if self._nearly_last else self._window
        due = self._waiting[0] >> INDEX_BITS
        look = (due if due > self._floor else self._floor) + patience
        for signal in self._open:
            settled = signal.start + self._window if signal.heard == NEVER else signal.heard + patience
            if settled < look:
                look = settled
        return look

    def _patience(self) -> int:
        """How long after a start the look may come if a station has met many collisions. Its last attempt may be over
        after a preamble and a jam; once it is under way, each change is looked at as it comes."""
        nearly_last, waiting = self._nearly_last, self._waiting
        while nearly_last:
            due, index = nearly_last[0] >> INDEX_BITS, nearly_last[0] & INDEX
            mac = self._stations[index]
            if mac.attempts >= self._many and self._again[index] == due:
                break
            heappop(nearly_last)  # that attempt is over
        first = max(waiting[0] >> INDEX_BITS, self._floor)
        if not nearly_last or nearly_last[0] >> INDEX_BITS > first + self._span:
            return self._window
        under_way = any(signal.mac.attempts >= self._many for signal in self._open)
        return 0 if under_way else self._shortest

    def end_burst(self, end: int) -> None:
        """The signal that has the medium ends at `end` (ps)."""
        assert self._last is not None
        self._last.end = self._end = end
        self._floor = end + self._gap
        self._let_go()

    # --- what happens ------------------------------------------------------------------------------------------------

    def _earliest_start(self, mac: Mac, ready: int) -> int:
        """netsim.ethernet.deference decides, unless the medium has been idle for long enough."""
        if not self._open and ready >= self._end + self._window:
            self._signals.clear()
            self._last = None
            return ready
        signals = self._signals if self._last is None else [self._last, *self._signals]
        return earliest_start(signals, mac, ready, self._gap, self._part_1)

    def _start(self, start: int, mac: Mac) -> None:
        """A station starts: find the stations that it disturbs, and those that disturb it."""
        if not self._open and start > self._end + self._gap:
            self._busy += self._end + self._gap - self._busy_from
            self._busy_from = start
        distance, heard, known = mac.distance, NEVER, False
        for other in self._signals:
            away = distance[other.index]
            if other.end + away <= start:
                continue
            if other.heard < NEVER:
                known = True
            if other.start + away < heard:
                heard = other.start + away
            here = start + away
            if here < other.heard and here < other.end:
                self._disturb(other, here)
        signal = Signal(mac, start, start + mac.duration)
        if heard < NEVER:
            self._disturb(signal, heard if heard > start else start)
            if not known:
                self.collide(start)
        elif start + self._window < self._settle_by:
            self._settle_by = start + self._window
        self._signals.append(signal)
        self._open.append(signal)

    def collide(self, start: int) -> None:
        """The signal that starts at `start` (ps) is the first of a collision."""
        self.collisions += 1

    def _disturb(self, signal: Signal, heard: int) -> None:
        """Another signal reaches its station."""
        signal.heard = heard
        if heard + self._pause < self._settle_by:
            self._settle_by = heard + self._pause
        after = heard - signal.start
        whole = -(-after // self._bit) * self._bit  # bits (SegmentSpec.fragment_time)
        signal.end = signal.start + (self._shortest if after <= self._preamble else whole + self._jam)

    def _settle(self, now: int) -> bool:
        """Settle every signal whose fate is certain at `now`; returns whether any was settled."""
        still, by = [], NEVER
        for signal in self._open:
            due = signal.heard if signal.heard < NEVER else signal.start + self._window
            if due > now:
                still.append(signal)
                by = min(by, due if signal.heard == NEVER else due + self._pause)
            elif signal.heard < NEVER:
                self.collided(signal)
            else:
                self._succeeded(signal)
        self._settle_by = by
        if len(still) == len(self._open):
            return False
        self._open = still
        if self._held_up:
            self._let_go()
        return True

    def _succeeded(self, signal: Signal) -> None:
        signal.settled = True
        self._signals.clear()
        self._last = signal
        mac, start, end = signal.mac, signal.start, signal.end
        self.segment.carried(mac, start, end)
        if self.segment.begin_burst(mac, start, end):
            signal.end = self._end = self._floor = NEVER
        else:
            self._end, self._floor = end, end + self._gap

    def collided(self, signal: Signal) -> None:
        """A signal that has met others is settled: its station backs off, or gives its frame up."""
        signal.settled = True
        end, mac = signal.end, signal.mac
        if end > self._end:
            self._end = end
        mac.collisions += 1
        mac.attempts = attempts = mac.attempts + 1
        if attempts == ATTEMPT_LIMIT:
            mac.attempts = 0
            self.segment.given_up(mac, end)
            return
        slots = mac.backoff.slots(attempts)
        self._again[mac.index] = again = end + (slots * self._slot if slots else self._gap)
        turn = again << INDEX_BITS | mac.index
        heappush(self._waiting, turn)
        if attempts >= self._many:
            heappush(self._nearly_last, turn)

    def _let_go(self) -> None:
        """Look again at the stations that wait for the end of a signal."""
        held_up, self._held_up = self._held_up, []
        for ready, mac in held_up:
            start = self._earliest_start(mac, ready)
            if start < NEVER:
                heappush(self._waiting, start << INDEX_BITS | mac.index)
            else:
                self._held_up.append((ready, mac))

    # --- accounts -----------------------------------------------------------------------------------------------------

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which a station sent or the gap after its signal passed. Everything up to `now` must have
        been computed."""
        to = now if self._open or self._end == NEVER else min(now, self._end + self._gap)
        return self._busy + to - self._busy_from
