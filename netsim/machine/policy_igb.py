"""The adaptive rules of Linux's igb: by packet size with several vectors, and by latency classes with one.

Source: drivers/net/ethernet/intel/igb/igb_main.c (5.10): igb_update_ring_itr, igb_update_itr, igb_set_itr and
igb_write_itr; igb.h. Values there are in quarters of a microsecond; the register has whole microseconds.
"""

from __future__ import annotations

from typing import Final

from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.policy_e1000e import BULK, LOW, LOWEST, class_of
from netsim.units.constants import US

_START: Final = 648  # about 6,000 interrupts per second
ITR: Final = (56, 196, 980)  # by class: 70,000, 20,000 and 4,000
_REGISTER: Final = 0x7FFC
_CONSERVATIVE: Final = 3  # the mode without lowest latency
_BESIDE: Final = 24  # bytes of FCS, preamble and gap
_MOST: Final = 3000  # bytes
_SHORT: Final = 1500  # bytes: fewer of them end the bulk class
_MIDDLE: Final = (300, 1200)  # bytes: frames between these sizes have a shorter interval
_GIGABIT: Final = 1000  # Mbit/s


def ring_itr(received: tuple[int, int], sent: tuple[int, int]) -> int:
    """The interval by the larger mean size of the two directions; 0: no packet came or was sent."""
    each = max([nbytes // packets for packets, nbytes in (received, sent) if packets], default=0)
    if not each:
        return 0
    size = min(each + _BESIDE, _MOST)
    return size // (3 if _MIDDLE[0] < size < _MIDDLE[1] else 2)


def igb_class(old: int, packets: int, nbytes: int) -> int:
    """The class as in e1000e, but fewer bytes end the bulk class."""
    if old == BULK and packets and nbytes <= 25000:
        return LOW if nbytes < _SHORT else old
    return class_of(old, packets, nbytes)


class IgbRule(InterruptPolicy):
    """In mode 3 it never allows more than 20,000 interrupts per second. Below 1 Gbit/s it allows 4,000."""

    def __init__(self, mbit_per_s: int, mode: int, vectors: int) -> None:
        super().__init__(interval(_START), 0)
        self._slow = mbit_per_s < _GIGABIT
        self._least = ITR[LOW] if mode == _CONSERVATIVE else 0
        self._alone = vectors == 1
        self._rx = self._tx = LOWEST

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy."""
        value = self._wanted(received, sent)
        if value:
            self.interval = interval(max(value, self._least))

    def _wanted(self, received: tuple[int, int], sent: tuple[int, int]) -> int:
        if self._slow:
            return ITR[BULK]
        if not self._alone:
            return ring_itr(received, sent)
        self._tx = igb_class(self._tx, sent[0], sent[1])
        self._rx = igb_class(self._rx, received[0], received[1])
        return ITR[max(self._rx, self._tx)]


def interval(value: int) -> int:
    """ps, in the register's resolution: at least a microsecond."""
    return ((value & _REGISTER) or 4) * US // 4
