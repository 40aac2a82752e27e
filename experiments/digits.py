"""Numbers as the page and its pictures print them: only digits that are known, and a real minus sign."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
_UNITS = {"us": "μs", "Mb/s (2^20 bit/s)": "Mb/s (2²⁰ bit/s)"}


def two(number: float, sign: str = "") -> str:
    """Two significant digits, but all of those before the point; with `sign` "+" always with its sign."""
    size = abs(number)
    decimals = 0 if size >= 9.95 else 1 if size >= 0.995 else 2
    return minus(f"{number:{sign}.{decimals}f}")


def known(number: float, half_width: float) -> str:
    """Rounded to what an interval leaves known: the second digit of its half-width, hundredths at most."""
    if half_width <= 0:
        return minus(f"{number:.2f}")
    return minus(f"{number:.{min(2, max(0, 1 - math.floor(math.log10(half_width))))}f}")


def minus(text: str) -> str:
    """Text with real minus signs."""
    return text.replace("-", MINUS)


def unit(name: str) -> str:
    """A row's unit as printed."""
    return _UNITS.get(name, name)
