"""Descriptions of interrupt moderation: a class for each policy, which makes its moderator (netsim.nic.moderation)."""

from __future__ import annotations

from math import ceil, inf
from typing import Annotated, Literal

from pydantic import Field

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.nic.moderation import (
    AbsoluteDelayModerator,
    AdaptiveModerator,
    CountOrTickModerator,
    CountOrTimeModerator,
    Interrupt,
    MinimumGapModerator,
    Moderator,
    PacketDelayModerator,
)
from netsim.spec import Spec
from netsim.units import Count, PositiveTime, Time


class NoModeration(Spec):
    """An interrupt for each event, at once."""

    policy: Literal["none"] = "none"

    @property
    def wait(self) -> int:
        """The time (ps) that a lone event waits for its interrupt."""
        return 0

    def interval(self, events: int) -> float:
        """ps from one interrupt to the next with an event every `events` ps; infinite: there is no interrupt.

        The driver is assumed to see the events that an interrupt covers at once, and no others.
        """
        return events

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator | None:
        """The part that raises `interrupt` in a running simulation; None: every event raises it directly."""
        return None


class AbsoluteDelay(Spec):
    """An interrupt `delay` after the first event that has not been reported."""

    policy: Literal["absolute-delay"] = "absolute-delay"
    delay: PositiveTime

    @property
    def wait(self) -> int:
        return self.delay

    def interval(self, events: int) -> float:
        return -(-self.delay // events) * events

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(AbsoluteDelayModerator)(env, interrupt, name, self)


class PacketDelay(Spec):
    """An interrupt once there has been no event for `delay`, but no later than `limit` after the first that has not
    been reported (0: no limit). Intel 8254x: RDTR and RADV for frames received, TIDV and TADV for frames sent.
    `runs_on`: a look by the driver does not stop the timer, so the interrupt is raised even if nothing is left to
    report."""

    policy: Literal["packet-delay"] = "packet-delay"
    delay: PositiveTime
    limit: Time = 0
    runs_on: bool = False

    @property
    def wait(self) -> int:
        return min(self.delay, self.limit or self.delay)

    def interval(self, events: int) -> float:
        if events >= self.wait:
            return events
        return -(-self.limit // events) * events if self.limit else inf

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(PacketDelayModerator)(env, interrupt, name, self)


class MinimumGap(Spec):
    """No interrupt within `gap` of the previous one; an event after that is reported at once. Intel 8254x: ITR."""

    policy: Literal["minimum-gap"] = "minimum-gap"
    gap: PositiveTime

    @property
    def wait(self) -> int:
        return 0

    def interval(self, events: int) -> float:
        return max(events, self.gap)

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(MinimumGapModerator)(env, interrupt, name, self)


class CountOrTime(Spec):
    """An interrupt after `frames` frames, or `time` after the first unreported one, whichever comes first. Linux:
    rx-frames and rx-usecs."""

    policy: Literal["count-or-time"] = "count-or-time"
    frames: Count
    time: PositiveTime

    @property
    def wait(self) -> int:
        return 0 if self.frames == 1 else self.time

    def interval(self, events: int) -> float:
        return min(self.frames, -(-self.time // events)) * events

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(CountOrTimeModerator)(env, interrupt, name, self)


class CountOrTick(Spec):
    """An interrupt after `frames` frames, or at the next tick of a free-running clock with this `period`, whichever
    comes first. All clocks start with the simulation, so those with the same period tick together. Tigon: coalescing
    counts and ticks of each ring, in its firmware's versions 12.3.10 and 12.4.11 (Linux 2.2.14 and 2.2.16,
    drivers/net/acenic_firmware.h, tigon2Fw: loops at 0x7b0c and 0x809c, which count 5 us at a time)."""

    policy: Literal["count-or-tick"] = "count-or-tick"
    frames: Count
    period: PositiveTime

    @property
    def wait(self) -> int:
        """On average: the clock takes no notice of the event."""
        return 0 if self.frames == 1 else self.period // 2

    def interval(self, events: int) -> float:
        """On average; at each tick the count begins anew."""
        return max(events, self.period / ceil(self.period / events / self.frames))

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(CountOrTickModerator)(env, interrupt, name, self)


class Adaptive(Spec):
    """A minimum `gap` under load, else an interrupt for each event: a `period` is under load if the previous one had
    more than `frames` frames."""

    policy: Literal["adaptive"] = "adaptive"
    gap: PositiveTime
    frames: Count
    period: PositiveTime

    @property
    def wait(self) -> int:
        return 0

    def interval(self, events: int) -> float:
        """As NoModeration's, for a whole number of events in a period."""
        return max(events, self.gap) if self.period // events > self.frames else events

    def moderator(self, env: Environment, interrupt: Interrupt, name: Resource) -> Moderator:
        return env.part(AdaptiveModerator)(env, interrupt, name, self)


Moderation = Annotated[
    NoModeration | AbsoluteDelay | PacketDelay | MinimumGap | CountOrTime | CountOrTick | Adaptive,
    Field(discriminator="policy"),
]
NONE = NoModeration()
