"""Larger units in base units, for code: `5 * US`, `64 * KIB`."""

from typing import Final

PS_PER_S: Final = 10**12
NS, US, MS, S = 10**3, 10**6, 10**9, 10**12  # in picoseconds
KHZ, MHZ, GHZ = 10**3, 10**6, 10**9  # in hertz
KIB, MIB, GIB = 2**10, 2**20, 2**30  # in bytes
MEBIBIT = 2**20  # bit: what NetPIPE calls a megabit
KBIT_S, MBIT_S, GBIT_S = 10**3, 10**6, 10**9  # in bit/s
