"""A computer: processors, memory, bus, adapters and their drivers, wired together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, Self

from pydantic import model_validator

from netsim import catalog
from netsim.bus import PciBus, PciSpec
from netsim.engine import Environment
from netsim.errors import ScenarioError, SimulationError
from netsim.ethernet import Frame
from netsim.host.driver import Driver, DriverSpec
from netsim.host.processor import DEFERRED, PROCESS, Processor, Task
from netsim.host.system import SystemSpec
from netsim.host.work import Bill, MemorySpec, ProcessorSpec, Work
from netsim.nic import Nic, NicSpec
from netsim.spec import Spec


class AdapterSpec(NicSpec):
    """An adapter as installed: the chip and the driver that runs it. By name: "card/driver"."""

    driver: DriverSpec

    @model_validator(mode="after")
    def _capable(self) -> Self:
        """A driver can't leave to the card what the card can't do."""
        for way, can in (("rx_checksum", self.rx_checksum), ("tx_checksum", self.tx_checksum)):
            if getattr(self.driver, way) == "nic" and not can:
                text = f'"nic" needs a card that can; allowed here: "host" ({way} is false)'
                raise ScenarioError(text, address=f"driver.{way}")
        return self

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The card and the driver with these catalogue names, as "card/driver". Raises ScenarioError."""
        card, _, driver = name.partition("/")
        catalog.path("nics", card)
        if not driver:
            listed = ", ".join(f"{card}/{one}" for one in catalog.names("drivers"))
            raise ScenarioError(f'"{card}" names a card and no driver; write one of {listed}')
        return cls.from_catalog("nics", card, driver=DriverSpec.from_name(driver))


class HostSpec(Spec):
    """A computer without its operating system's protocols."""

    processors: ProcessorSpec
    memory: MemorySpec
    bus: PciSpec
    system: SystemSpec
    nics: tuple[AdapterSpec, ...] = ()

    def bill(self) -> Bill:
        """An empty bill in this host's prices."""
        return Bill(self.processors, self.memory, self.bus)


class Handler(Protocol):
    """What deferred work hands a received frame to. A handler knows what kind of frame comes on its port."""

    def arriving(self, frame: Any) -> Work:
        """What the processor has to do for `frame`."""

    def arrived(self, frame: Any) -> None:
        """That is done."""


class Host:
    """The computer in a running simulation."""

    def __init__(self, env: Environment, spec: HostSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.bus = PciBus(env, spec.bus, f"{name} bus")
        processes: deque[Task] = deque()
        self.processors = [
            Processor(env, f"{name} processor {i}", self.bus.access, processes) for i in range(spec.processors.count)
        ]
        self.nics = [Nic(env, nic, self.bus, f"{name} nic {i}") for i, nic in enumerate(spec.nics)]
        # One processor takes the interrupts and the deferred work that follows from them.
        self.drivers = [
            Driver(adapter.driver, nic, self, self.processors[0])
            for adapter, nic in zip(spec.nics, self.nics, strict=True)
        ]
        self.interrupt_cycles = spec.system.kernel.interrupt_cycles
        self.handlers: dict[Any, Handler] = {}
        self.frames_handled = 0  # handed to one of them
        self.drops = {"backlog": 0}
        self._backlog: deque[Frame] = deque()
        self._backlog_limit = spec.system.kernel.backlog
        self._frame: Frame | None = None
        self._handler: Handler | None = None
        self._deferred = Task(DEFERRED, self._take_up, self._taken_up)

    def bill(self) -> Bill:
        """An empty bill in this host's prices."""
        return self.spec.bill()

    def netif_rx(self, frame: Frame) -> None:
        """A driver has received `frame`: it waits for deferred work, if there is room."""
        if len(self._backlog) >= self._backlog_limit:
            self.drops["backlog"] += 1
            return
        self._backlog.append(frame)
        if not self._deferred.ready:
            self.processors[0].kick(self._deferred)

    def _take_up(self) -> Work | None:
        if not self._backlog:
            return None
        frame = self._frame = self._backlog.popleft()
        handler = self._handler = self.handlers.get(frame.port)
        if handler is None:
            raise SimulationError(f"{self.name}: nobody receives on port {frame.port!r}")
        return handler.arriving(frame)

    def _taken_up(self) -> bool:
        frame, self._frame = self._frame, None
        self.frames_handled += 1
        self._handler.arrived(frame)  # type: ignore[union-attr]
        return bool(self._backlog)

    def process(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """A process of this host; `wake` it to make it look for work."""
        return Task(PROCESS, begin, end)

    def deferred(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """Deferred work of a protocol; `defer` it to make it look for work."""
        return Task(DEFERRED, begin, end)

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
