"""A controller's DMA engine: one transfer at a time over a bus that others want, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.bus import Bus, BusSpec, Transaction
from netsim.engine import Environment, Fifo
from netsim.engine.population import Population
from netsim.storage.controller_spec import ControllerSpec

# A transfer: when it came, bytes, whether to memory, what to call when it is done, with which argument.
_Transfer = tuple[int, int, bool, Callable[[Any], None], Any]


@mypyc_attr(allow_interpreted_subclasses=True)
class Dma:
    """The engine in a running simulation: it moves the data of commands as they come, to memory or from there."""

    def __init__(self, env: Environment, spec: ControllerSpec, bus: Bus, seen: BusSpec, name: str) -> None:
        self.population = Population(env, name)  # queued and under way
        self._spec, self._bus, self._seen = spec, bus, seen
        self._ways = {way: Transaction(seen.tenure(way, spec.burst), done=self._moved) for way in (False, True)}
        self._waiting: Fifo[_Transfer] = Fifo()
        self._current: _Transfer | None = None
        self._times: dict[tuple[int, bool], int] = {}

    def move(self, nbytes: int, to_memory: bool, done: Callable[[Any], None], argument: Any) -> None:
        """Move `nbytes` when their turn has come, and call `done(argument)` then."""
        transfer = (self.population.arrive(), nbytes, to_memory, done, argument)
        if self._current is None:
            self._begin(transfer)
        else:
            self._waiting.append(transfer)

    def _begin(self, transfer: _Transfer) -> None:
        self._current = transfer
        _, nbytes, to_memory, _, _ = transfer
        time = self._times.get((nbytes, to_memory))
        if time is None:
            time = self._times[nbytes, to_memory] = self._spec.bus_time(self._seen, nbytes, to_memory)
        self._bus.request(self._ways[to_memory], time, nbytes)

    def _moved(self, way: Transaction) -> None:
        assert self._current is not None
        arrived, _, _, done, argument = self._current
        self.population.depart(arrived)
        self._current = None
        if self._waiting:
            self._begin(self._waiting.popleft())
        done(argument)
