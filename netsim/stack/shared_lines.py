"""Cache lines that a process and softirqs both write: a core fetches them if the other core wrote them last, and
otherwise has them already."""

from __future__ import annotations

from typing import final

from netsim.machine import Cost, CycleTally


@final
class SharedLines:
    """The cost of fetching the lines; nothing if there is only one core."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._process = False  # whether it wrote them last

    def by_process(self, tally: CycleTally) -> None:
        """The process writes the lines."""
        if not self._process:
            self._process = True
            tally.add(self._cost)

    def by_softirq(self, tally: CycleTally) -> None:
        """A softirq writes the lines."""
        if self._process:
            self._process = False
            tally.add(self._cost)
