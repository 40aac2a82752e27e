"""The adaptive rule of Linux's i40e: it aims at 56 to 112 packets per interrupt, and uses their size when they are few
or very many.

Source: drivers/net/ethernet/intel/i40e/i40e_txrx.c (5.10): i40e_update_itr, i40e_itr_divisor, i40e_update_enable_itr.
"""

from __future__ import annotations

from typing import Final

from netsim.machine.interrupt_policy import InterruptPolicy, usecs

_LEAST, _MOST, _STEP = 2, 126, 2  # us
_LATENCY: Final = 0x8000  # a flag above the microseconds: few packets came
_MASK: Final = _LATENCY - 1
_START: Final = 50  # us: 20,000 interrupts per second
_COUNTDOWN: Final = 3  # interrupts after a change that are ignored
_FEW, _LOW, _HIGH, _BY_SIZE = 4, 56, 112, 256  # packets of an interrupt
_BULK: Final = 32  # packets sent above which latency does not matter
_SHORT: Final = 9000  # bytes
# Divisors for values of the mean size, by the lowest rate (Mbit/s) to which they apply: values are 256 times too large
# at 10 Gbit/s.
_DIVISORS: Final = ((40_000, 1024), (20_000, 512), (2_500, 256), (0, 32))


def size_itr(each: int, latency: bool, mbit_per_s: int) -> int:
    """The interval (us) for packets of this mean size (bytes), without the flag; may exceed the maximum."""
    if each <= 60:
        value = 4096
    elif each <= 380:
        value = each * 40 + 1696
    elif each <= 1084:
        value = each * 15 + 11452
    elif each <= 1980:
        value = each * 5 + 22420
    else:
        value = 32256
    if latency:
        value //= 2
    divisor = max([divisor for least, divisor in _DIVISORS if mbit_per_s >= least])
    return -(-value // (_STEP * divisor)) * _STEP


class _Direction:
    """One direction's interval (us): the register's value, and the target, with the flag."""

    __slots__ = ("current", "due", "target")

    def __init__(self) -> None:
        self.current = self.target = _START
        self.due = 1  # the last jiffy in which an update is in time


class I40eRule(InterruptPolicy):
    """Each direction has its own interval. An interrupt changes only one of them: first one that becomes shorter, that
    of received packets before that of sent ones; otherwise the one that grows more. The three interrupts after a change
    are ignored. A direction last looked at more than a `jiffy` (ps) ago begins again: received packets with the
    shortest interval, sent ones with the longest."""

    def __init__(self, mbit_per_s: int, jiffy: int) -> None:
        super().__init__(usecs(_START), 0)
        self._rate = mbit_per_s
        self._jiffy = jiffy
        self._rx, self._tx = _Direction(), _Direction()
        self._countdown = 0

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy. The interval of the direction just seen holds back the next interrupt."""
        jiffies = now // self._jiffy
        self._look(self._tx, sent, jiffies)
        self._look(self._rx, received, jiffies)
        self._change()
        self.interval = usecs((self._rx if received[0] or not sent[0] else self._tx).current & _MASK)

    def _look(self, one: _Direction, seen: tuple[int, int], jiffies: int) -> None:
        if jiffies > one.due:
            one.target = (_LEAST if one is self._rx else _MOST) | _LATENCY
        elif not self._countdown:
            one.target = self._wanted(one, seen[0], seen[1])
        one.due = jiffies + 1

    def _wanted(self, one: _Direction, packets: int, nbytes: int) -> int:
        rx, tx = self._rx, self._tx
        if one is rx:
            if packets and packets < _FEW and nbytes < _SHORT and tx.target & _LATENCY:
                return self._by_size(_LATENCY, packets, nbytes)
        elif packets < _FEW:
            if one.target == _MOST and rx.target & _MASK == _MOST:
                return _MOST | _LATENCY
        elif packets > _BULK:
            one.target &= _MASK
        if packets < _LOW:
            return _capped(one.target + _STEP)
        if packets > _BY_SIZE:
            return self._by_size(0, packets, nbytes)
        current = min(rx.current, tx.current) & _MASK
        return current if packets <= _HIGH else max(current // 2, _LEAST)

    def _by_size(self, flag: int, packets: int, nbytes: int) -> int:
        return _capped(flag + size_itr(nbytes // packets, flag > 0, self._rate))

    def _change(self) -> None:
        """Change one of the two registers, if any."""
        rx, tx = self._rx, self._tx
        if rx.target < rx.current:
            changed = rx
        elif tx.target < tx.current or rx.target - rx.current < tx.target - tx.current:
            changed = tx
        elif rx.target != rx.current:
            changed = rx
        else:
            self._countdown = max(0, self._countdown - 1)
            return
        changed.current = changed.target
        self._countdown = _COUNTDOWN


def _capped(itr: int) -> int:
    return itr if itr & _MASK <= _MOST else (itr & _LATENCY) + _MOST
