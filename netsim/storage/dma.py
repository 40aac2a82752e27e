"""A controller's DMA engine: one transfer at a time over a shared bus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.bus import Bus, Slot, Transaction
from netsim.engine import Environment, Fifo
from netsim.engine.population import Population
from netsim.storage.controller_spec import ControllerSpec

# A transfer: its arrival, bytes, whether to memory, the function to call when it is done, and its argument.
_Transfer = tuple[int, int, bool, Callable[[Any], None], Any]


@mypyc_attr(allow_interpreted_subclasses=True)
class ControllerDma:
    """The engine in a running simulation: it moves the data of commands to or from memory, in order of arrival."""

    def __init__(self, env: Environment, spec: ControllerSpec, bus: Bus, seen: Slot, name: str) -> None:
        self.population = Population(env, name)  # queued and under way
        self._spec, self._bus, self._seen = spec, bus, seen
        self._ways = {way: Transaction(seen.tenure(way, spec.burst), done=self._moved) for way in (False, True)}
        self._waiting: Fifo[_Transfer] = Fifo()
        self._current: _Transfer | None = None
        self._times: dict[tuple[int, bool], tuple[int, int]] = {}  # ps on the bus, and away from it
        self._away = 0  # ps, of the current transfer

    def move(self, nbytes: int, to_memory: bool, done: Callable[[Any], None], argument: Any) -> None:
        """Move `nbytes` when their turn has come, then call `done(argument)`."""
        transfer = (self.population.arrive(), nbytes, to_memory, done, argument)
        if self._current is None:
            self._begin(transfer)
        else:
            self._waiting.append(transfer)

    def _begin(self, transfer: _Transfer) -> None:
        self._current = transfer
        _, nbytes, to_memory, _, _ = transfer
        times = self._times.get((nbytes, to_memory)) or self._timing(nbytes, to_memory)
        self._away = times[1]
        dma = self._ways[to_memory]
        dma.written = nbytes if to_memory else 0
        self._bus.request(dma, times[0], nbytes)

    def _timing(self, nbytes: int, to_memory: bool) -> tuple[int, int]:
        """The times (ps) on the bus and away from it of transfers like this, computed once and kept."""
        spec, seen = self._spec, self._seen
        times = spec.bus_time(seen, nbytes, to_memory), spec.away_time(seen, nbytes, to_memory)
        self._times[nbytes, to_memory] = times
        return times

    def _moved(self, dma: Transaction) -> None:
        """The bus transfer is over; the waits for memory are added to it."""
        assert self._current is not None
        _, nbytes, to_memory, _, _ = self._current
        now, memory = self._bus.calendar.now, self._bus.fetched
        end = now + self._away
        if memory is not None and not to_memory:
            end = max(end, memory.put(nbytes, dma.start))
        if end > now:
            self._bus.calendar.call_at(end, self._finished)
        else:
            self._finished(None)

    def _finished(self, _: object) -> None:
        assert self._current is not None
        arrived, _, _, done, argument = self._current
        self.population.depart(arrived)
        self._current = None
        if self._waiting:
            self._begin(self._waiting.popleft())
        done(argument)
