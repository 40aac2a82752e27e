"""The pages of a file cache: which are present, the order of their use, and which are dirty.

The least recently used page is evicted first. At that end, behind the pages in use, a reserve of fixed size holds free
pages and those to be evicted next. Only pages of the reserve are evicted, and only clean ones; a dirty page that enters
the reserve is `wanted` clean.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from netsim.engine import Fifo


class Pages:
    """Pages by number, as plain integers. A present page is clean, dirty or being written; pages on their way have
    claimed room."""

    __slots__ = (
        "_again", "_old", "_pressed", "_reserve", "_young", "added", "capacity", "claimed", "dirty", "evicted_clean",
        "evicted_dirty", "wanted", "writing",
    )

    def __init__(self, capacity: int, reserve: int) -> None:
        self.capacity = capacity
        self.claimed = 0
        self.dirty: OrderedDict[int, int] = OrderedDict()  # page -> since when, oldest first
        self.writing: set[int] = set()
        self.wanted: Fifo[int] = Fifo()  # dirty pages that entered the reserve; some may have left it again
        self.added = self.evicted_clean = self.evicted_dirty = 0  # so far
        self._young: OrderedDict[int, None] = OrderedDict()
        self._old: OrderedDict[int, None] = OrderedDict()  # the reserve
        self._reserve = reserve
        self._again: set[int] = set()  # pages being written that have become dirty meanwhile
        self._pressed: set[int] = set()  # pages of the reserve that were dirty when they entered it

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __contains__(self, page: int) -> bool:
        return page in self._young or page in self._old

    @property
    def free(self) -> int:
        """Room for more pages; negative while the pages exceed the room."""
        return self.capacity - self.claimed - len(self._young) - len(self._old)

    @property
    def unwritten(self) -> int:
        """Pages that the disks do not have yet."""
        return len(self.dirty) + len(self.writing)

    # ---- use ----

    def touch(self, page: int) -> bool:
        """Use a page; returns False if it is not present."""
        if page in self._young:
            self._young.move_to_end(page)
            return True
        if page not in self._old:
            return False
        del self._old[page]
        self._pressed.discard(page)
        self._young[page] = None
        self._refill()
        return True

    def soil(self, page: int, now: int) -> None:
        """Mark a page dirty from `now` on, unless it already is."""
        if page in self.writing:
            self._again.add(page)
            return
        self.dirty.setdefault(page, now)
        if page in self._old:
            self._press(page)

    def _refill(self) -> None:
        """Restore the size of the reserve."""
        young, old = self._young, self._old
        for _ in range(min(self._reserve - self.free - len(old), len(young))):
            page, _ = young.popitem(last=False)
            old[page] = None
            if page in self.dirty:
                self._press(page)

    def _press(self, page: int) -> None:
        self._pressed.add(page)
        self.wanted.append(page)

    def is_wanted(self, page: int) -> bool:
        """Whether other pages still wait for this one to become clean."""
        return page in self.dirty and page in self._old

    # ---- coming and going ----

    def claim(self) -> bool:
        """Claim room for a page that will arrive; returns False if none is free and no page can be evicted yet."""
        if self.free <= 0:
            self._refill()
            self._evict(1 - self.free)
            if self.free <= 0:
                return False
        self.claimed += 1
        self._refill()
        return True

    def add(self, page: int) -> None:
        """A page has arrived; it has claimed its room before."""
        self.claimed -= 1
        self.added += 1
        self._young[page] = None

    def _evict(self, count: int) -> None:
        """Evict `count` clean pages of the reserve, or all it has if they are fewer."""
        for page in self._first_clean(count):
            del self._old[page]
            if page in self._pressed:
                self._pressed.remove(page)
                self.evicted_dirty += 1
            else:
                self.evicted_clean += 1

    def _first_clean(self, count: int) -> list[int]:
        """Up to `count` clean pages of the reserve. The loop looks no further than necessary; a compiled generator
        expression would."""
        found: list[int] = []
        for page in self._old:
            if len(found) >= count:
                break
            if page not in self.dirty and page not in self.writing:
                found.append(page)
        return found

    def resize(self, capacity: int) -> None:
        """Have room for `capacity` pages from now on. Pages beyond that are evicted immediately, dirty ones once
        clean."""
        self.capacity = capacity
        self.trim()

    def trim(self) -> None:
        """Restore the size of the reserve, and evict pages that exceed the room."""
        self._refill()
        if self.free < 0:
            self._evict(-self.free)

    # ---- writing ----

    def write(self, run: Iterable[int]) -> None:
        """These dirty pages are being written."""
        for page in run:
            del self.dirty[page]
            self.writing.add(page)

    def written(self, run: Iterable[int], now: int) -> None:
        """These pages have been written. Those changed meanwhile count as dirty from now on."""
        for page in run:
            self.writing.remove(page)
            if page in self._again:
                self._again.remove(page)
                self.soil(page, now)
        self.trim()

    # ---- a beginning ----

    def load(self, pages: Iterable[int], dirty: Iterable[tuple[int, int]]) -> None:
        """Begin with these pages, least recently used first, some of which are `dirty` since the given time; those in
        the reserve are clean."""
        self._young = OrderedDict.fromkeys(pages)
        self.added = len(self._young)
        self._refill()
        self.dirty = OrderedDict((page, since) for page, since in dirty if page in self._young)

    # ---- accounts ----

    def faults(self) -> list[str]:
        """Faults in the accounts; none, unless netsim has an error."""
        evicted = self.evicted_clean + self.evicted_dirty
        unwritten = self.dirty.keys() | self.writing
        stays = any(page not in unwritten for page in self._old)
        checks = {
            "pages added and given up": self.added - evicted == len(self),
            "pages in two places": not self._young.keys() & self._old.keys(),
            "dirty pages that are not there": all(page in self for page in unwritten),
            "pages dirty and being written": len(unwritten) == self.unwritten,
            "pages written again that are not being written": self._again <= self.writing,
            "more pages than there is room for": self.free >= 0 or not stays,
        }
        return [what for what, right in checks.items() if not right]
