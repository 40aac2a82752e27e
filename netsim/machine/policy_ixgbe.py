"""The adaptive rules of Linux's ixgbe: the current one, which aims at several tens of packets per interrupt, and the
older one with three classes of latency.

Sources: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c, ixgbe_update_itr and ixgbe_set_itr, of 5.17 and of 3.x.
Intervals there are in the register's units, quarters of a microsecond.
"""

from __future__ import annotations

from typing import Final

from netsim.machine.interrupt_policy import InterruptPolicy, usecs
from netsim.units.constants import US

_LEAST, _MOST, _STEP = 10, 126, 2  # us
_LATENCY: Final = 0x80  # a flag above the microseconds: few packets came
_START: Final = 50  # us: 20,000 interrupts per second
_BY_SIZE: Final = 256  # packets: from this number on, their size decides
_FULL_RATE: Final = 10_000  # Mbit/s

_CLASSES: Final = (40, 200, 500)  # quarters of a microsecond: lowest, low and bulk latency
_LOWEST, _LOW, _BULK = 0, 1, 2
_REGISTER: Final = 0xFF8  # the register's bits


def by_size(each: int, latency: bool, mbit_per_s: int) -> int:
    """The interval (us) for packets of this mean size (bytes), without the flag."""
    if each <= 60:
        value = 5120
    elif each <= 316:
        value = each * 40 + 2720
    elif each <= 1084:
        value = each * 15 + 11452
    elif each < 1968:
        value = each * 5 + 22420
    else:
        value = 32256
    if latency:
        value >>= 1
    if mbit_per_s >= _FULL_RATE:
        return -(-value // (_STEP * 256)) * _STEP
    return -(-min(value, 8064) // (_STEP * 64)) * _STEP


def next_itr(current: int, packets: int, nbytes: int, mbit_per_s: int) -> int:
    """The next interval (us, with the flag) after an interrupt with `packets` packets of one direction, at `current`
    us."""
    if packets < 4 and nbytes < 9000:
        return _LATENCY + by_size(nbytes // packets, True, mbit_per_s)
    if packets < 48:
        return min(current + _STEP, _MOST)
    if packets < 96:
        return current
    if packets < _BY_SIZE:
        return max(current >> 1, _LEAST)
    return by_size(nbytes // packets, False, mbit_per_s)


class IxgbeRule(InterruptPolicy):
    """Each direction has its own interval, and the shorter one counts. A direction last looked at more than a `jiffy`
    (ps) ago gets the shortest one of low latency: traffic that comes so rarely needs no moderation, and traffic that
    keeps the poll going for that long is already moderated."""

    def __init__(self, mbit_per_s: int, jiffy: int) -> None:
        super().__init__(usecs(_START), 0)
        self._rate = mbit_per_s
        self._jiffy = jiffy
        self._current = _START
        self._rx = self._tx = _LEAST | _LATENCY
        self._rx_next = self._tx_next = 1  # jiffies

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy."""
        jiffies = now // self._jiffy
        self._tx = self._updated(self._tx, self._tx_next, sent, jiffies)
        self._rx = self._updated(self._rx, self._rx_next, received, jiffies)
        self._tx_next = self._rx_next = jiffies + 1
        self._current = min(self._rx, self._tx) & (_LATENCY - 1)
        self.interval = usecs(self._current)

    def _updated(self, old: int, due: int, seen: tuple[int, int], jiffies: int) -> int:
        if jiffies > due:
            return _LEAST | _LATENCY
        if not seen[0]:
            return min(self._current + _STEP, _MOST) + (old & _LATENCY)
        return next_itr(self._current, seen[0], seen[1], self._rate)


class IxgbeClassRule(InterruptPolicy):
    """Classes by bytes per microsecond of the last interval: lowest latency (100,000 interrupts per second) up to 10,
    low (20,000) up to 20, bulk (8,000) above. The higher class of both directions decides, and the interval approaches
    its value by steps of a tenth, in whole units, which round down the last steps."""

    def __init__(self) -> None:
        super().__init__(usecs(_START), 0)
        self._itr = 4 * _START
        self._rx = self._tx = _LOWEST

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy."""
        self._tx = self._class(self._tx, sent)
        self._rx = self._class(self._rx, received)
        wanted = _CLASSES[max(self._rx, self._tx)]
        if wanted != self._itr:
            self._itr = 10 * wanted * self._itr // (9 * wanted + self._itr)
            self.interval = (self._itr & _REGISTER) * US // 4

    def _class(self, old: int, seen: tuple[int, int]) -> int:
        rate = seen[1] // max(1, self._itr >> 2)
        if not seen[0]:
            return old
        if old == _LOWEST:
            return _LOW if rate > 10 else old
        if old == _LOW:
            return _BULK if rate > 20 else _LOWEST if rate <= 10 else old
        return _LOW if rate <= 20 else old
