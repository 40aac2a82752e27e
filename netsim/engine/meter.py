"""Counts that a run is watched by: it goes on until one has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import SupportsInt, final

from mypy_extensions import i64, mypyc_attr, trait


@trait
@mypyc_attr(allow_interpreted_subclasses=True)
class Meter:
    """A count that is read after each event: when compiled, reading it needs no indirection. Only compiled classes can
    inherit from it; any function can become a FunctionMeter."""

    __slots__ = ()

    def reading(self) -> i64:
        """The count up to now."""
        raise NotImplementedError


@final
class CountMeter(Meter):
    """A count by itself, from 0."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: i64 = 0

    def reading(self) -> i64:
        return self.value


@final
class SumMeter(Meter):
    """The sum of several counts."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Meter]) -> None:
        self._parts: list[Meter] = [*parts]

    def reading(self) -> i64:
        found: i64 = 0
        for part in self._parts:
            found += part.reading()
        return found


@final
class FunctionMeter(Meter):
    """A count that a function returns."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[], SupportsInt]) -> None:
        self._function = function

    def reading(self) -> i64:
        return int(self._function())  # numpy's numbers, too
