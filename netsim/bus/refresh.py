"""Memory refresh, which takes the bus periodically (ISA: -REFRESH; the PC's timer 1 requests it)."""

from __future__ import annotations

from mypy_extensions import i64


class Refresh:
    """Takes the bus for `cycle` ps every `interval` ps, the first time at `phase`. A transfer waits for a refresh in
    progress, and is delayed by each one that is due meanwhile, whose exact time does not change its end."""

    __slots__ = ("_phase", "cycle", "interval")

    def __init__(self, interval: int, cycle: int, phase: int) -> None:
        self.interval: i64 = interval
        self.cycle: i64 = cycle
        self._phase: i64 = phase

    def taken(self, time: i64) -> i64:
        """ps taken up to `time`, since some moment before the first."""
        since = time - self._phase
        count = since // self.interval
        since -= count * self.interval
        return count * self.cycle + (since if since < self.cycle else self.cycle)

    def end(self, start: i64, duration: i64) -> i64:
        """When a transfer that needs the bus for `duration` ps from `start` on ends."""
        since = (start - self._phase) % self.interval
        if since < self.cycle:
            start += self.cycle - since
            since = self.cycle
        before = self.interval - since  # ps until the next refresh
        if duration <= before:
            return start + duration
        between = self.interval - self.cycle
        return start + duration - (before - duration) // between * self.cycle
