"""A half-duplex Ethernet segment: stations that share one medium with CSMA/CD (IEEE 802.3 clause 4).

`Contention`, or `Rounds` where the medium is short, computes which station sends when. This module takes frames in,
delivers and counts them, and handles the bursts of 1000 Mbit/s (4.2.3.2.7): a station that has the medium keeps it
after each frame for the time of a gap, filled with extension bits, and sends any frame handed over by then, as long as
the burst began less than burstLimit ago.
"""

from __future__ import annotations

from typing import Any

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.errors import ScenarioError, SimulationError
from netsim.ethernet.contention import Contention
from netsim.ethernet.deference import INDEX, NEVER
from netsim.ethernet.frame import MIN_FRAME, Frame
from netsim.ethernet.mac import NO_FRAME, Mac
from netsim.ethernet.rounds import Rounds, is_short
from netsim.ethernet.segment_spec import ATTEMPT_LIMIT, SegmentSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Segment:
    """The medium in a running simulation. All stations are connected before the first frame is sent."""

    def __init__(self, env: Environment, spec: SegmentSpec, name: Resource) -> None:
        self.env = env
        self._calendar = env.calendar
        self.spec = spec
        self.name = name
        self.macs: list[Mac] = []
        self._table: dict[Any, Mac] = {}
        self._times: dict[int, int] = {}  # ps from preamble to last bit, by frame size
        self._contention: Contention | Rounds = Contention(self)
        self._looks, self._sends = self._look, self._sent  # bound once
        self._planned = NEVER  # when the medium is looked at
        self._replaced: set[int] = set()  # looks that an earlier one has replaced, but which are still planned
        self._carrying = False  # a frame that gets through: nothing to look at until it has left
        self._burst_time = spec.burst_time
        self._burst: Mac | None = None  # the station that has the medium for a burst
        self._burst_limit = 0  # no frame begins from here on (ps)
        self._burst_end = 0  # of the gap after the last frame so far (ps)
        self._senders = 0  # stations that have a frame to send
        self._wanted = 0  # ps in which at least one had, without the current period
        self._since = 0  # start of the current period (ps)

    def mac(self, name: str, position: float) -> Mac:
        """A connection for a station `position` metres along the coaxial cable, or that far from the hub. Raises
        ScenarioError if the layout gets too long for the slot time."""
        if self._times:
            raise SimulationError(f"{self.name}: {name} is connected after the first frame")
        positions = {mac.name: mac.position for mac in self.macs}
        if name in positions:
            raise ScenarioError(f"{self.name} has a station of that name", address=name)
        if len(self.macs) > INDEX:
            raise ScenarioError(f"{self.name} has {len(self.macs)} stations; allowed: up to {INDEX + 1}", address=name)
        self.spec.check_layout(positions | {name: position})
        mac = Mac(self, name, position, len(self.macs))
        self.macs.append(mac)
        return mac

    def learn(self, address: Any, mac: Mac) -> None:
        """Frames whose `port` is `address` go to the station at `mac`."""
        self._table[address] = mac

    def owner(self, address: Any) -> Mac:
        """The station with that address."""
        return self._table[address]

    # --- sending -----------------------------------------------------------------------------------------------------

    def put(self, frame: Frame, mac: Mac) -> None:
        """The medium's part of Mac.put."""
        target = self._table.get(frame.port)
        if target is None or target is mac:
            whose = "no station has" if target is None else f"{mac.name} itself has"
            raise SimulationError(f"{self.name}: {whose} address {frame.port!r}")
        mac.target = target
        mac.ready = now = self._calendar.now
        if not self._senders:
            self._since = now
        self._senders += 1
        if self._burst is mac and now < self._burst_limit and now < self._burst_end:
            self._continue_burst(mac, frame)
            return
        mac.duration = self._times.get(frame.size) or self._sending_time(frame.size)
        look = self._contention.join(mac, now)
        if not self._carrying:
            self._look_at(look)

    def _sending_time(self, size: int) -> int:
        if size < MIN_FRAME:
            raise SimulationError(f"{self.name}: a frame of {size} bytes; allowed: {MIN_FRAME} (minFrameSize) or more")
        if not self._times:
            self._lay_out()
        self._times[size] = time = self.spec.sending_time(size)
        return time

    def _lay_out(self) -> None:
        """The first frame is sent: no more stations from now on."""
        for one in self.macs:
            one.distance = [self.spec.propagation(one.position, other.position) for other in self.macs]
            one.distance[one.index] = 0
        short, env = is_short(self.spec, self.macs), self.env
        part: type[Contention] | type[Rounds] = env.part(Rounds) if short else env.part(Contention)
        self._contention = part(self)

    def _look_at(self, time: int) -> None:
        """Look at the medium at `time` (ps), when something may have happened on it; sooner if an earlier look is
        planned."""
        planned = self._planned
        if time >= planned:
            return
        self._planned = time
        if planned < NEVER:
            self._replaced.add(planned)
        if self._replaced and time in self._replaced:
            self._replaced.remove(time)
            return
        self._calendar.call_at(time, self._looks, time)

    def _look(self, planned: int) -> None:
        if planned != self._planned:
            self._replaced.remove(planned)
            return
        self._contention.advance(planned)
        self._planned = NEVER
        if not self._carrying:
            self._look_at(self._contention.next_look())

    # --- outcomes ----------------------------------------------------------------------------------------------------

    def carried(self, mac: Mac, start: int, end: int) -> None:
        """A station's frame gets through: it begins at `start`, and its last bit leaves at `end` (ps) and arrives
        later."""
        self._carrying = True
        mac.undecided = False
        mac.sent[mac.attempts + 1] += 1
        if mac.attempts:
            mac.attempts = 0
        elif start > mac.ready:
            mac.deferrals += 1
        calendar, target, frame = self._calendar, mac.target, mac.frame
        frame.last_bit = end
        if mac.certain is not None:
            certain = mac.certain
            certain(frame)
        lead = target.leads.get(frame.size)
        due = end + mac.distance[target.index] - (target.lead(frame.size) if lead is None else lead)
        if due < calendar.now:
            due = calendar.now
        calendar.call_at(due, target.deliver, frame)
        calendar.call_at(end, self._sends, mac)

    def _sent(self, mac: Mac) -> None:
        """A frame's last bit has left."""
        frame, done = mac.frame, mac.done
        mac.frame = NO_FRAME
        self._senders -= 1
        if not self._senders:
            self._wanted += self._calendar.now - self._since
        if self._burst is not mac:
            done(frame, True)
            self._carrying = False
            self._look_at(self._contention.next_look())
            return
        calendar = self._calendar
        now = calendar.now
        if now >= self._burst_limit:
            self._end_burst(now)
            done(frame, True)
            return
        self._burst_end = end = now + self.spec.gap
        done(frame, True)
        if mac.frame is NO_FRAME:
            calendar.call_at(end, self._burst_over, mac)

    def given_up(self, mac: Mac, end: int) -> None:
        """A frame has had its last collision, which is over at `end` (ps)."""
        self._calendar.call_at(end, self.drop, mac)

    def drop(self, mac: Mac) -> None:
        """A station drops its frame."""
        frame, done = mac.frame, mac.done
        mac.frame = NO_FRAME
        mac.undecided = False
        mac.excess_collisions += 1
        self._senders -= 1
        if not self._senders:
            self._wanted += self._calendar.now - self._since
        done(frame, False)

    # --- bursts ------------------------------------------------------------------------------------------------------

    def begin_burst(self, mac: Mac, start: int, end: int) -> bool:
        """Whether a station keeps the medium after its frame, which it sends from `start` to `end` (ps)."""
        limit = start + self._burst_time
        if end >= limit:
            return False
        self._burst, self._burst_limit = mac, limit
        return True

    def _continue_burst(self, mac: Mac, frame: Frame) -> None:
        """The next frame follows the gap, without extension and without contention, and thus without deferral."""
        mac.ready = start = self._burst_end
        self._burst_end = 0
        self.carried(mac, start, start + self.spec.sending_time(frame.size, first=False))

    def _burst_over(self, _: Mac) -> None:
        """A gap has ended, unless another frame has filled it."""
        if self._burst_end == self._calendar.now:
            self._end_burst(self._burst_end)

    def _end_burst(self, end: int) -> None:
        self._burst, self._burst_end = None, 0
        assert isinstance(self._contention, Contention)
        self._contention.end_burst(end)
        self._carrying = False
        self._look_at(self._contention.next_look())

    # --- accounts -----------------------------------------------------------------------------------------------------

    @property
    def frames(self) -> int:
        """Frames handed over by the senders."""
        return sum(mac.frames for mac in self.macs)

    @property
    def bytes(self) -> int:
        """Bytes of these frames."""
        return sum(mac.bytes for mac in self.macs)

    @property
    def frames_arrived(self) -> int:
        """Frames that the stations were called for."""
        stations = {id(mac.station): mac.station for mac in self.macs if mac.station is not None}
        return sum(station.frames_arrived for station in stations.values())

    @property
    def frames_lost(self) -> int:
        """Frames given up."""
        return sum(mac.excess_collisions for mac in self.macs)

    @property
    def drops(self) -> dict[str, int]:
        """Frames lost, by cause."""
        return {"excess collisions": self.frames_lost}

    @property
    def in_flight(self) -> int:
        """Frames that wait, are being tried, or are on their way, according to the calendar."""
        arrivals = [mac.deliver for mac in self.macs if mac.station is not None]
        return sum(mac.undecided for mac in self.macs) + sum(self._calendar.planned(arrival) for arrival in arrivals)

    @property
    def collisions(self) -> int:
        """Rounds in which two or more signals met."""
        return self._contention.collisions

    @property
    def deferrals(self) -> int:
        """Frames that got through at their first attempt, but found the medium busy at first."""
        return sum(mac.deferrals for mac in self.macs)

    @property
    def attempts(self) -> dict[int, int]:
        """Number of attempts -> frames that got through at that attempt."""
        counts = [sum(mac.sent[number] for mac in self.macs) for number in range(ATTEMPT_LIMIT + 1)]
        return {number: count for number, count in enumerate(counts) if count}

    def wanted_until(self, now: int) -> int:
        """ps up to `now`, the present, in which at least one station had a frame to send. This includes time that
        stations in backoff leave unused: the medium can do no more for them."""
        return self._wanted + (now - self._since if self._senders else 0)

    def busy_until(self, now: int) -> int:
        """ps up to `now`, the present, in which the medium was in use: a station was sending (a frame, its extension, a
        fragment, the gaps of a burst), or no more than a gap had passed since. Times are those at the sender.
        """
        self._contention.advance(now)
        if not self._carrying:
            self._look_at(self._contention.next_look())
        return self._contention.busy_until(now)
