"""A number in base units as text: exactly, so that it reads back, or rounded for a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction as Exactly
from functools import lru_cache

from netsim.units.quantities import QUANTITIES, QuantityRule


@lru_cache(maxsize=4096, typed=True)  # 5 and 5.0 are equal, but written differently if large
def text(quantity: str, value: float) -> str:
    """A base-unit number as text that reads back to exactly the same number."""
    return format_quantity(quantity, value, digits=None)


def format_quantity(quantity: str, value: float, digits: int | None = 4) -> str:
    """A base-unit number with a human unit, to that many significant `digits` (None: exactly)."""
    if not math.isfinite(value):
        return str(value)  # a mean of nothing, in a table
    units = QUANTITIES[quantity].units or {"": 1}
    symbol, scale = _unit_for(QUANTITIES[quantity], units, value)
    exact = Exactly(value) / scale
    return f"{_digits(exact, value, scale, digits)} {symbol}".rstrip()


def _unit_for(rule: QuantityRule, units: Mapping[str, int], value: float) -> tuple[str, int]:
    if value == 0:
        return ("s", 1) if "s" in units else [*units.items()][-1]
    for symbol, scale in units.items():
        if abs(value) >= scale and not (rule.divides and value % scale):
            return symbol, scale
    return [*units.items()][-1]


def _digits(exact: Exactly, value: float, scale: int, digits: int | None) -> str:
    if digits is not None:
        return f"{float(exact):.{digits}g}" if abs(exact) < 10**digits else str(round(exact))
    if scale == 1:
        return repr(value).removesuffix(".0")
    whole, rest = divmod(abs(round(value)), scale)
    sign = "-" if value < 0 else ""
    if scale % 10:
        return f"{sign}{whole}"
    return f"{sign}{whole}.{rest:0{len(str(scale)) - 1}d}".rstrip("0").rstrip(".")


def format_time(ps: float, digits: int | None = 4) -> str:
    """Picoseconds for a table, such as "12.5 us"."""
    return format_quantity("time", ps, digits)


def format_rate(bit_s: float, digits: int | None = 4) -> str:
    """Bit/s for a table, such as "94.1 Mbit/s"."""
    return format_quantity("bit_rate", bit_s, digits)


def decimals(value: float, least: int = 2) -> int:
    """The decimals of a number in a table: the `least`, but three significant digits below a tenth, where these would
    lose them."""
    if not 0 < abs(value) < 0.1:
        return least
    return max(least, 2 - math.floor(math.log10(abs(value))))


def fixed(value: float, least: int = 2) -> str:
    """A number with that many `decimals`."""
    return f"{value:.{decimals(value, least)}f}"
