"""The signals that one station hears, and when it may send (IEEE 802.3, 4.2.8: process Deference).

A station that waits for the end of carrier then waits for the gap. Carrier that returns in the first part of the gap
restarts it, unless the station itself was sending before the gap; carrier in the second part is ignored, as is any
carrier in a gap after the station's own signal. A station that waits when the gap ends starts, whatever it hears;
otherwise carrier makes it defer again.

At equal times: a station that becomes ready at the moment at which carrier reaches it starts, because sensing it takes
some bit times. (Two stations with equal backoff meet in this way behind a third one's frame: the slot time is there for
them to collide.) Carrier at the end of the gap's first part is in the second; carrier that begins as other carrier ends
leaves no gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from netsim.ethernet.mac import Mac

NEVER: Final = 1 << 60  # ps: not known yet, or not at all
# One number holds the time when a station is ready, or starts, and the station's own number in its last bits: such
# numbers sort by time, then by station.
INDEX_BITS: Final = 12
INDEX: Final = (1 << INDEX_BITS) - 1


class Signal:
    """One continuous transmission of a station: preamble and frame; or preamble, fragment and jam; or a burst.

    `heard` is when another signal reaches the station while it sends. `end` is final once it is `settled`; before that
    another signal can still reach this station, or reach it earlier.
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
    """When a station that is `ready` to send may start (ps), according to `signals`, which are all that it has heard by
    then: NEVER if that depends on the end of one of them that isn't known yet."""
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
    """The same, signal by signal and gap by gap."""
    distance, own = mac.distance, mac.index
    heard = sorted(
        [
            (one.start + distance[one.index], one.end + distance[one.index] if one.settled else NEVER, one.index == own)
            for one in signals
        ]
    )
    quiet = -NEVER  # when carrier ends
    sent = False  # the station's own signal was among it
    for begin, end, mine in heard:
        if begin <= quiet or (begin < quiet + part_1 and not sent):
            quiet = max(quiet, end)
            sent = sent or mine
            continue
        free = quiet + gap
        if ready <= free:
            return free
        if ready <= begin:
            return ready
        quiet, sent = end, mine
    return max(quiet + gap, ready) if quiet < NEVER else NEVER
