"""The choice of event list and queue: compiled ones, or for the interpreter those based on the standard library's C
code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.compiled import COMPILED
from netsim.engine.calendar import Serving

if TYPE_CHECKING or COMPILED:
    from netsim.engine.calendar import Calendar, Planned
    from netsim.engine.fifo import Fifo
else:
    from collections import deque as Fifo

    from netsim.engine.heap_calendar import HeapCalendar as Calendar

    Planned = list

__all__ = ["Calendar", "Fifo", "Planned", "Serving"]
