"""Overruns: a receive FIFO smaller than a frame overflows in mid-frame, because the bus does not empty it in time.

A chip stores bursts from its threshold on; here they are one train, late enough to end when the last of them does.
Until the bus is requested for the train, the chip has kept up: a threshold is in the FIFO. From then on the FIFO fills
at the wire's rate up to the last bit, and empties while the chip has the bus, in bursts as long as it allows, because
they get longer as it fills. It does not get below a threshold: a chip that has caught up waits for the next one.

Not modelled: the descriptor that the chip writes for a lost frame, and the driver's work for it. A frame lost only
because others have the bus takes its whole time there, as its chip has stored most of it.
"""

from __future__ import annotations

from typing import final

from netsim.bus import Slot, Transaction
from netsim.ethernet import Medium
from netsim.ethernet.frame import FCS
from netsim.nic.receiver_spec import ReceiverSpec


@final
class Overruns:
    """The FIFO of one receiver, while it stores a frame that is larger. Its level is in ps of the wire."""

    __slots__ = ("_last_bit", "_length", "_level", "_link", "_over", "_rates", "_room", "_seen", "_since", "_spec",
                 "_threshold", "_times")

    def __init__(self, spec: ReceiverSpec, seen: Slot, link: Medium) -> None:
        self._spec = spec
        self._seen = seen
        self._link = link
        self._room = link.time(spec.rx_fifo)
        self._threshold = link.time(spec.rx_threshold)
        self._times: dict[int, tuple[int, int]] = {}  # ps in which a frame arrives, and is stored, by size
        self._rates = 1, 1  # these two of the current frame
        self._last_bit = 0  # of it: when it arrives (ps)
        self._level = 0
        self._since = 0  # when it had that level (ps)
        self._length = 0  # ps of the tenure since then; 0: it waits for its first one
        self._over = False

    def _both(self, size: int) -> tuple[int, int]:
        found = self._times.get(size)
        if found is None:
            stored = self._seen.transfer_time(size - FCS, True, min(self._spec.rx_burst, self._spec.rx_fifo))
            found = self._times[size] = self._link.time(size), stored
        return found

    def alone(self, size: int, lead: int) -> int:
        """ps from the request, which is `lead` ps before the last bit, until a frame overruns the FIFO even on an
        otherwise idle bus; 0: it does not."""
        wire, stored = self._both(size)
        if stored <= wire:
            return 0
        over = (self._room - self._threshold + 1) * stored // (stored - wire) + 1
        return over if over <= lead else 0

    def begin(self, size: int, now: int, last_bit: int) -> None:
        """The bus is requested `now` for a frame of `size` bytes, whose last bit comes at `last_bit` (ps)."""
        self._rates, self._last_bit = self._both(size), last_bit
        self._level, self._since, self._length = self._threshold, now, 0

    def granted(self, dma: Transaction) -> None:
        """The bus is granted, for all of the transfer or for what an earlier tenure has left."""
        length, taken = dma.end - dma.start, 0
        if self._length > length:
            taken = self._length - length
            self._pass(min(dma.start, self._since + taken), taken)
        self._pass(dma.start, 0)
        self._length = length

    def over(self, now: int) -> bool:
        """The transfer is over `now`: whether the frame has overrun the FIFO."""
        self._pass(now, self._length)
        over, self._over, self._last_bit = self._over, False, 0
        return over

    def _pass(self, until: int, taken: int) -> None:
        """Up to `until` (ps), the chip has had the bus for `taken` ps, evenly distributed."""
        span = min(until, self._last_bit) - self._since
        if span > 0:
            wire, stored = self._rates
            emptied = span * taken * wire // ((until - self._since) * stored)
            self._level = max(self._level + span - emptied, self._threshold)
            self._over = self._over or self._level > self._room
        self._since = until
