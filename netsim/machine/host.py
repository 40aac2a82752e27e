"""A computer: processors, memory, bus, adapters and their drivers, wired together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic

from mypy_extensions import mypyc_attr
from typing_extensions import TypeVar

from netsim.accounts import Resource
from netsim.accounts.resource import BOTTOM_HALVES, KERNEL_LOCK, MINIPORT_LOCK, PROCESSOR
from netsim.bus import Bus
from netsim.engine import Environment, Fifo
from netsim.ethernet import Frame, Link
from netsim.machine.adapter import AdapterSpec, SlaveAdapterSpec
from netsim.machine.backlog import Backlog, Handler
from netsim.machine.bill import Bill
from netsim.machine.bottom_halves import BottomHalves
from netsim.machine.caller import Caller
from netsim.machine.clock import Clock
from netsim.machine.driver import Driver
from netsim.machine.host_spec import HostSpec
from netsim.machine.interrupt_line import InterruptLine, SharedDriver
from netsim.machine.lock import Lock
from netsim.machine.memory import Memory
from netsim.machine.polled import PolledDriver
from netsim.machine.polling import Poller, poller
from netsim.machine.port import Port
from netsim.machine.processor import Here, Processor
from netsim.machine.rotation import Rotation
from netsim.machine.serialised import Indications, SerialisedDriver
from netsim.machine.task import DEFERRED, PROCESS, Task
from netsim.machine.volume import Volume
from netsim.machine.work import Work
from netsim.nic import Nic, SlaveNic

# A subclass binds this instead of declaring `spec` again: mypyc 2.4 visits an attribute once for each class that
# declares it (generate_traverse_for_class), so Python's collector took descriptions in use for garbage.
Described = TypeVar("Described", bound=HostSpec, default=HostSpec, covariant=True)


@mypyc_attr(allow_interpreted_subclasses=True)
class Host(Generic[Described]):
    """The computer in a running simulation. Its ports have separate cables, or are on segments: all of them
    (`half_duplex`), or those whose numbers are `shared`."""

    def __init__(
        self,
        env: Environment,
        spec: Described,
        name: str,
        *,
        half_duplex: bool = False,
        shared: frozenset[int] = frozenset(),
    ) -> None:
        self.env = env
        self.calendar = env.calendar
        self.spec = spec
        self.name = name
        names, part = spec.bus_names(name), env.part(Bus)
        self.buses = [part(env, bus, title) for bus, title in zip(spec.slots, names, strict=True)]
        kernel = spec.system.kernel
        lock, big = env.part(Lock), spec.has_big_lock
        self.kernel_lock = lock(env, Resource(name, KERNEL_LOCK)) if big else None
        self._halves = BottomHalves(lock(env, Resource(name, BOTTOM_HALVES))) if big else None
        self._here = Here()
        self.processors = self._processors()
        rotates = kernel.interrupts == "rotating" and len(self.processors) > 1
        self.rotation = Rotation(self.processors) if rotates else None
        self._clock = self._ticking() if kernel.tick else None
        ports = spec.ports()
        self._poller = self._polling(ports)
        self.nics = [self._nic(port, i, half_duplex or i in shared) for i, port in enumerate(ports)]
        self.handlers: dict[Any, Handler] = {}
        self.frames_again = 0  # handed to deferred work a second time
        taking = self.processors if kernel.interrupts == "spread" and not big else self.processors[:1]
        self.backlogs = [self._backlog(processor) for processor in taking]
        self._lines = self._shared_lines()  # by the numbers of the ports that share one
        self._agenda: Fifo[Task] | None = None  # of the current driver call
        self.drivers = [
            self._driver(port, number, nic, self.backlogs[number % len(taking)])
            for number, (port, nic) in enumerate(zip(ports, self.nics, strict=True))
        ]
        self._stays = big or kernel.interrupts != "first"  # whether deferred work stays where it comes up
        self._going_on = False
        self.volume = Volume(self) if spec.has_files else None

    def _nic(self, port: Port, number: int, half_duplex: bool) -> Nic | SlaveNic:
        adapter = port.adapter
        if isinstance(adapter, SlaveAdapterSpec):
            entry, moving = port.entry_time(self.bill, self.spec.system.kernel), partial(port.moving_time, self.bill)
            return SlaveNic(self.env, adapter, entry, moving, self.name, number, adapter.driver.enough)
        assert isinstance(adapter, AdapterSpec)
        bus = self.buses[port.slot]
        return Nic(self.env, adapter, bus, port.bus, self.name, number, half_duplex=half_duplex)

    def _processors(self) -> list[Processor]:
        spec = self.spec
        memory = Memory(self.env, spec.memory_rate, spec.memory.read, spec.is_concurrent) if spec.memory_rate else None
        if memory is not None:
            for bus in self.buses:
                bus.memory = memory.stream(bus.polls)
        access: list[Callable[[int], int]] = [bus.access for bus in self.buses]
        processes: Fifo[Task] = Fifo()
        nested = spec.system.kernel.nested_interrupts
        part = self.env.part(Processor)
        common = access, processes, nested, memory, self._here, self.buses, self._halves
        processors = [
            part(self.env, Resource(self.name, PROCESSOR, i), *common) for i in range(spec.processors.count)
        ]
        if self._halves is not None:
            self._halves.connect(processors)
        return processors

    def _ticking(self) -> Clock:
        kernel = self.spec.system.kernel
        work = self.bill().tick(kernel.tick_cycles, kernel.masks_interrupts).work()
        return Clock(self.env, kernel.tick, work, self.processors[0], self.name, self.rotation)

    def _polling(self, ports: Sequence[Port]) -> Poller | None:
        """The poller that empties the rings of these ports, unless interrupts do."""
        kernel = self.spec.system.kernel
        if kernel.polling is None:
            return None
        look = sum(port.bill_end(port.bill_entry(self.bill(), kernel)).work().total for port in ports)
        return poller(kernel.polling, self.env, self._here, self._clock, look)

    def _shared_lines(self) -> dict[int, InterruptLine]:
        kernel = self.spec.system.kernel
        lines: dict[int, InterruptLine] = {}
        for irq, ports in self.spec.shared_lines().items():
            line = self.env.part(InterruptLine)(self.env, self.name, irq, self, kernel, self.backlogs[0])
            lines |= dict.fromkeys(ports, line)
        return lines

    def _driver(self, port: Port, number: int, nic: Nic | SlaveNic, backlog: Backlog) -> Driver:
        env, kernel = self.env, self.spec.system.kernel
        if self._poller is not None:
            assert isinstance(nic, Nic)
            own = env.part(Indications)(kernel, backlog.processor, self.handlers)
            self.backlogs.append(own)
            return env.part(PolledDriver)(port, number, nic, self, kernel, own, self._poller)
        if number in self._lines:
            assert isinstance(nic, Nic)
            return env.part(SharedDriver)(port, number, nic, self, kernel, backlog, self._lines[number])
        if not port.serialised(kernel):
            return env.part(Driver)(port, number, nic, self, kernel, backlog)
        own = env.part(Indications)(kernel, backlog.processor, self.handlers)
        self.backlogs.append(own)
        lock = env.part(Lock)(env, Resource(self.name, MINIPORT_LOCK, number))
        return env.part(SerialisedDriver)(port, number, nic, self, kernel, own, lock)

    def _backlog(self, processor: Processor) -> Backlog:
        """The backlog that takes up the frames that `processor` receives."""
        here = self._here if self.rotation or self._halves else None
        kernel = self.spec.system.kernel
        return self.env.part(Backlog)(kernel, processor, self.handlers, here=here, clock=self._clock)

    def plug(self, number: int, out: Link, into: Link) -> None:
        """Plug a cable into the port of this number: send on `out`, receive from `into`."""
        self.nics[number].plug(out, into)
        self.drivers[number].set_up(into.spec.mtu)

    def bill(self) -> Bill:
        """An empty bill with this host's costs."""
        return self.spec.bill()

    def process(self, begin: Callable[[], Work | None], end: Callable[[], bool], *, goes_on: bool = False) -> Task:
        """A process of this host; `wake` makes it look for work. With `goes_on` it may continue as long as it has some
        (Task)."""
        return Task(PROCESS, begin, end, goes_on=goes_on)

    def caller(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """A process inside its calls on a socket."""
        return Caller(begin, end, self.kernel_lock) if self.kernel_lock else Task(PROCESS, begin, end, name="calls")

    def deferred(self, begin: Callable[[], Work | None], end: Callable[[], bool]) -> Task:
        """Deferred work of a protocol; `defer` makes it look for work."""
        return Task(DEFERRED, begin, end, name="send")

    def wake(self, task: Task) -> None:
        """Let a process run, if possible on an idle processor: preferably not on the one that takes the interrupts,
        since a running process is not moved when they come. A caller preferably stays on its processor."""
        if task.ready:
            return
        if isinstance(task, Caller):
            task.choose(self.processors).kick(task)
            return
        for processor in reversed(self.processors):
            if processor.task is None:
                break
        if self._going_on:
            processor.kick_first(task)
        else:
            processor.kick(task)

    def go_on(self, then: Callable[[], None]) -> None:
        """Do immediately what follows a thread's work (`then`): if this wakes the thread for its next call, the thread
        precedes the tasks that wait for a processor."""
        before, self._going_on = self._going_on, True
        then()
        self._going_on = before

    def defer(self, task: Task) -> None:
        """Let deferred work run: within a driver's call, if it comes up there and needs no separate lock."""
        if task.ready:
            return
        if self._agenda is not None and task.lock is None:
            task.ready = True
            self._agenda.append(task)
        else:
            processor = self._here.processor if self._stays else self.processors[0]
            processor.kick(task)

    def call(self, agenda: Fifo[Task] | None) -> None:
        """From now on do deferred work within a driver's call, after the work on its `agenda`; None: no longer."""
        self._agenda = agenda

    def hand_up_again(self, frame: Frame) -> None:
        """Deferred work has derived `frame` from one received on the same port: it waits for deferred work in turn."""
        self.frames_again += 1
        self.drivers[frame.received_by].hand_up(frame)

    @property
    def locks(self) -> list[Lock]:
        """The locks between its processors; a single processor has none."""
        if len(self.processors) == 1:
            return []
        big = [] if self.kernel_lock is None or self._halves is None else [self.kernel_lock, self._halves.token]
        return [*big, *(one.lock for one in self.drivers if isinstance(one, SerialisedDriver))]

    @property
    def interrupts(self) -> int:
        """Interrupts by adapters: one on a shared line counts once, whichever adapter it is for."""
        lines = sum(line.interrupts for line in set(self._lines.values()))
        return lines + sum(driver.interrupts for driver in self.drivers)

    @property
    def frames_handled(self) -> int:
        """Received frames handed to a protocol."""
        return sum(backlog.handled for backlog in self.backlogs)

    @property
    def drops(self) -> dict[str, int]:
        """Received frames dropped for lack of room on their way to the protocols, by place."""
        return {"backlog": sum(backlog.dropped for backlog in self.backlogs)}

    @property
    def frames_inside(self) -> int:
        """Frames between the wire and the protocols."""
        return sum(backlog.inside for backlog in self.backlogs) + sum(
            nic.receiver.frames_inside + driver.frames_inside
            for nic, driver in zip(self.nics, self.drivers, strict=True)
        )
