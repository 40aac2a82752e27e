"""The adaptive rule of Linux's e1000e, per interrupt: drivers/net/ethernet/intel/e1000e/netdev.c (5.17),
e1000_update_itr and e1000_set_itr. The rates are 70,000, 20,000 and 4,000 interrupts per second."""

from __future__ import annotations

from typing import Final

from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.units.constants import PS_PER_S

LOWEST, LOW, BULK = 0, 1, 2  # latency classes
RATES: Final = (70_000, 20_000, 4_000)  # interrupts per second
_START: Final = 20_000
_CONSERVATIVE: Final = 3  # the mode without lowest latency
_GIGABIT: Final = 1000  # Mbit/s


def class_of(old: int, packets: int, nbytes: int) -> int:
    """The latency class after an interrupt with `packets` packets and `nbytes` bytes of one direction."""
    if not packets:
        return old
    each = nbytes // packets
    if old == LOWEST:
        return BULK if each > 8000 else LOW if packets < 5 and nbytes > 512 else old
    if old == LOW:
        return _from_low(packets, nbytes, each)
    if nbytes > 25000:
        return LOW if packets > 35 else old
    return LOW if nbytes < 6000 else old


def _from_low(packets: int, nbytes: int, each: int) -> int:
    if nbytes > 10000:
        if each > 8000 or packets < 10 or each > 1200:
            return BULK
        return LOWEST if packets > 35 else LOW
    if each > 2000:
        return BULK
    return LOWEST if packets <= 2 and nbytes < 512 else LOW


class E1000eRule(InterruptPolicy):
    """Received and sent packets each have a class, and the higher one decides. The rate falls at once; it rises by a
    quarter of the new rate at a time. In mode 3 the class of lowest latency has the rate of the next one. Below 1
    Gbit/s there are no classes, only the rate of bulk."""

    def __init__(self, mbit_per_s: int, mode: int) -> None:
        super().__init__(PS_PER_S // _START, 0)
        self._slow = mbit_per_s < _GIGABIT
        self._mode = mode
        self._rate = _START
        self._rx = self._tx = LOWEST

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy."""
        wanted = RATES[BULK if self._slow else self._higher(received, sent)]
        if wanted != self._rate:
            self._rate = min(self._rate + (wanted >> 2), wanted) if wanted > self._rate else wanted
            self.interval = PS_PER_S // self._rate

    def _higher(self, received: tuple[int, int], sent: tuple[int, int]) -> int:
        """The higher of both directions' next classes."""
        self._tx = self._class(self._tx, sent)
        self._rx = self._class(self._rx, received)
        return max(self._rx, self._tx)

    def _class(self, old: int, seen: tuple[int, int]) -> int:
        found = class_of(old, seen[0], seen[1])
        return LOW if self._mode == _CONSERVATIVE and found == LOWEST else found
