"""Quantities in and out: "66 MHz", "12.5 us", "64 KiB".

Inside, everything is a plain number in the base unit of its kind: time in integer picoseconds, frequency in Hz, size in
bytes, rates in bit/s or byte/s. Rounding to whole base units happens once, here, half to even. pint does the units; it
is imported when the first text is read, and knows only the units defined below, so that nothing odd is understood.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction as Exactly
from functools import lru_cache
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from netsim.errors import ScenarioError, show

PS_PER_S = 10**12
NS, US, MS, S = 10**3, 10**6, 10**9, 10**12  # in picoseconds
KHZ, MHZ, GHZ = 10**3, 10**6, 10**9  # in hertz
KIB, MIB, GIB = 2**10, 2**20, 2**30  # in bytes
KBIT_S, MBIT_S, GBIT_S = 10**3, 10**6, 10**9  # in bit/s

DEFINITIONS = """
second = [time] = s
hertz = 1 / second = Hz
bit = [information]
byte = 8 * bit = B
cycle = [cycle]
giga- = 1e9 = G-
mega- = 1e6 = M-
kilo- = 1e3 = k-
milli- = 1e-3 = m-
micro- = 1e-6 = u- = µ- = μ-
nano- = 1e-9 = n-
pico- = 1e-12 = p-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
"""
NUMBER = r"[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3}|/[1-9]\d*)?"  # 12.5, 1e-6, 1_000, 100/3
TEXT = re.compile(rf"\s*({NUMBER})\s*([^\d\s].{{0,60}}|1 ?/.{{1,60}})?\s*")


class Exact(int):
    """A whole number already in base units, for code that hands one spec's number to another: `Exact(bus.clock)`."""


@dataclass(frozen=True)
class Kind:
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


KINDS: dict[str, Kind] = {
    "time": Kind("a time", "picosecond", _decimal("s", "p", "n", "u", "m", "")),
    "frequency": Kind("a frequency", "hertz", _decimal("Hz", "", "k", "M", "G"), lowest=1),
    "bytes": Kind("a size", "byte", {"GiB": GIB, "MiB": MIB, "KiB": KIB, "B": 1}, bare=True, divides=True),
    "bit_rate": Kind("a bit rate", "bit/second", _decimal("bit/s", "", "k", "M", "G"), lowest=1),
    "byte_rate": Kind("a byte rate", "byte/second", _decimal("B/s", "", "k", "M", "G"), lowest=1),
    "cycles": Kind("a number of processor cycles", "cycle", {"cycles": 1}, bare=True, whole=False),
    "count": Kind("a count", bare=True, lowest=1),
    "clocks": Kind("a number of clocks", bare=True),
    "fraction": Kind("a fraction", bare=True, whole=False, highest=1),
}
KINDS["non_negative_count"] = replace(KINDS["count"], lowest=0)
KINDS["positive_time"] = replace(KINDS["time"], lowest=1)
KINDS["positive_bytes"] = replace(KINDS["bytes"], lowest=1)


def parse(kind: str, value: object) -> int | float:
    """A user's value (text with a unit, a pint Quantity, a bare number where that is clear) in base units.

    Raises ScenarioError, naming the value and what is allowed.
    """
    rule = KINDS[kind]
    if isinstance(value, Exact):
        number: Exactly = Exactly(int(value))
    elif isinstance(value, str):
        number = _from_text(kind, value)
    elif hasattr(value, "magnitude") and hasattr(value, "units"):
        number = _from_text(kind, f"{value.magnitude} {value.units:D}")
    else:
        number = _from_number(kind, value)
    return _checked(rule, number, value)


@lru_cache(maxsize=4096)
def _from_text(kind: str, text: str) -> Exactly:
    rule, match = KINDS[kind], TEXT.fullmatch(text)
    if match is None:
        raise _refusal(rule, text)
    number, unit = Exactly(match[1]), match[2]
    if unit is None:
        return _from_number(kind, number, text)
    if not rule.base:
        raise _refusal(rule, text)
    return number * _in_base_units(rule, unit.strip(), text)


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint  # here, because it takes a tenth of a second

    registry: Any = pint.UnitRegistry(None, non_int_type=Exactly)
    for line in DEFINITIONS.split("\n"):
        if line:
            registry.define(line)
    return registry


def _in_base_units(rule: Kind, unit: str, text: str) -> Exactly:
    registry = _registry()
    try:
        return Exactly(registry.Quantity(Exactly(1), registry.parse_units(unit)).to(rule.base).magnitude)
    except Exception:  # pint's parser answers odd text with anything from AssertionError to TokenError
        raise _refusal(rule, text) from None


def _from_number(kind: str, value: object, shown: object = None) -> Exactly:
    rule, shown = KINDS[kind], value if shown is None else shown
    number = _exactly(value)
    if number is None:
        raise _refusal(rule, shown)
    if not rule.bare and (number != 0 or rule.lowest > 0):
        symbols = [*(rule.units or {})]
        example = f"{str(shown).strip()} {symbols[(len(symbols) - 1) // 2]}"
        raise ScenarioError(f'{show(shown)} needs a unit, such as "{example}"; allowed: {rule.allowed}')
    if rule.bare and rule.whole and number.denominator != 1:
        raise _refusal(rule, shown)
    return number


def _exactly(value: object) -> Exactly | None:
    """A number as it is, without loss; None for anything else, and for what is infinite or not a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return None
    try:
        if isinstance(value, numbers.Integral):
            return Exactly(int(value))  # numpy's would overflow
        return Exactly(value) if isinstance(value, Decimal | numbers.Rational) else Exactly(float(value))
    except (ValueError, OverflowError):
        return None


def _checked(rule: Kind, number: Exactly, value: object) -> int | float:
    """Rounded once, half to even, and within the limits."""
    try:
        result = round(number) if rule.whole else float(number)
    except OverflowError:
        result = math.inf
    if number < 0 or result == math.inf or result < rule.lowest or (rule.highest is not None and result > rule.highest):
        raise ScenarioError(f"{show(value)} is out of range for {rule.name}; allowed: {rule.range}")
    return result


def _refusal(rule: Kind, value: object) -> ScenarioError:
    return ScenarioError(f"{show(value)} is not {rule.name}; allowed: {rule.allowed}")


def text(kind: str, value: float) -> str:
    """A base-unit number as text that reads back to exactly the same number."""
    return format_quantity(kind, value, digits=None)


def format_quantity(kind: str, value: float, digits: int | None = 4) -> str:
    """A base-unit number with a human unit, to so many significant digits (None: exactly)."""
    if not math.isfinite(value):
        return str(value)  # a mean of nothing, in a table
    units = KINDS[kind].units or {"": 1}
    symbol, scale = _unit_for(KINDS[kind], units, value)
    exact = Exactly(value) / scale
    return f"{_digits(exact, value, scale, digits)} {symbol}".rstrip()


def _unit_for(rule: Kind, units: Mapping[str, int], value: float) -> tuple[str, int]:
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


@dataclass(frozen=True)
class Quantity:
    """Marks a spec's field as a number of one kind: `gap: Annotated[int, Quantity("time")]`."""

    kind: str

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read with `parse`; written as text with a unit (or a bare number if it has none) in JSON and TOML."""
        written = core_schema.plain_serializer_function_ser_schema(self.written, when_used="json")
        return core_schema.no_info_plain_validator_function(self.read, serialization=written)

    def read(self, value: object) -> int | float:
        return parse(self.kind, value)

    def written(self, value: float) -> str | float:
        return text(self.kind, value) if KINDS[self.kind].units else value


Time = Annotated[int, Quantity("time")]
PositiveTime = Annotated[int, Quantity("positive_time")]
Frequency = Annotated[int, Quantity("frequency")]
Bytes = Annotated[int, Quantity("bytes")]
PositiveBytes = Annotated[int, Quantity("positive_bytes")]
BitRate = Annotated[int, Quantity("bit_rate")]
ByteRate = Annotated[int, Quantity("byte_rate")]
Cycles = Annotated[float, Quantity("cycles")]
Count = Annotated[int, Quantity("count")]
NonNegativeCount = Annotated[int, Quantity("non_negative_count")]
Clocks = Annotated[int, Quantity("clocks")]
Fraction = Annotated[float, Quantity("fraction")]
