"""When a driver requests an interrupt with a frame that it sends: one policy per class. The chip may then hold it back
(netsim.nic.moderation_spec)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from netsim.spec import Spec
from netsim.units import Bytes, Count


class TxInterruptSpec(Spec):
    """A policy requests interrupts at certain entries of the ring, and behind certain numbers of queued frames."""

    def at_entry(self, entry: int, ring: int) -> bool:
        """Whether a frame that enters the ring at `entry` is to cause an interrupt, regardless of the number queued."""
        return False

    def behind(self, queued: int, ring: int) -> bool:
        """Whether a frame that enters the ring behind `queued` others is to cause one, regardless of the entry."""
        return False


class EveryFrame(TxInterruptSpec):
    """A transmit interrupt for each frame."""

    policy: Literal["every-frame"] = "every-frame"

    def at_entry(self, entry: int, ring: int) -> bool:
        return True


class EveryNth(TxInterruptSpec):
    """A transmit interrupt for each n-th frame."""

    policy: Literal["every-nth"] = "every-nth"
    n: Count

    def at_entry(self, entry: int, ring: int) -> bool:
        return entry % self.n == 0


class HalfRing(TxInterruptSpec):
    """A transmit interrupt when exactly half the ring is waiting, at the ring's last entry, and when it is nearly
    full."""

    policy: Literal["half-ring"] = "half-ring"

    def at_entry(self, entry: int, ring: int) -> bool:
        return entry == ring - 1

    def behind(self, queued: int, ring: int) -> bool:
        return queued == ring // 2 or queued >= ring - 2


class QueueDrain(TxInterruptSpec):
    """The transmit interrupt requested with a frame is cancelled when the next frame follows, unless that frame fills
    the ring. So the interrupt comes when the queue is empty, or one frame before the end of a full ring."""

    policy: Literal["queue-drain"] = "queue-drain"

    def behind(self, queued: int, ring: int) -> bool:
        return queued == ring - 2


class EndOfList(TxInterruptSpec):
    """No frame requests one: the chip raises it when it reaches the end of its list."""

    policy: Literal["end-of-list"] = "end-of-list"


class Countdown(TxInterruptSpec):
    """No frame requests one: with each frame the driver sets a countdown on the card to the time that the wire needs
    for all bytes not taken back yet, or for `least` bytes, and again when it has taken back some of them. The
    interrupt comes when that has passed (3c90x.c, SetCountDownTimer)."""

    policy: Literal["countdown"] = "countdown"
    least: Bytes


class WhenRoom(TxInterruptSpec):
    """None, unless the card has no room for another frame: then one as soon as it has room again. The driver has
    finished with a frame moved to the card, and its buffer is free at once (3c509.c, el3_start_xmit). With `free` the
    card has room while more than `free` bytes of its FIFO are free, and again as soon as `free` bytes are (0: by the
    driver's ring)."""

    policy: Literal["when-room"] = "when-room"
    free: Bytes = 0


TxInterrupt = Annotated[
    EveryFrame | EveryNth | HalfRing | QueueDrain | EndOfList | Countdown | WhenRoom, Field(discriminator="policy")
]


def tables(policy: TxInterrupt, ring: int) -> tuple[list[bool], list[bool]]:
    """`at_entry` for each entry of a ring, and `behind` for each number of frames queued before."""
    return [policy.at_entry(n, ring) for n in range(ring)], [policy.behind(n, ring) for n in range(ring)]
