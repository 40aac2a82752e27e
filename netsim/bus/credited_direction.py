"""The direction of a PCI Express link to the root complex, where packets wait for credits.

Room is given back in the order in which it was taken, at times that the root complex sets when a packet is on its way.
The start of a packet is therefore arithmetic, and costs no event. A waiting read delays a write behind it, which the
standard would let pass.
"""

from __future__ import annotations

from typing import final

from netsim.accounts import Resource
from netsim.bus.credits_spec import CreditsSpec, data_credits
from netsim.bus.pcie import PcieDirection
from netsim.bus.pcie_spec import PcieSpec
from netsim.engine import Environment, Fifo, Idle


@final
class Held:
    """Credits of one packet: since when and until when they are taken (ps), and how many."""

    __slots__ = ("count", "since", "until")

    def __init__(self, since: int, count: int) -> None:
        self.since = since
        self.until = -1  # not known yet
        self.count = count


@final
class CreditPool:
    """Credits of one kind."""

    def __init__(self, credits: int) -> None:
        self.credits = credits
        self._free = credits
        self._taken: Fifo[Held] = Fifo()  # in order; those given back leave when others need credits
        self._counted: Fifo[Held] = Fifo()  # those whose time is not in `_held`
        self._held = 0  # credits x ps

    def earliest(self, count: int, start: int) -> int:
        """When `count` of them are free, not before `start` (ps)."""
        while self._free < count:
            oldest = self._taken.popleft()
            self._free += oldest.count
            start = max(start, oldest.until)
        return start

    def take(self, count: int, start: int, now: int) -> Held:
        """Take `count` credits for a packet that starts at `start` (ps)."""
        self._free -= count
        held = Held(start, count)
        self._taken.append(held)
        counted = self._counted
        while counted and counted[0].until <= now:
            over = counted.popleft()
            self._held += over.count * (over.until - over.since)
        counted.append(held)
        return held

    def held_until(self, now: int) -> int:
        """Credits x ps up to now."""
        return self._held + sum([one.count * max(0, min(one.until, now) - one.since) for one in self._counted])


@final
class CreditedDirection(PcieDirection):
    """`posted` and `nonposted` are the credits for headers, `data` those for the data of writes."""

    def __init__(self, env: Environment, spec: PcieSpec, name: Resource, credits: CreditsSpec) -> None:
        super().__init__(env, spec, name)
        self.posted = CreditPool(credits.posted_headers)
        self.data = CreditPool(credits.posted_data)
        self.nonposted = CreditPool(credits.nonposted_headers)
        self._return_time = credits.return_time
        self._last: list[Held] = []
        self._idle = Idle()  # while packets wait

    def put(self, wire: int, data: int = 0) -> int:
        """See PcieDirection. Sends a packet with `data` bytes, or a request without data."""
        now = self._calendar.now
        start = max(self._free, now)
        if data:
            units = data_credits(data)
            start = self.data.earliest(units, self.posted.earliest(1, start))
            self._last = [self.posted.take(1, start, now), self.data.take(units, start, now)]
        else:
            start = self.nonposted.earliest(1, start)
            self._last = [self.nonposted.take(1, start, now)]
        self._idle.add(self._free, start, now)
        time = self._spec.time(wire)
        self._free = start + time
        self._busy += time
        self.packets += 1
        return self._free

    def busy_until(self, now: int) -> int:
        """See PcieDirection."""
        return self._busy - max(0, self._free - now) + self._idle.ahead(now)

    def left(self, at: int) -> None:
        """The last packet leaves the receiver's buffer at `at` (ps)."""
        for held in self._last:
            held.until = at + self._return_time
