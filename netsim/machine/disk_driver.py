"""The driver of a storage controller: the processor time of its commands and interrupts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from netsim.engine import Fifo
from netsim.machine.bill import Bill
from netsim.machine.task import DEFERRED, INTERRUPT, Task
from netsim.machine.work import Work
from netsim.storage import Command, Controller, StorageSpec

if TYPE_CHECKING:
    from netsim.machine.host import Host

NAME = "disk driver"  # the name under which its time is booked


class DiskDriver:
    """Hands commands to a controller, and notifies each waiting caller when they are done.

    Commands are handed over ahead of all processes, because a running process issues them. The interrupt handler also
    finds commands that end while it runs."""

    def __init__(self, host: Host, spec: StorageSpec, controller: Controller) -> None:
        self._host = host
        self._spec = spec
        self._controller = controller
        self._asked: Fifo[Command] = Fifo()
        self._submission = Task(DEFERRED, self._submit, self._submitted)
        self._submit_work = self._bill_submit(host.bill()).work()
        self._handler = Task(INTERRUPT, self._handle, self._handled)
        self._handler_work = cache(self._make_handler_work)
        self._found: list[Command] = []
        self._entering = False
        self.interrupts = 0
        controller.interrupt = self._interrupt

    def read(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Read from the volume; `done` is called when the bytes are in memory."""
        self._ask(Command(offset, nbytes, False, done))

    def write(self, offset: int, nbytes: int, done: Callable[[], None]) -> None:
        """Write to the volume; `done` is called when the controller reports completion."""
        self._ask(Command(offset, nbytes, True, done))

    def _ask(self, command: Command) -> None:
        self._asked.append(command)
        self._host.defer(self._submission)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _submit(self) -> Work | None:
        return self._submit_work if self._asked else None

    def _submitted(self) -> bool:
        self._controller.submit(self._asked.popleft())
        return bool(self._asked)

    def _bill_submit(self, bill: Bill) -> Bill:
        driver = self._spec.driver
        return self._accesses(bill.cycles(NAME, driver.submit_cycles), NAME, 0, driver.submit_writes)

    # --- interrupts --------------------------------------------------------------------------------------------------

    def _interrupt(self) -> None:
        if not self._handler.ready:
            self._entering = True
            self._host.processors[0].kick(self._handler)

    def _handle(self) -> Work | None:
        finished = self._controller.finished
        self._found = list(finished)
        finished.clear()
        entering, self._entering = self._entering, False
        self.interrupts += entering
        return self._handler_work(entering, len(self._found)) if entering or self._found else None

    def _handled(self) -> bool:
        for command in self._found:
            command.done()
        return bool(self._controller.finished)

    def _make_handler_work(self, entering: bool, commands: int) -> Work:
        driver, bill = self._spec.driver, self._host.bill()
        if entering:
            kernel = self._host.spec.system.kernel
            bill.interrupt(kernel.interrupt_cycles, kernel.masks_interrupts)
            self._accesses(bill, "interrupt", driver.interrupt_reads, driver.interrupt_writes)
        return bill.cycles(NAME, commands * driver.completion_cycles).work()

    def _accesses(self, bill: Bill, name: str, reads: int, writes: int) -> Bill:
        storage = self._spec
        bus = storage.controller.sees(self._host.spec.slots[storage.slot])
        return bill.accesses(name, bus, reads, writes, storage.slot, "memory")
