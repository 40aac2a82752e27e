"""Pages that are on their way into a file cache, and the requests that wait for them.

Adjacent pages arrive together, as a run: fetched from the volume, or written as a whole. A run begins when it has room
for all its pages; runs that wait for room begin in order of arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from netsim.engine import Environment, Fifo
from netsim.storage.cache_spec import BlockDevice
from netsim.storage.pages import Pages


class Wait:
    """A request that waits for `left` more pages."""

    __slots__ = ("arrived", "left", "then", "write")

    def __init__(self, write: bool) -> None:
        self.write = write
        self.left = 0
        self.arrived = -1  # when a request began to wait; -1: none waits
        self.then: Callable[[], None] | None = None


class _Run:
    """Adjacent pages, `fetched` or not."""

    __slots__ = ("fetched", "homeless", "pages")

    def __init__(self, pages: range, fetched: bool) -> None:
        self.pages = pages
        self.fetched = fetched
        self.homeless = len(pages)  # pages without room so far


class Incoming:
    """The pages on their way in a running simulation. It calls `ended` with each request that has all its pages, and
    `look` when something may need to be written."""

    __slots__ = (
        "_calendar",
        "_coming",
        "_device",
        "_ended",
        "_look",
        "_pages",
        "_runs",
        "_size",
        "_under_way",
        "fetched",
        "waited_for_room",
    )

    def __init__(
        self,
        env: Environment,
        size: int,
        pages: Pages,
        device: BlockDevice,
        ended: Callable[[Wait], None],
        look: Callable[[], None],
    ) -> None:
        self.fetched = 0  # pages, so far
        self.waited_for_room = 0  # runs so far
        self._calendar, self._size, self._pages, self._device = env.calendar, size, pages, device
        self._ended, self._look = ended, look
        self._coming: dict[int, list[Wait]] = {}  # page -> waiting requests
        self._runs: Fifo[_Run] = Fifo()  # waiting for room
        self._under_way = 0  # pages of the runs that have begun

    def __contains__(self, page: int) -> bool:
        return page in self._coming

    def join(self, missing: Sequence[int], wait: Wait) -> list[int]:
        """Wait for these pages; returns those not requested before."""
        wait.left = len(missing)
        new = [page for page in missing if page not in self._coming]
        for page in missing:
            self._coming.setdefault(page, []).append(wait)
        return new

    def ask(self, pages: Iterable[int]) -> list[int]:
        """Ask for the pages that are neither present nor on their way, without a request that waits for them; returns
        those pages."""
        new = [page for page in pages if page not in self._pages and page not in self._coming]
        self._coming.update((page, []) for page in new)
        return new

    def bring(self, new: Sequence[int], whole: Sequence[int] = ()) -> None:
        """Get room for new pages, and fetch all but the `whole` ones, which are overwritten completely."""
        before = len(self._runs)
        for page in new:
            fetched = page not in whole
            last = self._runs[-1] if len(self._runs) > before else None
            if last is not None and last.pages.stop == page and last.fetched == fetched:
                self._runs[-1] = _Run(range(last.pages.start, page + 1), fetched)
            else:
                self._runs.append(_Run(range(page, page + 1), fetched))
        count = len(self._runs) - before
        self.admit()
        self.waited_for_room += min(count, len(self._runs))

    def admit(self) -> None:
        """Begin the runs that have room."""
        while self._runs and self._has_room(self._runs[0]):
            run = self._runs.popleft()
            self._under_way += len(run.pages)
            self._begin(run)
        look = self._look
        look()

    def _has_room(self, run: _Run) -> bool:
        while run.homeless and self._pages.claim():
            run.homeless -= 1
        return not run.homeless

    def _begin(self, run: _Run) -> None:
        if not run.fetched:
            self._arrived(run)
            return
        self.fetched += len(run.pages)
        self._device.read(run.pages.start * self._size, len(run.pages) * self._size, partial(self._arrived, run))

    def _arrived(self, run: _Run) -> None:
        """All pages of a run have arrived."""
        now = self._calendar.now
        self._under_way -= len(run.pages)
        complete = []
        for page in run.pages:
            self._pages.add(page)
            for wait in self._coming.pop(page):
                if wait.write:
                    self._pages.soil(page, now)
                wait.left -= 1
                if not wait.left:
                    complete.append(wait)
        self._pages.trim()
        ended = self._ended
        for wait in complete:
            ended(wait)
        self.admit()  # pages that have arrived may be evicted again

    def faults(self) -> list[str]:
        """Faults in the accounts; none, unless netsim has an error."""
        waiting = sum(len(run.pages) for run in self._runs)
        homeless = sum(run.homeless for run in self._runs)
        checks = {
            "pages on their way": len(self._coming) == self._under_way + waiting,
            "room for pages on their way": self._pages.claimed == self._under_way + waiting - homeless,
        }
        return [what for what, right in checks.items() if not right]
