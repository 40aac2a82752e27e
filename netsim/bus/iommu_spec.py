"""What an IOMMU is that translates a device's addresses."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Count, Parts, PositiveBytes, Time


class IommuSpec(Spec):
    """It remembers the last `entries` translations that were used, of a `page` each. Another one takes a walk through
    tables in memory of `levels` reads, each of `read_time` (ps); `walkers` do so at once."""

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
        """The share of accesses to n pages that miss. Drawn at random, the last E that were used are any E of them; one
        after the other, each has been replaced when its turn comes, unless there is room for all."""
        if pages <= self.entries:
            return 0.0
        return 1 - self.entries / pages if at_random else 1.0
