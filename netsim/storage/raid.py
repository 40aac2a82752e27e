"""Which disk holds which byte of an array, and the accesses of a write that keeps the parity correct.

An array is cut into stripe units, assigned to the disks in turn; a row is one unit of each disk. Patterson, Gibson and
Katz, A case for redundant arrays of inexpensive disks, 1988; the order of data and parity is "left-symmetric" (Lee and
Katz, Performance consequences of parity placement in disk arrays, 1991). Layout only: nothing here takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, NamedTuple


class Piece(NamedTuple):
    """Contiguous bytes on one disk."""

    disk: int
    offset: int
    nbytes: int

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.offset + self.nbytes


class RaidAccess(NamedTuple):
    """The accesses of a write: `reads` first, and when they are done, `writes`."""

    reads: list[Piece]
    writes: list[Piece]


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, with those that touch on one disk merged, sorted by disk and offset."""
    runs: list[Piece] = []
    for piece in sorted(pieces):
        if runs and runs[-1].disk == piece.disk and runs[-1].end == piece.offset:
            piece = Piece(piece.disk, runs[-1].offset, runs.pop().nbytes + piece.nbytes)
        runs.append(piece)
    return runs


def _nothing(_: Piece) -> bool:
    return False


class Striping:
    """Level 0: units in turn on all disks."""

    least_disks: ClassVar[int] = 1
    parities: ClassVar[int] = 0  # units per row that hold no data

    def __init__(self, disks: int, unit: int) -> None:
        self.disks = disks
        self.unit = unit
        self.data = disks - self.parities  # units per row that do
        self.row = self.data * unit  # bytes of data

    def place(self, number: int) -> tuple[int, int]:
        """The disk and the row of the unit with this number."""
        row, disk = divmod(number, self.disks)
        return disk, row

    def pieces(self, offset: int, nbytes: int) -> list[Piece]:
        """Where the bytes of an extent are: a piece per unit, in order."""
        found = []
        end = offset + nbytes
        while offset < end:
            number, start = divmod(offset, self.unit)
            disk, row = self.place(number)
            size = min(self.unit - start, end - offset)
            found.append(Piece(disk, row * self.unit + start, size))
            offset += size
        return found

    def rows(self, offset: int, nbytes: int) -> Iterator[tuple[int, int, int]]:
        """The rows that an extent touches, each with the offset and the bytes of its part."""
        end = offset + nbytes
        while offset < end:
            row = offset // self.row
            size = min((row + 1) * self.row, end) - offset
            yield row, offset, size
            offset += size

    def writing(self, offset: int, nbytes: int, cached: Callable[[Piece], bool] = _nothing) -> RaidAccess:
        """The accesses that write an extent, if `cached` pieces needn't be read."""
        return RaidAccess([], merged(self.pieces(offset, nbytes)))


class RotatingParity(Striping):
    """Level 5: a unit of each row is the parity of the others, on each disk in turn."""

    least_disks: ClassVar[int] = 3
    parities: ClassVar[int] = 1

    def parity(self, row: int) -> int:
        """The disk that holds a row's parity."""
        return self.disks - 1 - row % self.disks

    def place(self, number: int) -> tuple[int, int]:
        """Data begin on the disk after the parity."""
        row, place = divmod(number, self.data)
        return (self.parity(row) + 1 + place) % self.disks, row

    def writing(self, offset: int, nbytes: int, cached: Callable[[Piece], bool] = _nothing) -> RaidAccess:
        """The new parity is computed from the old data and the old parity (read-modify-write), or from the row's other
        data (reconstruct-write): whichever needs fewer reads, and the latter if both need the same number, since it
        does not read the disks that are written next. A whole row needs no reads."""
        reads: list[Piece] = []
        writes: list[Piece] = []
        for row, start, size in self.rows(offset, nbytes):
            pieces = self.pieces(start, size)
            low, high = min(piece.offset for piece in pieces), max(piece.end for piece in pieces)
            parity = Piece(self.parity(row), low, high - low)
            ways = (self._others(parity, pieces), [*pieces, parity])
            missing = [[old for old in way if not cached(old)] for way in ways]
            fewest = min(missing, key=len)
            reads += fewest
            writes += [*pieces, parity]
        return RaidAccess(merged(reads), merged(writes))

    def _others(self, parity: Piece, pieces: list[Piece]) -> list[Piece]:
        """A row's data outside `pieces`, as far as the `parity` piece depends on them."""
        written = {piece.disk: piece for piece in pieces}
        found = []
        for disk in range(self.disks):
            if disk == parity.disk:
                continue
            own = written.get(disk, Piece(disk, parity.end, 0))
            found.append(Piece(disk, parity.offset, own.offset - parity.offset))
            found.append(Piece(disk, own.end, parity.end - own.end))
        return [piece for piece in found if piece.nbytes]


LEVELS: dict[int, type[Striping]] = {0: Striping, 5: RotatingParity}
