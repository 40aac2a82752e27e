"""An interrupt line that several ports share, and the drivers on it.

PCI's lines are level-triggered, which lets cards share them: a card holds its line until its driver has handled its
event (PCI 2.2, 2.2.6). On an interrupt all handlers of the line are called in the order in which their devices were
opened, while the line is masked at the controller (Linux 2.2: arch/i386/kernel/irq.c, handle_IRQ_event). Each looks at
its own card's status. A driver whose card has nothing to report returns immediately; the others empty their rings as
usual. So frames of several ports go up in the order of the chain, and no handler of the line suspends another. If a
card holds the line when it is unmasked, all handlers are called once more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64, mypyc_attr

from netsim.engine import Environment
from netsim.machine.backlog import Backlog
from netsim.machine.driver import Driver
from netsim.machine.port import HandlerPort, Port
from netsim.machine.processor import Processor
from netsim.machine.rotation import Rotation
from netsim.machine.send_queue import Kernel
from netsim.machine.system import KernelSpec
from netsim.machine.task import INTERRUPT, Task
from netsim.machine.work import Work
from netsim.nic import Nic

_ENTRY: Final = -1  # in place of a driver's number in the chain


@mypyc_attr(allow_interpreted_subclasses=True)
class InterruptLine:
    """The line numbered `irq` on the named host. Its processor is that of its drivers' `backlog`, or with a rotation
    the next one."""

    def __init__(
        self, env: Environment, host: str, irq: int, kernel: Kernel, costs: KernelSpec, backlog: Backlog,
    ) -> None:
        self.host = host
        self.irq = irq
        self.calendar = env.calendar
        self.interrupts = 0
        self.chain: list[SharedDriver] = []
        self.task = Task(INTERRUPT, self.next_step, self.stepped)
        self._processor: Processor = backlog.processor
        self._rotation: Rotation | None = kernel.rotation
        self._others: list[Callable[[], None]] = backlog.interrupted if costs.nested_interrupts else []
        cycles, masks = costs.handler_cycles, costs.masks_interrupts
        self._entry = kernel.bill().interrupt_entry(cycles, masks).work()
        self._exit = kernel.bill().interrupt_exit(masks).work()
        self._at: i64 = _ENTRY  # the driver in the chain being called; after the last one: the exit
        self._called = False  # this driver has read its status

    def rise(self) -> None:
        """A card begins to hold the line; this is noticed now, or when the line is unmasked."""
        if not self.task.ready:
            if self._rotation is not None:
                self._processor = self._rotation.following()
            self._processor.kick(self.task)

    def enter(self) -> None:
        """An interrupt."""
        self.interrupts += 1
        for interrupted in self._others:
            interrupted()

    def next_step(self) -> Work | None:
        """The entry, a step of one of the handlers, or the exit."""
        if self._at == _ENTRY:
            self.enter()
            return self._entry
        while self._at < len(self.chain):
            driver = self.chain[self._at]
            if not self._called:
                self._called = True
                driver.call(self._processor)
            work = driver.next_step()
            if work is not None:
                return work
            self._leave()
        return self._exit

    def _leave(self) -> None:
        self.chain[self._at].called = self._called = False
        self._at += 1

    def stepped(self) -> bool:
        """That step is done. Another one follows, up to the exit."""
        if self._at == _ENTRY:
            self._at = 0
        elif self._at < len(self.chain):
            if not self.chain[self._at].stepped():
                self._leave()
        else:
            self._at = _ENTRY
            return self._held() and self._is_next()
        return True

    def _held(self) -> bool:
        return any(driver.holds for driver in self.chain)

    def _is_next(self) -> bool:
        """Whether this processor also takes an interrupt that follows immediately."""
        if self._rotation is None:
            return True
        self.calendar.call_at(self.calendar.now, self._follow)
        return False

    def _follow(self, _: object) -> None:
        self.rise()


@mypyc_attr(allow_interpreted_subclasses=True)
class SharedDriver(Driver):
    """The driver of a port on a `line` shared with others."""

    def __init__(
        self, port: Port, number: int, nic: Nic, kernel: Kernel, costs: KernelSpec, backlog: Backlog,
        line: InterruptLine,
    ) -> None:
        super().__init__(HandlerPort.of(port), number, nic, kernel, costs, backlog)
        self.holds = False  # its card holds the line
        self.called = False  # it has been called, and has not finished
        self._line = line
        self._ring_worker = self._handler.worker
        self._handler = line.task
        self._foreign = port.bill_foreign(kernel.bill()).work()
        self._finds_none = False  # the interrupt is another card's
        line.chain.append(self)

    def interrupt(self) -> None:
        if self.masked:
            self._held = True
        elif not self.called or self._finds_none:
            self.holds = True
            self._line.rise()
        elif self._passes and not self._again:
            self._again = True
            self._since = self._calendar.now

    def call(self, processor: Processor) -> None:
        """The kernel calls the handler on `processor`, whichever card interrupted."""
        self.processor = processor
        self.called = True
        self._entering, self.holds = self.holds, False
        self._finds_none = not self._entering

    def next_step(self) -> Work | None:
        """The handler's next step."""
        return self._foreign if self._finds_none else self._ring_worker.begin()

    def stepped(self) -> bool:
        """That step is done; whether another one may follow."""
        return not self._finds_none and self._ring_worker.end()

    def _enter(self) -> None:
        self.read_status()  # the line counts interrupts
