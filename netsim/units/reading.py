"""A user's value as a number in base units: rounded once, half to even, and within its limits."""

from __future__ import annotations

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction as Exactly
from functools import lru_cache

from netsim.errors import ScenarioError, show
from netsim.units.exact import Exact, InBaseUnits
from netsim.units.pint_units import in_base_units
from netsim.units.quantities import QUANTITIES, QuantityRule

NUMBER = r"[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3}|/[1-9]\d*)?"  # 12.5, 1e-6, 1_000, 100/3
TEXT = re.compile(rf"\s*({NUMBER})\s*([^\d\s].{{0,60}}|1 ?/.{{1,60}})?\s*")
_NEXT_UNIT = 1000  # from here on people would take the next one


def bare(text: str) -> int | float | str:
    """A number without a unit, as it may be typed, or the text itself."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def parse(quantity: str, value: object) -> int | float:
    """A user's value (text with a unit, a pint Quantity, a bare number where that is clear) in base units.

    Raises ScenarioError, naming the value and what is allowed.
    """
    rule = QUANTITIES[quantity]
    if isinstance(value, str):
        return _of_text(quantity, value)
    if type(value) is int and rule.bare and rule.allows(value):  # as most bare numbers are
        return value if rule.whole else float(value)
    if isinstance(value, Exact) and rule.whole and rule.allows(value):
        return int(value)
    if isinstance(value, InBaseUnits) and (number := exactly(value)) is not None:
        return _checked(rule, number, value)
    if hasattr(value, "magnitude") and hasattr(value, "units"):
        number = _from_text(quantity, f"{value.magnitude} {value.units:D}")
    else:
        number = _from_number(quantity, value)
    return _checked(rule, number, value)


@lru_cache(maxsize=4096)
def _of_text(quantity: str, text: str) -> int | float:
    return _checked(QUANTITIES[quantity], _from_text(quantity, text), text)


def _from_text(quantity: str, text: str) -> Exactly:
    rule, match = QUANTITIES[quantity], TEXT.fullmatch(text)
    if match is None:
        raise _refusal(rule, text)
    number, unit = Exactly(match[1]), match[2]
    if unit is None:
        return _from_number(quantity, number, text)
    factor = _base_units(rule, unit.strip())
    if factor is None:
        raise _refusal(rule, text)
    return number * factor


def _base_units(rule: QuantityRule, unit: str) -> Exactly | int | None:
    """The size of a unit in base units: from the rule if it is one of the units shown, without pint, which takes long
    to import."""
    known = (rule.units or {}).get(unit)
    return in_base_units(unit, rule.base) if known is None and rule.base else known


def _from_number(quantity: str, value: object, shown: object = None) -> Exactly:
    rule, shown = QUANTITIES[quantity], value if shown is None else shown
    number = exactly(value)
    if number is None:
        raise _refusal(rule, shown)
    if not rule.bare and not (number == 0 and rule.allows(0)):
        example = _example(rule, number, shown)
        raise ScenarioError(f"{show(shown)} needs a unit, such as {example}; allowed: {rule.allowed}")
    if rule.bare and rule.whole and number.denominator != 1:
        raise _refusal(rule, shown)
    return number


def _example(rule: QuantityRule, number: Exactly, shown: object) -> str:
    """With the unit in the middle; with the base unit if the number is so large that it was probably computed in it."""
    units = [*(rule.units or {}).items()]
    (symbol, scale), (base, _) = units[(len(units) - 1) // 2], units[-1]
    likely = f"{str(shown).strip()} {symbol}"
    computed = f"{number if number.denominator == 1 else shown} {base}"
    lost = " (get(...) * 0.5 keeps its unit, 0.5 * get(...) loses it)" * isinstance(shown, float)
    if number >= scale:
        return f'"{computed}"{lost}'
    return f'"{likely}"' + f', or "{computed}" if it was computed from get(){lost}' * (number >= _NEXT_UNIT)


def exactly(value: object) -> Exactly | None:
    """A number as an exact fraction; None for anything else, and for an infinite or undefined number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return None
    try:
        if isinstance(value, numbers.Integral):
            return Exactly(int(value))  # numpy's would overflow
        return Exactly(value) if isinstance(value, Decimal | numbers.Rational) else Exactly(float(value))
    except (TypeError, ValueError, OverflowError):  # numpy's durations call themselves integers
        return None


def _checked(rule: QuantityRule, number: Exactly, value: object) -> int | float:
    """Rounded once, half to even, and within the limits."""
    try:
        result = round(number) if rule.whole else float(number)
    except OverflowError:
        result = math.inf
    if number < 0 or not rule.allows(result):
        raise ScenarioError(f"{show(value)} is out of range for {rule.name}; allowed: {rule.range}")
    return result


def _refusal(rule: QuantityRule, value: object) -> ScenarioError:
    return ScenarioError(f"{show(value)} is not {rule.name}; allowed: {rule.allowed}")
