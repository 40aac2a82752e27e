"""A root complex that also translates a device's addresses and gives credits back."""

from __future__ import annotations

from typing import final

from netsim.bus.credited_direction import CreditedDirection
from netsim.bus.pcie import PcieDirection
from netsim.bus.root_complex import ReadRequest, RootComplex
from netsim.engine import Environment


@final
class Iommu:
    """The translations used last (LRU), and the walkers that look up others in tables. Times in ps."""

    def __init__(self, entries: int, walk_time: int, walkers: int) -> None:
        self._entries = entries
        self._walk_time = walk_time
        self.walkers = walkers
        self._walkers = [0] * walkers  # when each is free
        self._known: dict[int, int] = {}  # page -> when its translation is there; the one used last comes last
        self.walks = 0
        self.walked = 0  # ps, including walks still to be made

    def translated(self, page: int, now: int) -> int:
        """When the address of an access that comes at `now` is known."""
        known = self._known
        ready = known.pop(page, -1)
        if ready < 0:
            if len(known) == self._entries:
                del known[next(iter(known))]
            ready = self._walk(now)
        known[page] = ready
        return ready if ready > now else now

    def _walk(self, now: int) -> int:
        walkers = self._walkers
        first = min(walkers)
        end = max(first, now) + self._walk_time
        walkers[walkers.index(first)] = end
        self.walks += 1
        self.walked += self._walk_time
        return end

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which walkers were busy, in total over all walkers."""
        return max(0, self.walked - sum([max(0, free - now) for free in self._walkers]))


@final
class TranslatingRootComplex(RootComplex):
    """Writes leave their buffer in order of arrival, each when its address is known; a read waits for its own address,
    and for the writes before it. `up` is notified when packets leave, if it has credits."""

    def __init__(
        self, env: Environment, down: PcieDirection, answer_time: int, visible_time: int, iommu: Iommu | None,
        up: CreditedDirection | None,
    ) -> None:  # fmt: skip
        super().__init__(env, down, answer_time, visible_time)
        self._iommu = iommu
        self._up = up
        self._written = 0  # when all writes so far have left their buffer (ps)

    def write(self, nbytes: int, arrival: int, page: int = 0) -> int:
        """See RootComplex."""
        self.bytes_written += nbytes
        self._written = max(self._written, self._known(page, arrival))
        self._visible = self._written + self._visible_time
        if self._up is not None:
            self._up.left(self._written)
        return self._written

    def read(self, request: ReadRequest, arrival: int) -> None:
        """See RootComplex."""
        start = max(self._known(request.page, arrival), self._visible)
        if self._up is not None:
            self._up.left(start)
        self._calendar.call_at(start + self._answer_time, self._answers, request)

    def _known(self, page: int, at: int) -> int:
        return at if self._iommu is None else self._iommu.translated(page, at)
