"""A disk in a running simulation: the waiting commands, and the one in service."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment, Fifo
from netsim.engine.population import Population
from netsim.storage.disk_spec import DiskSpec

# A command at the disk: its arrival, offset, bytes, the function to call when it is done, and its argument.
Request = tuple[int, int, int, Callable[[Any], None], Any]


class _Fifo:
    """Serves commands in order of arrival."""

    __slots__ = ("_requests",)

    def __init__(self) -> None:
        self._requests: Fifo[Request] = Fifo()

    def __len__(self) -> int:
        return len(self._requests)

    def add(self, cylinder: int, request: Request) -> None:
        """Add a command."""
        self._requests.append(request)

    def take(self, cylinder: int) -> Request:
        """The next command, with the head on `cylinder`."""
        return self._requests.popleft()


class _Elevator:
    """Serves the nearest command at or above the head, otherwise the lowest of all. Commands for one cylinder are
    served in order of arrival, so endless requests for one cylinder keep the head there."""

    __slots__ = ("_count", "_requests")

    def __init__(self) -> None:
        self._requests: list[tuple[int, int, Request]] = []
        self._count = 0  # of all so far: makes every entry unique

    def __len__(self) -> int:
        return len(self._requests)

    def add(self, cylinder: int, request: Request) -> None:
        """Add a command."""
        self._count += 1
        insort(self._requests, (cylinder, self._count, request))

    def take(self, cylinder: int) -> Request:
        """The next command, with the head on `cylinder`."""
        found = bisect_left(self._requests, (cylinder, 0))
        return self._requests.pop(found if found < len(self._requests) else 0)[2]


@mypyc_attr(allow_interpreted_subclasses=True)
class Disk:
    """The disk in a running simulation: one command at a time, one event per command. Reads and writes take equally
    long. Its platter is at `angle` (ps of a revolution) when time begins."""

    __slots__ = (
        "_angle",
        "_busy",
        "_calendar",
        "_ended",
        "_free",
        "_head",
        "_serving",
        "_waiting",
        "bytes",
        "commands",
        "name",
        "population",
        "spec",
    )

    def __init__(self, env: Environment, spec: DiskSpec, name: Resource, angle: int = 0) -> None:
        self.spec = spec
        self.name = name
        self.population = Population(env, name)  # queued and in service
        self.commands = 0  # completed
        self.bytes = 0  # moved
        self._calendar = env.calendar
        self._angle = angle
        self._waiting = _Elevator() if spec.order == "elevator" else _Fifo()
        self._serving = False
        self._head = 0  # the byte that will pass under it next
        self._busy = 0  # ps of service so far, up to `_free`
        self._free = 0
        self._ended = self._end  # bound once

    def request(self, offset: int, nbytes: int, done: Callable[[Any], None], argument: Any = None) -> None:
        """Move `nbytes` from or to `offset`, then call `done(argument)`."""
        request = (self.population.arrive(), offset, nbytes, done, argument)
        if self._serving:
            self._waiting.add(self.spec.cylinder(offset), request)
        else:
            self.begin(request)

    def begin(self, request: Request) -> None:
        """Serve a command, beginning now."""
        calendar, spec = self._calendar, self.spec
        _, offset, nbytes, _, _ = request
        duration = spec.service_time(calendar.now + self._angle, spec.cylinder(self._head), offset, nbytes)
        self._head = offset + nbytes
        self._busy += duration
        self._free = calendar.now + duration
        self._serving = True
        calendar.call_at(self._free, self._ended, request)

    def _end(self, request: Request) -> None:
        arrived, _, nbytes, done, argument = request
        self.population.depart(arrived)
        self.commands += 1
        self.bytes += nbytes
        self._serving = False
        if self._waiting:
            self.begin(self._waiting.take(self.spec.cylinder(self._head)))
        done(argument)

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which it had a command."""
        return self._busy - max(0, self._free - now)

    def audit(self) -> None:
        """Check that no command is lost. Raises ConservationError."""
        self.population.audit()
