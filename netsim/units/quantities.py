"""The kinds of numbers: the units in which each is written and shown, and its limits.

Nothing is unlimited: a time is at most a million seconds, a size a pebibyte. Parts that a simulation builds, entries
of its tables, and times between repeated events have closer limits (`parts`, `ring`, `interval`), because each one
costs memory or time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from netsim.units.constants import GIB, KIB, MIB


@dataclass(frozen=True)
class QuantityRule:
    """A kind of number: its base unit, the units it is shown in (largest first), and the numbers that are allowed."""

    name: str
    base: str = ""  # in pint's words; empty if the number has no unit
    units: Mapping[str, int] | None = None  # symbol -> base units
    bare: bool = False  # a number without unit is clear
    whole: bool = True
    lowest: int = 0
    highest: float = 10**6
    or_none: bool = False  # 0 is allowed, too, although it is below the lowest: there is none
    divides: bool = False  # shown in a larger unit only where it divides without rest

    @property
    def allowed(self) -> str:
        """What a user may write, for messages."""
        number = "a whole number" if self.bare and self.whole else "a number"
        with_unit = f"a number with {', '.join([*(self.units or {})][::-1])}"
        if not self.bare:
            return with_unit
        return f"{number}, or {with_unit}" if self.units else f"{number}, {self.range}"

    @property
    def range(self) -> str:
        """The limits, for messages."""
        if self.lowest == 1 and self.base:
            return f"above 0, up to {self._limit(self.highest)}"
        return f"{'0, or ' if self.or_none else ''}{self._limit(self.lowest)} to {self._limit(self.highest)}"

    def allows(self, number: float) -> bool:
        """Whether it is within the limits."""
        return self.lowest <= number <= self.highest or (self.or_none and number == 0)

    def _limit(self, number: float) -> str:
        """A limit in the largest unit that divides it."""
        fits = (f"{number // size} {unit}" for unit, size in (self.units or {}).items() if number and not number % size)
        return next(fits, str(number))


_TOP = 10**18  # so fast that it takes no time, for ideal machines


def _decimal(symbol: str, *prefixes: str) -> dict[str, int]:
    return {prefix + symbol: 10 ** (3 * power) for power, prefix in reversed(list(enumerate(prefixes)))}


QUANTITIES: dict[str, QuantityRule] = {
    "time": QuantityRule("a time", "picosecond", _decimal("s", "p", "n", "u", "m", ""), highest=10**18),
    "frequency": QuantityRule("a frequency", "hertz", _decimal("Hz", "", "k", "M", "G"), lowest=1, highest=_TOP),
    "bytes": QuantityRule(
        "a size", "byte", {"GiB": GIB, "MiB": MIB, "KiB": KIB, "B": 1}, bare=True, divides=True, highest=2**50
    ),
    "bit_rate": QuantityRule("a bit rate", "bit/second", _decimal("bit/s", "", "k", "M", "G"), lowest=1, highest=_TOP),
    "byte_rate": QuantityRule("a byte rate", "byte/second", _decimal("B/s", "", "k", "M", "G"), lowest=1, highest=_TOP),
    "cycles": QuantityRule(
        "a number of processor cycles", "cycle", {"cycles": 1}, bare=True, whole=False, highest=10**12
    ),
    "count": QuantityRule("a count", bare=True, lowest=1),
    "clocks": QuantityRule("a number of clocks", bare=True),
    "ratio": QuantityRule("a ratio", bare=True, whole=False),
    "fraction": QuantityRule("a fraction", bare=True, whole=False, highest=1),
}
# IEEE 802.3 allows 1e-4 on every medium: no receiver has to follow a clock that is ten times as far off.
QUANTITIES["clock_tolerance"] = replace(QUANTITIES["fraction"], name="the tolerance of a clock", highest=1e-3)
QUANTITIES["non_negative_count"] = replace(QUANTITIES["count"], lowest=0)
QUANTITIES["positive_time"] = replace(QUANTITIES["time"], lowest=1)
QUANTITIES["positive_bytes"] = replace(QUANTITIES["bytes"], lowest=1)
QUANTITIES["message_bytes"] = replace(QUANTITIES["bytes"], name="the size of a message", lowest=1, highest=GIB)
# Each packet of a device's transfer is simulated.
QUANTITIES["transfer_bytes"] = replace(QUANTITIES["positive_bytes"], name="the size of a transfer", highest=64 * KIB)
# Memories of cards, and thresholds in them: as large as the largest window of TCP (RFC 1323, 2.2).
QUANTITIES["buffer"] = replace(QUANTITIES["bytes"], name="the size of a buffer", highest=GIB)
QUANTITIES["positive_buffer"] = replace(QUANTITIES["buffer"], lowest=1)
# Data that accompany a frame. A length in a descriptor or a header has 16 bits.
QUANTITIES["descriptor"] = replace(QUANTITIES["bytes"], name="the size of a descriptor", highest=2**16)
QUANTITIES["positive_descriptor"] = replace(QUANTITIES["descriptor"], lowest=1)
QUANTITIES["header"] = replace(QUANTITIES["descriptor"], name="the size of a header")
QUANTITIES["positive_header"] = replace(QUANTITIES["header"], lowest=1)
QUANTITIES["width"] = replace(QUANTITIES["positive_descriptor"], name="the width of a bus", highest=1024)
# Every IP module accepts 68 bytes, which hold the longest headers; total lengths have 16 bits (RFC 791, 3.1 and 3.2).
QUANTITIES["mtu"] = replace(QUANTITIES["bytes"], name="an MTU", lowest=68, highest=2**16 - 1)
# Plain numbers, from IEEE 802.3's smallest frame on.
QUANTITIES["frame"] = replace(QUANTITIES["count"], name="the size of a frame", lowest=64, highest=2**16)
QUANTITIES["parts"] = replace(QUANTITIES["count"], name="a number of parts", highest=1000)
# PCI 2.2, 6.2.4: the register Interrupt Line has 8 bits, and 255 stands for none.
QUANTITIES["irq"] = replace(QUANTITIES["count"], name="the number of an interrupt line", highest=254)
QUANTITIES["ring"] = replace(QUANTITIES["count"], name="the size of a ring", highest=2**16)
# A frame has up to 64 Ki bursts: as many times this stay well below the highest time.
QUANTITIES["burst_time"] = replace(QUANTITIES["time"], name="a time for each burst", highest=10**12)
# A target forgets after this many what it has fetched for a master that does not come again (PCI 2.2, 3.3.3.3.3).
QUANTITIES["retry_clocks"] = replace(QUANTITIES["clocks"], name="clocks from one attempt to the next", highest=2**15)
# PCI 2.2, 6.2.4: the register Latency Timer has 8 bits.
QUANTITIES["latency_timer"] = replace(QUANTITIES["clocks"], name="a latency timer", highest=255)
# A frame takes this many for each of its bytes or words: 64 KiB of them stay below the highest number of cycles.
QUANTITIES["unit_cycles"] = replace(QUANTITIES["cycles"], name="cycles for each byte or word", highest=10**4)
QUANTITIES["interval"] = replace(QUANTITIES["time"], name="an interval", lowest=10**6)
QUANTITIES["period"] = replace(QUANTITIES["interval"], name="a period", or_none=True)
