"""Numbers in base units that every quantity accepts without a unit, and that stay so when a user computes with them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from netsim.errors import plain


class InBaseUnits:
    """What is computed from such a number: its products and quotients with plain numbers, and sums and differences of
    two of them, are in base units, too. They are not rounded here, because this happens once, when a quantity is read.
    What has other units is a plain number: the product or quotient of two of them, and one divided by one. So is
    0.5 * Exact(3), unlike Exact(3) * 0.5, because a float multiplies whole numbers without asking them."""

    __array_priority__ = -1.0  # above NumPy's numbers, which leave operations to it, and below its arrays

    def __mul__(self, factor: object) -> Any:
        return _scaled(operator.mul, self, factor)

    def __rmul__(self, factor: object) -> Any:
        return _scaled(operator.mul, self, factor)

    def __truediv__(self, divisor: object) -> Any:
        return _scaled(operator.truediv, self, divisor)

    def __floordiv__(self, divisor: object) -> Any:
        return _scaled(operator.floordiv, self, divisor)

    def __add__(self, other: object) -> Any:
        return _joined(operator.add, self, other)

    def __radd__(self, other: object) -> Any:
        return _joined(operator.add, self, other)

    def __sub__(self, other: object) -> Any:
        return _joined(operator.sub, self, other)

    def __round__(self, digits: Any = None) -> Any:
        return _marked(round(_unmarked(self), digits))


class Exact(InBaseUnits, int):
    """A whole number already in base units: `Exact(bus.clock)`, and what `Spec.get` returns. 2 * Exact(3) is
    Exact(6)."""


class Inexact(InBaseUnits, float):
    """A number in base units that was computed from an Exact, and need not be whole: Exact(3) * 0.5 is
    Inexact(1.5)."""


def _scaled(operation: Callable[[Any, Any], Any], number: InBaseUnits, factor: object) -> Any:
    factor = plain(factor)
    if not isinstance(factor, int | float):
        return NotImplemented  # an array or a fraction, for example, which knows what to do
    result = operation(_unmarked(number), _unmarked(factor))
    return result if isinstance(factor, InBaseUnits) else _marked(result)


def _joined(operation: Callable[[Any, Any], Any], number: InBaseUnits, other: object) -> Any:
    other = plain(other)
    if not isinstance(other, int | float):
        return NotImplemented
    result = operation(_unmarked(number), _unmarked(other))
    return _marked(result) if isinstance(other, InBaseUnits) or other == 0 else result  # 0 is 0 in any unit: sum()


def _unmarked(number: Any) -> int | float:
    return float(number) if isinstance(number, float) else int(number)


def _marked(number: int | float) -> Exact | Inexact:
    return Exact(number) if isinstance(number, int) else Inexact(number)
