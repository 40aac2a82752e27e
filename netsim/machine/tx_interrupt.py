"""When a driver asks for an interrupt with a frame that it sends: one policy a class. How long the chip holds it back
then is another matter (netsim.nic.moderation_spec)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from netsim.spec import Spec
from netsim.units import Bytes, Count


class EveryFrame(Spec):
    """A transmit interrupt for each frame."""

    policy: Literal["every-frame"] = "every-frame"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """Whether the frame that enters the ring at `entry`, behind `queued` others, is to cause an interrupt."""
        return True


class EveryNth(Spec):
    """A transmit interrupt for each n-th frame."""

    policy: Literal["every-nth"] = "every-nth"
    n: Count

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        return entry % self.n == 0


class HalfRing(Spec):
    """A transmit interrupt when just half the ring is waiting, at the ring's last entry, and when it is nearly full."""

    policy: Literal["half-ring"] = "half-ring"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        return queued == ring // 2 or queued >= ring - 2 or entry == ring - 1


class QueueDrain(Spec):
    """The transmit interrupt asked for with a frame is called off when the next one follows, unless that one fills the
    ring: so it comes when the queue is empty, or one frame before the end of a full ring."""

    policy: Literal["queue-drain"] = "queue-drain"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        return queued == ring - 2


class EndOfList(Spec):
    """No frame asks for one: the chip raises it when it has come to the end of its list."""

    policy: Literal["end-of-list"] = "end-of-list"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        return False


class WhenRoom(Spec):
    """None, unless the card has no room for another frame: then one when there is some again. What has been moved there
    is done with, so its buffer is free at once (3c509.c, el3_start_xmit). With `free` there is room as long as more
    than so many bytes of the card's FIFO are free, and again as soon as so many are (0: by the driver's ring)."""

    policy: Literal["when-room"] = "when-room"
    free: Bytes = 0

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        return False


TxInterrupt = Annotated[
    EveryFrame | EveryNth | HalfRing | QueueDrain | EndOfList | WhenRoom, Field(discriminator="policy")
]


def table(policy: TxInterrupt, ring: int) -> list[list[bool]]:
    """`wants` for every entry of a ring and every number of frames queued before: `table[entry][queued]`."""
    return [[policy.wants(queued, entry, ring) for queued in range(ring)] for entry in range(ring)]
