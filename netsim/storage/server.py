"""A server that takes its customers in order: arithmetic, and one event per customer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.engine.population import Population


@mypyc_attr(allow_interpreted_subclasses=True)
class Server:
    """A resource called `name`, such as a channel, that serves one request at a time."""

    __slots__ = ("_busy", "_calendar", "_ended", "_free", "name", "population")

    def __init__(self, env: Environment, name: Resource) -> None:
        self.name = name
        self.population = Population(env, name)  # queued and in service
        self._calendar = env.calendar
        self._free = 0  # when its last customer will be done
        self._busy = 0  # ps of service so far, up to `_free`
        self._ended = self._end  # bound once

    def serve(self, duration: int, done: Callable[[Any], None], argument: Any) -> None:
        """Serve a customer for `duration` ps when its turn has come, then call `done(argument)`."""
        calendar = self._calendar
        now = calendar.now
        self._free = free = (self._free if self._free > now else now) + duration
        self._busy += duration
        customer = (self.population.arrive(), done, argument)
        calendar.call_at(free, self._ended, customer)

    def _end(self, customer: tuple[int, Callable[[Any], None], Any]) -> None:
        arrived, done, argument = customer
        self.population.depart(arrived)
        done(argument)

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which it had a customer."""
        return self._busy - max(0, self._free - now)
