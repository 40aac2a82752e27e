"""How long a master keeps a bus."""

from __future__ import annotations

from typing import NamedTuple

NEVER = 10**18  # ps: longer than any transfer


class Tenure(NamedTuple):
    """How long a master keeps the bus when another requests it, and the cost of resuming (ps).

    It keeps the bus for `least` from its grant, and for `notice` from another master's request. With a `burst` it stops
    by itself at this interval, asked or not. With a `step` it may leave only at this interval, beginning `lead` after
    its grant. A transfer that was cut takes `restart` longer.
    """

    restart: int
    least: int = 0
    notice: int = 0
    burst: int = 0
    lead: int = 0
    step: int = 0

    def cut(self, start: int, asked: int) -> int:
        """When a transfer granted the bus at `start` stops, if another master requests the bus at `asked` (ps)."""
        cut = max(start + self.least, asked + self.notice)
        if self.step:
            steps = max(1, -((start + self.lead - cut) // self.step))
            return start + self.lead + steps * self.step
        if not self.burst:
            return cut
        bursts = max(1, -((start - asked) // self.burst))  # made by then, including the current one
        return min(cut, start + bursts * self.burst)
