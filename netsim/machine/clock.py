"""The operating system's clock: a periodic interrupt, whatever else goes on."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.machine.processor import Processor
from netsim.machine.task import INTERRUPT, Task
from netsim.machine.work import Work


class Clock:
    """Interrupts `processor` every `tick` ps for `work`; the first time at a moment drawn from the seed."""

    def __init__(self, env: Environment, tick: int, work: Work, processor: Processor, name: str) -> None:
        self._calendar = env.calendar
        self._tick = tick
        self._work = work
        self._processor = processor
        self._due = False
        self._task = Task(INTERRUPT, self._begin, self._end)
        env.call_in(int(env.stream(f"{name} clock").integers(tick)), self._interrupt)

    def _interrupt(self, _: object) -> None:
        self._calendar.call_at(self._calendar.now + self._tick, self._interrupt)
        self._due = True
        self._processor.kick(self._task)

    def _begin(self) -> Work | None:
        if not self._due:
            return None
        self._due = False
        return self._work

    def _end(self) -> bool:
        return self._due
