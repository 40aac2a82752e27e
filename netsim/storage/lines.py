"""A controller's cache: which parts of which disks it holds in its memory."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator

from netsim.storage.raid import Piece

Line = tuple[int, int]  # the disk, and the number of the unit on it: data or parity


class Lines:
    """A number of lines of `unit` bytes; the least recently used line is evicted first. One stretch of each line is
    valid; a new stretch that does not touch it replaces it. Dirty lines are pinned: they stay until the disks have
    them."""

    __slots__ = ("_kept", "_pins", "_unit", "_valid", "count")

    def __init__(self, count: int, unit: int) -> None:
        self.count = count
        self._unit = unit
        self._valid: OrderedDict[Line, tuple[int, int]] = OrderedDict()  # the lines that may be evicted
        self._kept: dict[Line, tuple[int, int]] = {}  # the pinned ones
        self._pins: Counter[Line] = Counter()

    def __len__(self) -> int:
        return len(self._valid) + len(self._kept)

    def lines(self, piece: Piece) -> Iterator[tuple[Line, int, int]]:
        """The lines that a piece touches, each with the beginning and the end of its part."""
        offset, unit = piece.offset, self._unit
        while offset < piece.end:
            number, start = divmod(offset, unit)
            size = min(unit - start, piece.end - offset)
            yield (piece.disk, number), start, start + size
            offset += size

    def has(self, piece: Piece) -> bool:
        """Whether the cache holds all of a piece; this counts as a use."""
        for line, start, end in self.lines(piece):
            first, last = self._kept.get(line) or self._valid.get(line, (0, 0))
            if not first <= start <= end <= last:
                return False
            if line in self._valid:
                self._valid.move_to_end(line)
        return True

    def fill(self, pieces: Iterable[Piece]) -> None:
        """Hold these pieces from now on."""
        if not self.count:
            return
        for piece in pieces:
            for line, start, end in self.lines(piece):
                first, last = self._kept.get(line) or self._valid.pop(line, (start, end))
                touching = first <= end and start <= last
                stretch = (min(first, start), max(last, end)) if touching else (start, end)
                (self._kept if line in self._kept else self._valid)[line] = stretch
        self._give_up()

    def _give_up(self) -> None:
        while len(self) > self.count:
            self._valid.popitem(last=False)

    def pin(self, lines: set[Line]) -> bool:
        """Keep these lines until they are unpinned as many times as pinned; returns False without room for that."""
        if len(self._kept) + len(lines - self._kept.keys()) > self.count:
            return False
        for line in lines:
            self._pins[line] += 1
            if line not in self._kept:
                self._kept[line] = self._valid.pop(line, (0, 0))
        self._give_up()
        return True

    def unpin(self, lines: set[Line]) -> None:
        """The disks have these lines."""
        for line in lines:
            self._pins[line] -= 1
            if not self._pins[line]:
                del self._pins[line]
                self._valid[line] = self._kept.pop(line)
