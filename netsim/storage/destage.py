"""Data that a controller with a write-back cache has acknowledged and the disks do not have yet.

Rows are destaged immediately, in the order in which they became dirty, at most as many at a time as the array has
disks. Data that arrive for a row before its turn are written together, adjacent extents as one; data that arrive during
its turn wait until it is over.

Not modelled: the old content of a dirty line is not kept; a parity that needs it must read it again.
"""

from __future__ import annotations

from netsim.engine import Environment
from netsim.engine.population import Population
from netsim.storage.array import Array
from netsim.storage.lines import Line, Lines

Extent = tuple[int, int]  # offset, and the offset after its end


class _Row:
    """A row's dirty extents, and the lines that hold them."""

    __slots__ = ("arrived", "extents", "left", "lines", "number")

    def __init__(self, number: int, arrived: int) -> None:
        self.number = number
        self.arrived = arrived
        self.extents: list[Extent] = []
        self.lines: set[Line] = set()
        self.left = 0  # extents that are under way

    def add(self, start: int, end: int) -> None:
        """Add an extent, merged with those that it touches."""
        apart = [one for one in self.extents if one[1] < start or end < one[0]]
        touching = [one for one in self.extents if one not in apart]
        apart.append((min([start, *(one[0] for one in touching)]), max([end, *(one[1] for one in touching)])))
        self.extents = apart


class Destager:
    """The dirty rows in a running simulation."""

    def __init__(self, env: Environment, array: Array, lines: Lines, name: str) -> None:
        self.population = Population(env, name)  # rows that are dirty or being written
        self._array = array
        self._lines = lines
        self._most = len(array.disks)
        self._dirty: dict[int, _Row] = {}
        self._under_way: set[int] = set()

    def take(self, offset: int, nbytes: int) -> bool:
        """Keep an extent until the disks have it; returns False without room for it."""
        array, lines = self._array, self._lines
        pieces = array.layout.pieces(offset, nbytes)
        touched = {line for piece in pieces for line, _, _ in lines.lines(piece)}
        if not lines.pin(touched):
            return False
        lines.fill(pieces)
        lines.unpin(touched)  # each row pins its own
        for row, start, size in array.layout.rows(offset, nbytes):
            self._add(row, start, size)
        self._go_on()
        return True

    def _add(self, number: int, start: int, size: int) -> None:
        row = self._dirty.get(number)
        if row is None:
            row = self._dirty[number] = _Row(number, self.population.arrive())
        row.add(start, start + size)
        new = {line for piece in self._array.layout.pieces(start, size) for line, _, _ in self._lines.lines(piece)}
        self._lines.pin(new - row.lines)
        row.lines |= new

    def _go_on(self) -> None:
        """Begin with as many rows as allowed."""
        for number in self._waiting(self._most - len(self._under_way)):
            self._destage(self._dirty.pop(number))

    def _waiting(self, count: int) -> list[int]:
        """The numbers of the first waiting rows, `count` at most."""
        found: list[int] = []
        for number in self._dirty:
            if len(found) >= count:
                break
            if number not in self._under_way:
                found.append(number)
        return found

    def _destage(self, row: _Row) -> None:
        self._under_way.add(row.number)
        row.left = len(row.extents)
        for start, end in row.extents:
            self._array.write(start, end - start, self._written, row, held=True)

    def _written(self, row: _Row) -> None:
        row.left -= 1
        if row.left:
            return
        self._under_way.remove(row.number)
        self._lines.unpin(row.lines)
        self.population.depart(row.arrived)
        self._go_on()
