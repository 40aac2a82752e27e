"""The time of each of a run's transactions, in the order in which they ended, and its division into stages."""

from __future__ import annotations

from array import array
from collections.abc import Sequence


class ResponseLog:
    """The time (ps) of each transaction, and of each of its `stages`, which add up to the whole."""

    def __init__(self, stages: Sequence[str]) -> None:
        self.names: list[str] = list(stages)
        self.times: array[int] = array("q")
        self.stages: list[array[int]] = [array("q") for _ in stages]

    def note(self, times: Sequence[int]) -> None:
        """A transaction has ended: ps of its stages."""
        self.times.append(sum(times))
        for stage, time in zip(self.stages, times, strict=True):
            stage.append(time)
