"""Lines of memory that a process and softirqs both write: the core that writes them fetches them if the other one was
the last to do so, and otherwise has them."""

from __future__ import annotations

from typing import final

from netsim.machine import Cost, CycleTally


@final
class SharedLines:
    """What it takes to fetch them; nothing where there is only one core."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._process = False  # whether it was the last one

    def by_process(self, tally: CycleTally) -> None:
        """The process writes them."""
        if not self._process:
            self._process = True
            tally.add(self._cost)

    def by_softirq(self, tally: CycleTally) -> None:
        """A softirq does."""
        if self._process:
            self._process = False
            tally.add(self._cost)
