"""The operating system's clock: an unconditional periodic interrupt, and the count of its ticks."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64

from netsim.engine import Environment
from netsim.machine.processor import Processor
from netsim.machine.rotation import Rotation
from netsim.machine.task import INTERRUPT, Task
from netsim.machine.work import Work


class Ticks:
    """The times at which the clock of the named host ticks: every `tick` ps, first at a moment drawn from the seed.
    """

    __slots__ = ("_tick", "first")

    def __init__(self, env: Environment, tick: int, name: str) -> None:
        self._tick: i64 = tick
        self.first: i64 = int(env.stream(f"{name} clock").integers(tick))

    def count(self, now: i64) -> i64:
        """The number of ticks by `now` (ps; Linux: jiffies)."""
        return (now - self.first) // self._tick + 1

    def after(self, now: i64, ticks: i64) -> i64:
        """The time after `ticks` further ticks (ps)."""
        return self.first + (self.count(now) + ticks - 1) * self._tick

    def ticks(self, ps: i64) -> i64:
        """The number of whole ticks in `ps`."""
        return ps // self._tick


class Clock:
    """Interrupts `processor`, or with a `rotation` the next one, every `tick` ps for `work`, first at a moment drawn
    from the seed."""

    def __init__(
        self,
        env: Environment,
        tick: int,
        work: Work,
        processor: Processor,
        name: str,
        rotation: Rotation | None = None,
    ) -> None:
        self._calendar = env.calendar
        self._tick = self.interval = tick  # ps
        self.ticked: Callable[[], None] | None = None  # called at each tick, for a poller
        self._work = work
        self._processor = processor
        self._rotation = rotation
        self._due = False
        self.ticks = 0  # so far
        self._task = Task(INTERRUPT, self._begin, self._end)
        env.call_in(Ticks(env, tick, name).first, self._interrupt)

    def _interrupt(self, _: object) -> None:
        self._calendar.call_at(self._calendar.now + self._tick, self._interrupt)
        self._due = True
        self.ticks += 1
        processor = self._processor if self._rotation is None else self._rotation.following()
        processor.kick(self._task)

    def _begin(self) -> Work | None:
        if not self._due:
            return None
        self._due = False
        return self._work

    def _end(self) -> bool:
        if self.ticked is not None:
            self.ticked()
        return self._due
