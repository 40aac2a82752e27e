"""A computer: processors, memory, bus, adapters and their drivers, wired together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.accounts.resource import NETWORK_LOCK, PROCESSOR
from netsim.bus import Bus
from netsim.engine import Environment, Fifo
from netsim.ethernet import Link
from netsim.machine.adapter import AdapterSpec, SlaveAdapterSpec
from netsim.machine.backlog import Backlog, Handler
from netsim.machine.bill import Bill
from netsim.machine.clock import Clock
from netsim.machine.driver import Driver
from netsim.machine.host_spec import HostSpec
from netsim.machine.lock import Lock
from netsim.machine.memory import Memory
from netsim.machine.port import Port
from netsim.machine.processor import Here, Processor
from netsim.machine.task import DEFERRED, PROCESS, Task
from netsim.machine.volume import Volume
from netsim.machine.work import Work
from netsim.nic import Nic, SlaveNic


@mypyc_attr(allow_interpreted_subclasses=True)
class Host:
    """The computer in a running simulation; its adapters have cables of their own, or are on segments (`half_duplex`).
    """

    def __init__(self, env: Environment, spec: HostSpec, name: str, *, half_duplex: bool = False) -> None:
        self.env = env
        self.calendar = env.calendar
        self.spec = spec
        self.name = name
        names, part = spec.bus_names(name), env.part(Bus)
        self.buses = [part(env, bus, title) for bus, title in zip(spec.buses, names, strict=True)]
        kernel = spec.system.kernel
        self.network_lock = env.part(Lock)(env, Resource(name, NETWORK_LOCK)) if spec.has_network_lock else None
        self._here = Here()
        self.processors = self._processors()
        for processor in self.processors:
            processor.lock = next(iter(self.locks), None)
        ports = spec.ports()
        self.nics = [self._nic(port, i, half_duplex) for i, port in enumerate(ports)]
        self.handlers: dict[Any, Handler] = {}
        taking = self.processors if kernel.interrupts == "spread" else self.processors[:1]
        self.backlogs = [self._backlog(processor) for processor in taking]
        self.drivers = [
            env.part(Driver)(port, number, nic, self, kernel, self.backlogs[number % len(self.backlogs)])
            for number, (port, nic) in enumerate(zip(ports, self.nics, strict=True))
        ]
        self._spread = kernel.interrupts == "spread"
        self._going_on = False
        self.volume = Volume(self) if spec.has_files else None
        if kernel.tick:
            Clock(env, kernel.tick, self.bill().interrupt(kernel.tick_cycles).work(), self.processors[0], name)

    def _nic(self, port: Port, number: int, half_duplex: bool) -> Nic | SlaveNic:
        adapter = port.adapter
        if isinstance(adapter, SlaveAdapterSpec):
            entry, moving = port.entry_time(self.bill, self.spec.system.kernel), partial(port.moving_time, self.bill)
            return SlaveNic(self.env, adapter, entry, moving, self.name, number)
        assert isinstance(adapter, AdapterSpec)
        bus = self.buses[port.slot]
        return Nic(self.env, adapter, bus, port.bus, self.name, number, half_duplex=half_duplex)

    def _processors(self) -> list[Processor]:
        spec = self.spec
        memory = Memory(self.env, spec.memory.bandwidth) if spec.memory.bandwidth else None
        if memory is not None:
            for bus in self.buses:
                bus.moves = memory.stream().move
        access: list[Callable[[int], int]] = [bus.access for bus in self.buses]
        processes: Fifo[Task] = Fifo()
        nested = spec.system.kernel.nested_interrupts
        part = self.env.part(Processor)
        return [
            part(self.env, Resource(self.name, PROCESSOR, i), access, processes, nested, memory, self._here, self.buses)
            for i in range(spec.processors.count)
        ]

    def _backlog(self, processor: Processor) -> Backlog:
        """What takes up the frames that `processor` receives."""
        return self.env.part(Backlog)(self.spec.system.kernel, processor, self.handlers, self.network_lock)

    def plug(self, number: int, out: Link, into: Link) -> None:
        """Plug a cable into the port of this number: send on `out`, receive from `into`."""
        nic = self.nics[number]
        assert isinstance(nic, Nic)
        nic.plug(out, into)

    def bill(self) -> Bill:
        """An empty bill in this host's prices."""
        return self.spec.bill()

    def process(self, begin: Callable[[], Work | None], end: Callable[[], bool], *, goes_on: bool = False) -> Task:
        """A process of this host; `wake` it to make it look for work. It may go on as long as it has some (Task)."""
        return Task(PROCESS, begin, end, goes_on=goes_on)

    def caller(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """A process inside its calls on a socket."""
        return Task(PROCESS, begin, end, self.network_lock, name="calls")

    def deferred(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """Deferred work of a protocol; `defer` it to make it look for work."""
        return Task(DEFERRED, begin, end, self.network_lock, keeps=True, name="send")

    def wake(self, task: Task) -> None:
        """Let a process run, on an idle processor if there is one: rather not the one that takes the interrupts, as a
        process that runs is not moved when they come."""
        if task.ready:
            return
        for processor in reversed(self.processors):
            if processor.task is None:
                break
        if self._going_on:
            processor.kick_first(task)
        else:
            processor.kick(task)

    def go_on(self, then: Callable[[], None]) -> None:
        """Do at once what follows from a thread's work: it wakes itself, in its next call, so it goes before the
        tasks that wait for a processor."""
        before, self._going_on = self._going_on, True
        then()
        self._going_on = before

    def defer(self, task: Task) -> None:
        """Let deferred work run."""
        if not task.ready:
            processor = self._here.processor if self._spread else self.processors[0]
            processor.kick(task)

    @property
    def locks(self) -> list[Lock]:
        """The locks between its processors."""
        return [self.network_lock] if self.network_lock is not None else []

    @property
    def frames_handled(self) -> int:
        """Received frames that have been handed to a protocol."""
        return sum(backlog.handled for backlog in self.backlogs)

    @property
    def drops(self) -> dict[str, int]:
        """Received frames that found no room on their way to the protocols, by place."""
        return {"backlog": sum(backlog.dropped for backlog in self.backlogs)}

    @property
    def frames_inside(self) -> int:
        """Frames between the wire and the protocols."""
        return sum(backlog.inside for backlog in self.backlogs) + sum(
            nic.receiver.frames_inside + driver.frames_inside
            for nic, driver in zip(self.nics, self.drivers, strict=True)
        )
