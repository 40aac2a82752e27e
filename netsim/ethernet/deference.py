"""What one station hears, and when that lets it send (IEEE 802.3, 4.2.8: process Deference).

A station that waits for the end of carrier continues to wait for the gap. Carrier that comes back in the gap's first
part starts it again, unless the station had been sending itself in what came to an end; carrier in the second part is
ignored, as is any in a gap after its own sending. A station that waits when the gap ends starts, whatever it hears;
else carrier makes it defer again.

At equal times: a station that hears carrier at the moment it wants to send defers, unless its gap ends just then;
carrier at the end of the gap's first part is in the second; carrier that comes as other carrier goes leaves no gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from netsim.ethernet.mac import Mac

NEVER: Final = 1 << 60  # ps: not known yet, or not at all
# When a station is ready, or starts, is one number with the station's own in its last bits: such numbers sort by time,
# then by station.
INDEX_BITS: Final = 12
INDEX: Final = (1 << INDEX_BITS) - 1


class Signal:
    """What one station sends in one go: preamble and frame, or preamble, fragment and jam; a burst is one, too.

    `heard` is when another one's signal reaches the station while it sends. `end` is right once it is `settled`; before
    that another station can still reach this one, or reach it earlier.
    """

    __slots__ = ("end", "heard", "index", "mac", "settled", "start")

    def __init__(self, mac: Mac, start: int, end: int) -> None:
        self.mac = mac
        self.index = mac.index
        self.start = start
        self.end = end
        self.heard = NEVER
        self.settled = False


def earliest_start(signals: Sequence[Signal], mac: Mac, ready: int, gap: int, part_1: int) -> int:
    """When a station that wants to send from `ready` on may start (ps), as far as `signals` say, which are all that it
    has heard by then: NEVER if that depends on when one of them ends, which isn't known."""
    distance, quiet = mac.distance, -NEVER  # when carrier ends
    past = ready - gap
    for one in signals:
        away = distance[one.index]
        if one.start + away > past:
            break
        end = one.end + away if one.settled else NEVER
        if end > quiet:
            quiet = end
    else:  # any gap between these is over by then
        return NEVER if quiet >= NEVER else quiet + gap if quiet + gap > ready else ready
    return _in_order(signals, mac, ready, gap, part_1)


def _in_order(signals: Sequence[Signal], mac: Mac, ready: int, gap: int, part_1: int) -> int:
    """The same, one signal and one gap after the other."""
    distance, own = mac.distance, mac.index
    heard = sorted(
        [
            (one.start + distance[one.index], one.end + distance[one.index] if one.settled else NEVER, one.index == own)
            for one in signals
        ]
    )
    quiet = -NEVER  # when carrier ends
    sent = False  # the station itself was among it
    for begin, end, mine in heard:
        if begin <= quiet or (begin < quiet + part_1 and not sent):
            quiet = max(quiet, end)
            sent = sent or mine
            continue
        free = quiet + gap
        if ready <= free:
            return free
        if ready < begin:
            return ready
        quiet, sent = end, mine
    return max(quiet + gap, ready) if quiet < NEVER else NEVER
