"""When a file cache writes its dirty pages: when they are old enough, when their room is needed, or when too many are
dirty."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from netsim.engine import Environment, Timer
from netsim.storage.cache_spec import BlockDevice, FileCacheSpec
from netsim.storage.pages import Pages


class WriteBack:
    """Writes dirty pages in a running simulation. First it writes those whose room is needed, then the oldest ones,
    while any are due or writers wait (`pressing`). It calls `written` when some are clean again; this starts the next
    writes."""

    __slots__ = (
        "_calendar",
        "_delay",
        "_device",
        "_most",
        "_pages",
        "_run",
        "_size",
        "_timer",
        "_under_way",
        "_written",
        "count",
        "pressing",
    )

    def __init__(
        self, env: Environment, spec: FileCacheSpec, pages: Pages, device: BlockDevice, written: Callable[[], None]
    ) -> None:
        self.count = 0  # pages written so far
        self.pressing = False
        self._calendar, self._pages, self._device, self._written = env.calendar, pages, device, written
        self._size = spec.page
        self._delay = spec.write_delay
        self._most = spec.concurrent_writes
        self._run = max(1, spec.cluster // spec.page)
        self._under_way = 0  # pages
        self._timer = Timer(env, self.look)

    def look(self) -> None:
        """Write the pages that have to be written."""
        while self._under_way < self._most:
            page = self._next()
            if page is None:
                self._sleep()
                return
            self._write(page)

    def _next(self) -> int | None:
        pages = self._pages
        while pages.wanted:
            page = pages.wanted.popleft()
            if pages.is_wanted(page):
                return page
        oldest = next(iter(pages.dirty.items()), None)
        if oldest is None:
            return None
        page, since = oldest
        due = self._delay is not None and since + self._delay <= self._calendar.now
        return page if due or self.pressing else None

    def _sleep(self) -> None:
        """Sleep until the oldest page is due."""
        oldest = next(iter(self._pages.dirty.values()), None)
        if oldest is not None and self._delay is not None and self._timer.deadline != oldest + self._delay:
            self._timer.set(oldest + self._delay)

    def _write(self, page: int) -> None:
        dirty = self._pages.dirty
        first, last = page, page + 1
        while first - 1 in dirty and last - first < self._run:
            first -= 1
        while last in dirty and last - first < self._run:
            last += 1
        run = range(first, last)
        self._pages.write(run)
        self._under_way += len(run)
        self._device.write(first * self._size, len(run) * self._size, partial(self._end, run))

    def _end(self, run: range) -> None:
        self._under_way -= len(run)
        self.count += len(run)
        self._pages.written(run, self._calendar.now)
        written = self._written
        written()
