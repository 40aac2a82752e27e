"""A socket on a current host, as the process that uses it and the softirqs of its packets share it: the process sleeps
until a softirq wakes it."""

from __future__ import annotations

from typing import final

from netsim.engine import Environment
from netsim.machine import Cost, CycleTally, PollUser, ServerCore


@final
class SleepBills:
    """Costs of sleeping: waking the process costs `wake`, in the softirq, and the process continues `wake_time` (ps)
    later. A `switch` away from the process or back to it is spent on its own core, with `idle` if that was idle. A core
    that has been idle takes `idle_exit` first."""

    def __init__(self, wake: Cost, switch: Cost, idle: Cost, idle_exit: Cost, wake_time: int) -> None:
        self.wake = wake
        self.switch = switch
        self.idle = idle
        self.idle_exit = idle_exit
        self.wake_time = wake_time


class SocketProcess(PollUser):
    """Softirqs run on `irq`, the process on `core`, which may be the same core. The process begins `asleep` or not."""

    def __init__(
        self, env: Environment, cores: tuple[ServerCore, ServerCore], bills: SleepBills, *, asleep: bool
    ) -> None:
        self._calendar = env.calendar
        self.core, self._irq = cores
        self._sleep_bills = bills
        self._asleep = asleep
        self._sleeps, self._wakes = self._slept, self._woken  # bound once
        self._lost: list[tuple[int, int]] = []  # frames
        self.wakeups = 0

    def listen_to(self, lost: list[tuple[int, int]]) -> None:
        """Pass the list in which the queue records the frames that it drops."""
        self._lost = lost

    # --- what each process has of its own -----------------------------------------------------------------------------

    def _ready(self) -> bool:
        """Whether there is something for the process to do."""
        raise NotImplementedError

    def _resumed(self) -> None:
        """The process is running again, after having slept."""
        raise NotImplementedError

    # --- softirq ------------------------------------------------------------------------------------------------------

    def _wake_if_ready(self, tally: CycleTally) -> None:
        """Wake the process if it sleeps and has something to do."""
        if not self._asleep or not self._ready():
            return
        self._asleep = False
        self.wakeups += 1
        tally.add(self._sleep_bills.wake)
        self.core.resched = True
        self._calendar.call_at(self._calendar.now + tally.total + self._sleep_bills.wake_time, self._wakes, None)

    # --- process ------------------------------------------------------------------------------------------------------

    def _sleep(self) -> None:
        """The process goes to sleep; until it has, it can't be woken."""
        self.core.process.add(self._sleep_bills.switch)
        self.core.run(self._sleeps)

    def _slept(self) -> None:
        """It has gone to sleep, unless something has come meanwhile."""
        if self._ready():
            self._resume()
        else:
            self._asleep = True

    def _woken(self, _: object) -> None:
        if self.core.rests:
            self.core.process.add(self._sleep_bills.idle_exit)
        if self.core.idle:
            self.core.process.add(self._sleep_bills.idle)
        self._resume()

    def _resume(self) -> None:
        self.core.process.add(self._sleep_bills.switch)
        self._resumed()
