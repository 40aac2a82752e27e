"""The sum of numbers, the same on every Python, and for every point of a sweep."""

from __future__ import annotations

from collections.abc import Iterable


def total(numbers: Iterable[float]) -> float:
    """The sum, added from left to right. The builtin `sum` does that with floats up to Python 3.11, and corrects
    rounding errors from 3.12 on; swept numbers are added like others, so a grid of bounds equals that of its points to
    the last bit."""
    whole: float = 0
    for number in numbers:
        whole += number
    return whole
