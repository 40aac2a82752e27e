"""A PCI-X bus with a chipset behind it, as a card in one of its slots sees it.

A transaction is: one clock of turnaround, the address phase, the attribute phase (the requester and the number of
bytes), the target response, and a data phase of one clock for each bus width, without wait states after the first one
(PCI-X 1.0a, chapter 2). Writes are posted. A read ends with a Split Response, in place of its first data phase, and
leaves the bus; the bridge sends the Split Completions when memory has answered. A card requests up to `max_read` bytes
at once (its maximum memory read byte count) and has up to `outstanding` such sequences under way.

The card that has the bus keeps it until its latency timer, which counts from the address phase, has run out, and then
to the next disconnect boundary.

Not modelled: where in memory a transfer begins (here at a boundary), simultaneous sequences of two frames (those of one
frame are modelled), transactions that the bridge has to retry, parity errors.
"""

from __future__ import annotations

from typing import Literal

from netsim.bus.bus_spec import Way
from netsim.bus.clocked_slot import ClockedSlot
from netsim.bus.split_spec import ADB, LONGEST, SplitSpec
from netsim.bus.tenure import Tenure
from netsim.units import PS_PER_S

MaxRead = Literal[512, 1024, 2048, 4096]  # values of the PCI-X command register
Outstanding = Literal[1, 2, 3, 4, 8, 12, 16, 32]

_TURNAROUND = 1  # idle clock between transactions
_ADDRESS = 1
_ATTRIBUTE = 1
_RESPONSE = 1  # the target response of a card that claims an access at once (decode A)
_SPLIT = 1  # the data phase in which a target signals Split Response


class PcixSlot(ClockedSlot):
    """A PCI-X bus as seen by a master that reads up to `max_read` bytes in a sequence, and has up to `outstanding`
    sequences under way."""

    max_read: MaxRead = 512
    outstanding: Outstanding = 1

    # ---- transactions ----

    @property
    def split(self) -> SplitSpec:
        """How the bridge splits reads."""
        assert self.chipset.split is not None
        return self.chipset.split

    @property
    def start_clocks(self) -> int:
        """Clocks of a transaction before its first data phase."""
        return _TURNAROUND + _ADDRESS + _ATTRIBUTE + self.split.decode

    def sequences(self, nbytes: int, write: bool, max_burst: int | None = None) -> list[int]:
        """Bytes of each sequence, as the master requests or writes them."""
        return _pieces(nbytes, min(max_burst or LONGEST, LONGEST if write else self.max_read))

    def _carriers(self, nbytes: int, write: bool, max_burst: int | None) -> list[int]:
        """Bytes of each transaction that carries data."""
        sequences = self.sequences(nbytes, write, max_burst)
        return sequences if write else [own for one in sequences for own in _pieces(one, self.split.completion)]

    def _data(self, nbytes: int) -> int:
        """Clocks of the data phases for `nbytes`."""
        return -(-nbytes // self.width)

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """The number of transactions that carry data."""
        return len(self._carriers(nbytes, write, max_burst))

    # ---- transfers ----

    def _time_of(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        carriers = self._carriers(nbytes, write, max_burst)
        clocks = sum(self.start_clocks + self._data(own) for own in carriers)
        if write:
            return max(self.clocks(clocks), self.chipset.stream_time(max(0, nbytes - self.chipset.post)))
        requests = len(self.sequences(nbytes, write, max_burst))
        return self.clocks(clocks + requests * (self.start_clocks + _SPLIT))

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps for which a read leaves the bus to others: until memory has answered, except for the read's other
        transactions meanwhile."""
        if write:
            return 0
        return max(0, self._whole_time(nbytes, max_burst) - self.transfer_time(nbytes, write, max_burst))

    def _whole_time(self, nbytes: int, max_burst: int | None) -> int:
        """ps of a read alone on the bus. The first requests go out together, each later one after the completion that
        makes room for it. A completion begins with its first data, and never waits for further data."""
        asked: list[int] = []  # when each request had been sent
        free = there = 0  # when the bus is free, and when the bridge has the data so far
        sequences = self.sequences(nbytes, False, max_burst)
        at_once, request = min(self.outstanding, self.split.outstanding), _scaled(self.start_clocks + _SPLIT)
        for number, size in enumerate(sequences):
            while len(asked) < min(number + at_once, len(sequences)):
                free += request
                asked.append(free)
            there = max(there, asked[number] + self.chipset.memory_time * self.clock)
            for own in _pieces(size, self.split.completion):
                end = max(free, there) + _scaled(self.start_clocks + self._data(own))
                there += self.chipset.stream_time(own) * self.clock
                free = max(end, there)
        return round(free / self.clock)

    # ---- leaving the bus to others ----

    def _outlasts(self, write: bool, max_burst: int) -> bool:
        """Whether a transaction may outlast the latency timer."""
        longest = max(self._carriers(min(max_burst, LONGEST), write, max_burst), default=0)
        return self.start_clocks - _TURNAROUND + self._data(longest) > self.latency_timer

    def restart_time(self, write: bool, max_burst: int) -> int:
        """0 if the master's transactions are shorter than the latency timer."""
        return self.clocks(self.start_clocks) if self._outlasts(write, max_burst) else 0

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """The master leaves at the next disconnect boundary after its latency timer has run out."""
        restart = self.restart_time(write, max_burst)
        least = max(self.clocks(_TURNAROUND + self.latency_timer), restart + self.clocks(1))
        lead, step = self.clocks(self.start_clocks), self.clocks(self._data(ADB))
        return Tenure(restart, least=least, lead=lead, step=step) if restart else Tenure(0, least=least)

    # ---- a processor's accesses ----

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus; each access has one data phase, whatever its width. Cards answer at once, and don't split."""
        around = _TURNAROUND + _ADDRESS + _ATTRIBUTE + 1
        read, write = self.whole_clocks(self.register_read_time), self.whole_clocks(self.register_write_time)
        waits = reads * max(_RESPONSE, read) + writes * max(_RESPONSE, write)
        return self.clocks((reads + writes) * around + waits)


def _scaled(clocks: int) -> int:
    """`clocks` in units of ps times Hz, in which clocks are whole numbers."""
    return clocks * PS_PER_S


def _pieces(nbytes: int, most: int) -> list[int]:
    """Pieces of up to `most` bytes each."""
    return [min(most, nbytes - start) for start in range(0, nbytes, most)]
