"""What a number can be: in which units each is written and shown, and within which limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from netsim.units.constants import GIB, KIB, MIB


@dataclass(frozen=True)
class QuantityRule:
    """What a number can be: its base unit, the units it is shown in (largest first), and which numbers are allowed."""

    name: str
    base: str = ""  # in pint's words; empty if the number has no unit
    units: Mapping[str, int] | None = None  # symbol -> base units
    bare: bool = False  # a number without unit is clear
    whole: bool = True
    lowest: int = 0
    highest: int | None = None
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
        """Between which limits, for messages."""
        if self.highest is not None:
            return f"{self.lowest} to {self.highest}"
        return "above 0" if self.lowest == 1 and self.base else f"{self.lowest} or more"


def _decimal(symbol: str, *prefixes: str) -> dict[str, int]:
    return {prefix + symbol: 10 ** (3 * power) for power, prefix in reversed(list(enumerate(prefixes)))}


QUANTITIES: dict[str, QuantityRule] = {
    "time": QuantityRule("a time", "picosecond", _decimal("s", "p", "n", "u", "m", "")),
    "frequency": QuantityRule("a frequency", "hertz", _decimal("Hz", "", "k", "M", "G"), lowest=1),
    "bytes": QuantityRule("a size", "byte", {"GiB": GIB, "MiB": MIB, "KiB": KIB, "B": 1}, bare=True, divides=True),
    "bit_rate": QuantityRule("a bit rate", "bit/second", _decimal("bit/s", "", "k", "M", "G"), lowest=1),
    "byte_rate": QuantityRule("a byte rate", "byte/second", _decimal("B/s", "", "k", "M", "G"), lowest=1),
    "cycles": QuantityRule("a number of processor cycles", "cycle", {"cycles": 1}, bare=True, whole=False),
    "count": QuantityRule("a count", bare=True, lowest=1),
    "clocks": QuantityRule("a number of clocks", bare=True),
    "ratio": QuantityRule("a ratio", bare=True, whole=False),
    "fraction": QuantityRule("a fraction", bare=True, whole=False, highest=1),
}
QUANTITIES["non_negative_count"] = replace(QUANTITIES["count"], lowest=0)
QUANTITIES["positive_time"] = replace(QUANTITIES["time"], lowest=1)
QUANTITIES["positive_bytes"] = replace(QUANTITIES["bytes"], lowest=1)
