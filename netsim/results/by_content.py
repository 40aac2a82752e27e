"""Equality of dataclasses that hold arrays, whose `==` gives an array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray


class ByContent:
    """A base of dataclasses (`eq=False`): two are equal if their fields are, arrays in every number, where NaN equals
    NaN. They have no hash."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, one.name), getattr(other, one.name)) for one in fields(self))  # type: ignore[arg-type]


def _same(one: object, two: object) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(two, np.ndarray) and _same_numbers(one, two)
    if isinstance(one, Mapping):
        return isinstance(two, Mapping) and one.keys() == two.keys() and all(_same(one[key], two[key]) for key in one)
    if isinstance(one, Exception):  # Python's are equal only to themselves
        return type(one) is type(two) and str(one) == str(two)
    return bool(one == two)


def _same_numbers(one: NDArray[np.generic], two: NDArray[np.generic]) -> bool:
    return np.array_equal(one, two, equal_nan=one.dtype.kind == two.dtype.kind == "f")
