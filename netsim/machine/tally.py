"""Processor time of a protocol stack by use, sorted as in kernel profiles."""

from __future__ import annotations

from typing import Final, final

COPY: Final = 0
TCP_IP: Final = 1
NETDEVICE: Final = 2  # the device layer and the driver: polls, GRO, queueing disciplines
SKB: Final = 3
MEMORY: Final = 4  # allocating and freeing
LOCK: Final = 5
SCHEDULING: Final = 6
ETC: Final = 7  # system calls, interrupts
CATEGORIES: Final = ("copy", "tcp/ip", "netdevice", "skb", "memory", "lock", "scheduling", "etc")


@final
class Cost:
    """The cost of one occurrence: ps, by category."""

    __slots__ = ("parts", "total")

    def __init__(self, parts: dict[int, int]) -> None:
        self.parts = [(category, time) for category, time in parts.items() if time]
        self.total = sum(parts.values())

    def plus(self, *others: Cost) -> Cost:
        """The sum of this cost and others."""
        parts = dict(self.parts)
        for other in others:
            for category, time in other.parts:
                parts[category] = parts.get(category, 0) + time
        return Cost(parts)

    def times(self, often: float) -> Cost:
        """The cost of `often` occurrences."""
        return Cost({category: round(time * often) for category, time in self.parts})


@final
class CycleTally:
    """Costs that add up."""

    __slots__ = ("times", "total")

    def __init__(self) -> None:
        self.times = [0] * len(CATEGORIES)
        self.total = 0

    def add(self, cost: Cost, times: int = 1) -> None:
        """Add `cost` n times."""
        for category, time in cost.parts:
            self.times[category] += time * times
        self.total += cost.total * times

    def spend(self, category: int, time: int) -> None:
        """Add ps of one category."""
        self.times[category] += time
        self.total += time

    def move_to(self, other: CycleTally) -> None:
        """Move all costs to `other`."""
        for category, time in enumerate(self.times):
            if time:
                other.times[category] += time
                self.times[category] = 0
        other.total += self.total
        self.total = 0
