"""The refresh of memory, which takes the bus again and again (ISA: -REFRESH; the PC's timer 1 asks for it)."""

from __future__ import annotations


class Refresh:
    """Takes the bus for `cycle` ps every `interval` ps, the first time at `phase`. A transfer waits for one that is
    under way, and lets those in that come meanwhile: when exactly does not matter to when the transfer ends."""

    __slots__ = ("_phase", "cycle", "interval")

    def __init__(self, interval: int, cycle: int, phase: int) -> None:
        self.interval = interval
        self.cycle = cycle
        self._phase = phase

    def taken(self, time: int) -> int:
        """ps taken up to `time`, since some moment before the first."""
        count, since = divmod(time - self._phase, self.interval)
        return count * self.cycle + min(since, self.cycle)

    def end(self, start: int, duration: int) -> int:
        """When a transfer ends that needs the bus for `duration` ps from `start` on."""
        since = (start - self._phase) % self.interval
        if since < self.cycle:
            start += self.cycle - since
            since = self.cycle
        before = self.interval - since  # ps until the next one
        if duration <= before:
            return start + duration
        between = self.interval - self.cycle
        return start + duration + -((before - duration) // between) * self.cycle
