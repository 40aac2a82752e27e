"""Quantities in and out: "66 MHz", "12.5 us", "64 KiB".

Inside, everything is a plain number in the base unit of its kind: time in integer picoseconds, frequency in Hz, size in
bytes, rates in bit/s or byte/s. Rounding to whole base units happens once, when a number is read, half to even.
"""

from netsim.units.constants import (
    GBIT_S,
    GHZ,
    GIB,
    KBIT_S,
    KHZ,
    KIB,
    MBIT_S,
    MEBIBIT,
    MHZ,
    MIB,
    MS,
    NS,
    PS_PER_S,
    US,
    S,
)
from netsim.units.fields import (
    BitRate,
    ByteRate,
    Bytes,
    Clocks,
    Count,
    Cycles,
    Fraction,
    Frequency,
    NonNegativeCount,
    PositiveBytes,
    PositiveTime,
    Quantity,
    Ratio,
    Time,
)
from netsim.units.kinds import KINDS, UnitKind
from netsim.units.rates import KBYTE_PER_S, MBIT_PER_S, TPS, RateUnit
from netsim.units.reading import Exact, parse
from netsim.units.swept import Split, Swept, telling
from netsim.units.writing import format_quantity, format_rate, format_time, text

__all__ = [
    "GBIT_S",
    "GHZ",
    "GIB",
    "KBIT_S",
    "KBYTE_PER_S",
    "KHZ",
    "KIB",
    "KINDS",
    "MBIT_PER_S",
    "MBIT_S",
    "MEBIBIT",
    "MHZ",
    "MIB",
    "MS",
    "NS",
    "PS_PER_S",
    "TPS",
    "US",
    "BitRate",
    "ByteRate",
    "Bytes",
    "Clocks",
    "Count",
    "Cycles",
    "Exact",
    "Fraction",
    "Frequency",
    "NonNegativeCount",
    "PositiveBytes",
    "PositiveTime",
    "Quantity",
    "RateUnit",
    "Ratio",
    "S",
    "Split",
    "Swept",
    "Time",
    "UnitKind",
    "format_quantity",
    "format_rate",
    "format_time",
    "parse",
    "telling",
    "text",
]
