"""An IOMMU that translates a device's addresses."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Count, Parts, PositiveBytes, Time


class IommuSpec(Spec):
    """It caches the `entries` translations that were used last, of one `page` each. Any other translation takes a walk
    through tables in memory, which is `levels` reads of `read_time` each (ps); `walkers` walk in parallel."""

    catalogue = "iommus"

    entries: Parts
    page: PositiveBytes
    levels: Count
    read_time: Time
    walkers: Parts

    @property
    def walk_time(self) -> int:
        """ps of a walk."""
        return self.levels * self.read_time

    def missed(self, pages: int, at_random: bool) -> float:
        """The share of accesses to `pages` pages that miss. If pages are drawn at random, all are equally likely to be
        cached; if they are used in turn, each has been replaced by the time its turn comes, unless all fit."""
        if pages <= self.entries:
            return 0.0
        return 1 - self.entries / pages if at_random else 1.0
