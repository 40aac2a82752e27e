"""A computer: processors, memory, bus, adapters and their drivers, wired together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, Self

from pydantic import model_validator

from netsim.bus import PciBus, PciSpec
from netsim.engine import Environment
from netsim.errors import ScenarioError, SimulationError
from netsim.ethernet import Frame
from netsim.host.adapter import AdapterSpec
from netsim.host.clock import Clock
from netsim.host.driver import Driver
from netsim.host.lock import Lock
from netsim.host.memory import Memory
from netsim.host.port import Port
from netsim.host.processor import Processor
from netsim.host.system import SystemSpec
from netsim.host.task import DEFERRED, PROCESS, Task
from netsim.host.work import Bill, MemorySpec, ProcessorSpec, Work
from netsim.nic import Nic
from netsim.spec import Spec


class HostSpec(Spec):
    """A computer without its operating system's protocols. `peers` are further buses of its chipset beside `bus`."""

    processors: ProcessorSpec
    memory: MemorySpec
    bus: PciSpec
    peers: tuple[PciSpec, ...] = ()
    system: SystemSpec
    nics: tuple[AdapterSpec, ...] = ()

    @model_validator(mode="after")
    def _slotted(self) -> Self:
        """Adapters are in slots that there are."""
        last = len(self.peers)
        for number, nic in enumerate(self.nics):
            if nic.slot > last:
                allowed = f"0 to {last}" if last else "0"
                text = f"{nic.slot} is no bus of this host; allowed: {allowed}"
                raise ScenarioError(text, address=f"nics.{number}.slot")
        return self

    @property
    def buses(self) -> tuple[PciSpec, ...]:
        """All of them, by number."""
        return (self.bus, *self.peers)

    @property
    def locks(self) -> bool:
        """Whether it has a network lock: a processor alone has nobody to exclude."""
        return self.system.kernel.network_lock and self.processors.count > 1

    def bill(self) -> Bill:
        """An empty bill in this host's prices."""
        return Bill(self.processors, self.memory)

    def ports(self) -> list[Port]:
        """The ports in use, adapter by adapter."""
        buses = self.buses
        return [Port(nic, nic.sees(buses[nic.slot])) for nic in self.nics for _ in range(nic.ports)]

    def bus_names(self, host: str) -> list[str]:
        """What they are called in a host's books."""
        return [f"{host} bus {number}" if number else f"{host} bus" for number in range(len(self.buses))]


class Handler(Protocol):
    """What deferred work hands a received frame to. A handler knows what kind of frame comes on its port."""

    def arriving(self, frame: Any) -> Work | None:
        """What the processor has to do for `frame`; None: nothing now, the handler has kept it."""

    def arrived(self, frame: Any) -> None:
        """That is done."""


class Host:
    """The computer in a running simulation."""

    def __init__(self, env: Environment, spec: HostSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.buses = [PciBus(env, bus, title) for bus, title in zip(spec.buses, spec.bus_names(name), strict=True)]
        kernel = spec.system.kernel
        self.network_lock = Lock(env, f"{name} network lock") if spec.locks else None
        self.processors = self._processors()
        ports = spec.ports()
        self.nics = [
            Nic(env, port.adapter, self.buses[port.slot], port.bus, f"{name} nic {i}") for i, port in enumerate(ports)
        ]
        # One processor takes the interrupts and the deferred work that follows from them.
        self.drivers = [
            Driver(port, number, nic, self, kernel, self.processors[0])
            for number, (port, nic) in enumerate(zip(ports, self.nics, strict=True))
        ]
        self.handlers: dict[Any, Handler] = {}
        self.frames_handled = 0  # handed to one of them
        self.drops = {"backlog": 0}
        self._backlog: deque[Frame] = deque()
        self._backlog_limit = kernel.backlog
        self._drains = kernel.backlog_drains
        self._draining = False  # the backlog has overflowed, and is not empty yet
        self._frame: Frame | None = None
        self._handler: Handler | None = None
        self._deferred = self.deferred(self._take_up, self._taken_up)
        if kernel.tick:
            Clock(env, kernel.tick, self.bill().interrupt(kernel.tick_cycles).work(), self.processors[0], name)

    def _processors(self) -> list[Processor]:
        spec = self.spec
        memory = Memory(self.env, spec.memory.bandwidth) if spec.memory.bandwidth else None
        if memory is not None:
            for bus in self.buses:
                bus.moves = memory.stream().move
        access = [bus.access for bus in self.buses]
        processes: deque[Task] = deque()
        nested = spec.system.kernel.nested_interrupts
        return [
            Processor(self.env, f"{self.name} processor {i}", access, processes, nested, memory)
            for i in range(spec.processors.count)
        ]

    def bill(self) -> Bill:
        """An empty bill in this host's prices."""
        return self.spec.bill()

    def netif_rx(self, frame: Frame) -> None:
        """A driver has received `frame`: it waits for deferred work, if there is room."""
        waiting = len(self._backlog)
        if waiting >= self._backlog_limit or (self._draining and waiting):
            self._draining = self._drains
            self.drops["backlog"] += 1
            return
        self._draining = False
        self._backlog.append(frame)
        if not self._deferred.ready:
            self.processors[0].kick(self._deferred)

    def _take_up(self) -> Work | None:
        while self._backlog:
            frame = self._backlog.popleft()
            handler = self._handler = self.handlers.get(frame.port)
            if handler is None:
                raise SimulationError(f"{self.name}: nobody receives on port {frame.port!r}")
            work = handler.arriving(frame)
            if work is not None:
                self._frame = frame
                return work
            self.frames_handled += 1
        return None

    def _taken_up(self) -> bool:
        frame, self._frame = self._frame, None
        self.frames_handled += 1
        self._handler.arrived(frame)  # type: ignore[union-attr]
        return bool(self._backlog)

    def process(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """A process of this host; `wake` it to make it look for work."""
        return Task(PROCESS, begin, end)

    def caller(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """A process inside its calls on a socket."""
        return Task(PROCESS, begin, end, self.network_lock)

    def deferred(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """Deferred work of a protocol; `defer` it to make it look for work."""
        return Task(DEFERRED, begin, end, self.network_lock)

    def wake(self, task: Task) -> None:
        """Let a process run, on an idle processor if there is one: rather not the one that takes the interrupts, as a
        process that runs is not moved when they come."""
        if task.ready:
            return
        for processor in reversed(self.processors):
            if processor.task is None:
                break
        processor.kick(task)

    def defer(self, task: Task) -> None:
        """Let deferred work run."""
        if not task.ready:
            self.processors[0].kick(task)

    @property
    def frames_inside(self) -> int:
        """Frames between the wire and the protocols."""
        inside = len(self._backlog) + (self._frame is not None)
        return inside + sum(
            nic.receiver.frames_inside + driver.frames_inside
            for nic, driver in zip(self.nics, self.drivers, strict=True)
        )
