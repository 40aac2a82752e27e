"""Numbers as the page and its pictures print them: as many digits as are known, and a minus that is one."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
_UNITS = {"us": "μs", "Mb/s (2^20 bit/s)": "Mb/s (2²⁰ bit/s)"}


def two(number: float, sign: str = "") -> str:
    """Two digits, those before the point all; with `sign` "+" its sign, whatever it is."""
    size = abs(number)
    decimals = 0 if size >= 9.95 else 1 if size >= 0.995 else 2
    return minus(f"{number:{sign}.{decimals}f}")


def known(number: float, half_width: float) -> str:
    """As far as an interval leaves its digits known: to the second one of its half-width, to hundredths at most."""
    if half_width <= 0:
        return minus(f"{number:.2f}")
    return minus(f"{number:.{min(2, max(0, 1 - math.floor(math.log10(half_width))))}f}")


def minus(text: str) -> str:
    """Text with real minus signs."""
    return text.replace("-", MINUS)


def unit(name: str) -> str:
    """A row's unit in print."""
    return _UNITS.get(name, name)
