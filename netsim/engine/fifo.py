"""A first-in-first-out queue: the compiled substitute for collections.deque, with only the methods used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar, final

from mypy_extensions import i64

T = TypeVar("T")
_LEAST = 8  # places; always a power of two


@final
class Fifo(Generic[T]):
    """A ring of places that doubles when it is full. When it holds `most` items, it drops the first one to take
    another."""

    __slots__ = ("_count", "_first", "_mask", "_most", "_places")

    def __init__(self, items: Iterable[T] = (), most: int | None = None) -> None:
        self._most: i64 = -1 if most is None else most
        self._places: list[T | None] = [None] * _LEAST
        self._mask: i64 = _LEAST - 1
        self._first: i64 = 0
        self._count: i64 = 0
        self.extend(items)

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count != 0

    def __getitem__(self, index: i64) -> T:
        return self._places[self._place(index)]  # type: ignore[return-value]

    def __setitem__(self, index: i64, item: T) -> None:
        self._places[self._place(index)] = item

    def _place(self, index: i64) -> i64:
        at = index + self._count if index < 0 else index
        if at < 0 or at >= self._count:
            raise IndexError("Fifo index out of range")
        return (self._first + at) & self._mask

    def __iter__(self) -> Iterator[T]:
        return iter([self[at] for at in range(self._count)])

    def append(self, item: T) -> None:
        """Add an item behind all others."""
        if self._count == self._most:
            self.popleft()
        if self._count > self._mask:
            self._double()
        self._places[(self._first + self._count) & self._mask] = item
        self._count += 1

    def appendleft(self, item: T) -> None:
        """Add an item ahead of all others."""
        if self._count > self._mask:
            self._double()
        self._first = (self._first - 1) & self._mask
        self._places[self._first] = item
        self._count += 1

    def _double(self) -> None:
        self._places = [*list(self), *([None] * self._count)]
        self._first = 0
        self._mask = 2 * self._mask + 1

    def extend(self, items: Iterable[T]) -> None:
        """Add items behind all others, in order."""
        for item in items:
            self.append(item)

    def popleft(self) -> T:
        """Take the first item. Raises IndexError if the queue is empty."""
        if self._count == 0:
            raise IndexError("pop from an empty Fifo")
        first = self._first
        item = self._places[first]
        self._places[first] = None
        self._first = (first + 1) & self._mask
        self._count -= 1
        return item  # type: ignore[return-value]

    def pop(self) -> T:
        """Take the last item. Raises IndexError if the queue is empty."""
        if self._count == 0:
            raise IndexError("pop from an empty Fifo")
        self._count -= 1
        last = (self._first + self._count) & self._mask
        item = self._places[last]
        self._places[last] = None
        return item  # type: ignore[return-value]

    def remove(self, item: T) -> None:
        """Remove the first item that equals `item`. Raises ValueError if none does."""
        items = list(self)
        items.remove(item)
        self.clear()
        self.extend(items)

    def clear(self) -> None:
        """Remove all items."""
        while self._count:
            self.popleft()
