"""How a process and ksoftirqd share a processor: Linux's CFS, for two tasks of the same weight.

Source: Linux 5.4, kernel/sched/fair.c: each of two tasks gets half of sched_latency, which a tick enforces
(check_preempt_tick); a task that wakes up is placed at most half of sched_latency behind the other one's virtual time
(place_entity), and preempts it if more than sched_wakeup_granularity behind (wakeup_preempt_entity). Both times grow
with the number of processors, up to eight (get_update_sysctl_factor).
"""

from __future__ import annotations

from typing import Final, final

from netsim.units.constants import MS

_LATENCY: Final = 6 * MS  # sysctl_sched_latency, of one processor
_WAKEUP: Final = 1 * MS  # sysctl_sched_wakeup_granularity
_MOST: Final = 8  # processors; more do not lengthen the times


@final
class FairShare:
    """The shares on one processor of a server with n `processors`, whose clock ticks once a `jiffy` (ps)."""

    def __init__(self, processors: int, jiffy: int) -> None:
        factor = min(processors, _MOST).bit_length()
        self.slice = _LATENCY * factor // 2
        self._wakeup = _WAKEUP * factor
        self._jiffy = jiffy
        self._since = 0  # when the running task got the processor (ps)
        self._ahead = 0  # the thread's virtual time less the process's (ps)
        self._yields = False  # whether the thread yields

    def thread_wakes(self, now: int) -> None:
        """The thread wakes after a long sleep, and takes the processor."""
        self._since, self._ahead, self._yields = now, -self.slice, False

    def process_wakes(self, now: int) -> None:
        """The process wakes while the thread runs."""
        self.thread_ran(now)
        self._ahead = min(self._ahead, self.slice)
        self._yields = self._ahead > self._wakeup

    def thread_goes_on(self, now: int, process: bool) -> bool:
        """Whether the thread keeps the processor; `process`: whether the process could run."""
        if not process:
            self.thread_ran(now)
            return True
        if not self._yields and now - self._since < self._ticks(self.slice):
            return True
        self.thread_ran(now)
        self._yields = False
        return False

    def thread_ran(self, now: int) -> None:
        """The thread has run until now."""
        self._ahead += now - self._since
        self._since = now

    def thread_back(self) -> int:
        """When the thread gets the processor back, unless the process sleeps earlier (ps)."""
        return self._since + self._ticks(self.slice)

    def thread_resumes(self, now: int) -> None:
        """The thread has the processor again."""
        self._ahead -= now - self._since
        self._since = now

    def _ticks(self, time: int) -> int:
        """The `time` (ps), rounded up to whole ticks."""
        return -(-time // self._jiffy) * self._jiffy
