"""A number with a value for every point of a sweep.

It replaces a number in a spec, and the formulas that read the spec compute all points at once, with numpy. The results
are those of the formula for each point alone, to the last bit: whole numbers stay exact however large they get, and are
divided as Python divides them. Where points would take different paths (a condition, a loop over a count, a key of a
table, a word in a message), no single answer is right. A Split then says which values distinguish them, and the caller
begins again with each group alone (netsim.explore).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WHOLE = 2**63  # below this numpy has whole numbers
_EXACT = 2**53  # up to this they are exact as floats, too
_GROWTH: dict[object, Callable[[int, int], int]] = {
    operator.add: operator.add,
    operator.sub: operator.add,
    operator.mul: operator.mul,
}
_DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_telling: ContextVar[bool] = ContextVar("telling", default=False)


class Split(BaseException):  # not an Exception: handlers of errors let it through
    """`values`, an array over the points, distinguish groups that have to continue separately; `told`: in a text."""

    def __init__(self, values: NDArray[Any], *, told: bool = False) -> None:
        super().__init__()
        self.values, self.told = values, told


@contextmanager
def telling() -> Iterator[None]:
    """Within it, the text of a Swept is that of its first point, for a message about all points."""
    token = _telling.set(True)
    try:
        yield
    finally:
        _telling.reset(token)


class Swept:
    """`values` are whole numbers, floats or truth values over the points; along a dimension of length 1, one value is
    that of all points."""

    __slots__ = ("_largest", "values")
    __array_ufunc__ = None  # numpy's own numbers leave operations to this class

    def __init__(self, values: NDArray[Any], largest: int | None = None) -> None:
        self.values = values
        self._largest = largest  # no whole number here is larger, whatever its sign

    # ---- what a formula does with a number ----

    def __add__(self, other: object) -> Any:
        return _apply(operator.add, self, other)

    def __radd__(self, other: object) -> Any:
        return _apply(operator.add, other, self)

    def __sub__(self, other: object) -> Any:
        return _apply(operator.sub, self, other)

    def __rsub__(self, other: object) -> Any:
        return _apply(operator.sub, other, self)

    def __mul__(self, other: object) -> Any:
        return _apply(operator.mul, self, other)

    def __rmul__(self, other: object) -> Any:
        return _apply(operator.mul, other, self)

    def __truediv__(self, other: object) -> Any:
        return _apply(operator.truediv, self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _apply(operator.truediv, other, self)

    def __floordiv__(self, other: object) -> Any:
        return _apply(operator.floordiv, self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return _apply(operator.floordiv, other, self)

    def __mod__(self, other: object) -> Any:
        return _apply(operator.mod, self, other)

    def __rmod__(self, other: object) -> Any:
        return _apply(operator.mod, other, self)

    def __divmod__(self, other: object) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[Any, Any]:
        return other // self, other % self

    def __neg__(self) -> Swept:
        return Swept(-_number(self).values, self._largest)

    def __abs__(self) -> Swept:
        return Swept(abs(_number(self).values), self._largest)

    def __round__(self, digits: None = None) -> Swept:
        """Half to even, as Python rounds."""
        if self.whole:
            return Swept(_number(self).values, self._largest)
        rounded = np.rint(self.values)
        if np.abs(rounded).max() < _WHOLE:
            return Swept(rounded.astype(np.int64))
        return _result(np.array([int(one) for one in rounded.flat], object).reshape(rounded.shape))

    def __lt__(self, other: object) -> Any:
        return _apply(operator.lt, self, other)

    def __le__(self, other: object) -> Any:
        return _apply(operator.le, self, other)

    def __gt__(self, other: object) -> Any:
        return _apply(operator.gt, self, other)

    def __ge__(self, other: object) -> Any:
        return _apply(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return _apply(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _apply(operator.ne, self, other)

    # ---- where it has to be one number ----

    @property
    def one(self) -> Any:
        """The number, if it is the same everywhere. Raises Split."""
        if (self.values == self.values.item(0)).all():
            return self.values.item(0)
        raise Split(self.values)

    def __bool__(self) -> bool:
        true = self.values != 0
        if true.all() or not true.any():
            return bool(true.item(0))
        raise Split(true)

    def __index__(self) -> int:
        return operator.index(self.one)

    def __int__(self) -> int:
        return int(self.one)

    def __float__(self) -> float:
        return float(self.one)

    def __hash__(self) -> int:
        return hash(self.one)

    def __repr__(self) -> str:
        return repr(self._told())

    def __str__(self) -> str:
        return str(self._told())

    def __format__(self, how: str) -> str:
        return format(self._told(), how)

    def _told(self) -> Any:
        if _telling.get():
            return self.values.item(0)
        try:
            return self.one
        except Split as split:
            raise Split(split.values, told=True) from None

    # ---- how large it is ----

    @property
    def whole(self) -> bool:
        """Whether these are whole numbers, or truth values."""
        return self.values.dtype.kind in "iOb"

    @property
    def largest(self) -> int:
        """A whole number that no absolute value here exceeds."""
        return self.measured() if self._largest is None else self._largest

    def measured(self) -> int:
        """The largest absolute value."""
        self._largest = int(np.max(np.abs(self.values)))
        return self._largest


def _number(value: object) -> Any:
    """A Swept with numbers to compute with; None for what is no number."""
    if isinstance(value, Swept):
        return Swept(value.values.astype(np.int64), 1) if value.values.dtype.kind == "b" else value
    if isinstance(value, bool | np.bool_):
        value = int(value)
    if isinstance(value, int | np.integer):
        return Swept(np.asarray(value, np.int64 if abs(int(value)) < _WHOLE else object), abs(int(value)))
    return Swept(np.asarray(value, float)) if isinstance(value, float) else None


def _apply(operation: Callable[[Any, Any], Any], one: object, two: object) -> Any:
    left, right = _number(one), _number(two)
    if left is None or right is None:
        return NotImplemented
    if operation in _DIVISIONS:
        _check_divisor(right.values)
    compute = _of_wholes if left.whole and right.whole else _of_floats
    return compute(operation, left, right)


def _check_divisor(divisor: NDArray[Any]) -> None:
    if divisor.all():
        return
    if not divisor.any():
        raise ZeroDivisionError("division by zero")
    raise Split(divisor == 0)


def _of_wholes(operation: Callable[[Any, Any], Any], left: Swept, right: Swept) -> Swept:
    """Whole numbers that numpy can't hold are Python's."""
    first, second, grown = left.values, right.values, None
    if growth := _GROWTH.get(operation):
        grown = growth(left.largest, right.largest)
        if grown >= _WHOLE:
            grown = growth(left.measured(), right.measured())
    if (grown or 0) >= _WHOLE or (operation is operator.truediv and not (_is_exact(left) and _is_exact(right))):
        first, second = first.astype(object), second.astype(object)
    return _result(np.asarray(operation(first, second)), grown)


def _of_floats(operation: Callable[[Any, Any], Any], left: Swept, right: Swept) -> Swept:
    """At least one of two is a float. Whole numbers that would lose digits as floats are compared as Python's."""
    first, second = left.values, right.values
    if whole := [one for one in (left, right) if one.whole]:
        kind = object if operation in _COMPARISONS and not _is_exact(whole[0]) else float
        first, second = first.astype(kind), second.astype(kind)
    return _result(np.asarray(operation(first, second)))


def _is_exact(number: Swept) -> bool:
    """Whether all of these whole numbers are exact as floats."""
    if number.largest <= _EXACT:
        return True
    if number.largest >= _WHOLE // 2:  # a float may be more than numpy's largest whole number
        return False
    return bool((number.values.astype(float).astype(np.int64) == number.values).all())


def _result(values: NDArray[Any], largest: int | None = None) -> Swept:
    """Python's results, in a type that numpy can continue with, if there is one."""
    if values.dtype != object:
        return Swept(values, largest)
    first = values.item(0)
    if isinstance(first, bool | np.bool_):
        return Swept(values.astype(bool))
    if isinstance(first, float):
        return Swept(values.astype(float))
    large = Swept(values)
    return Swept(values.astype(np.int64), large.largest) if large.measured() < _WHOLE else large
