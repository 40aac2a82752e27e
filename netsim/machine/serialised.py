"""The driver of a port that NDIS serialises: a miniport none of whose functions but its interrupt's first part may run
beside another (Windows NT DDK, msdn-1998-06, 204trnsf_9; Microsoft ff564163, "Serialized NDIS Miniport Drivers").

NDIS has a lock for each such port. Its deferred procedure call takes it, spinning (at that level there is nothing else
to do), and holds it while the driver works off its ring and indicates what it finds, so through the protocols' work for
that, and through what they do in answer. Whatever is handed down to the port meanwhile, by whatever processor, NDIS
queues; it hands it to the driver in its order when the driver has returned, under the same lock, in the same call
(ff553613, NdisMSendComplete). Interrupts are let through again when the driver has returned. A frame that finds the
port free is handed to the driver at once, under the lock, by the processor that sends it.

Not modelled: a frame for another port, handed down within a call, waits until that call is over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.machine.backlog import Backlog
from netsim.machine.device import QUEUED
from netsim.machine.driver import Driver
from netsim.machine.lock import Lock
from netsim.machine.port import Port
from netsim.machine.send_queue import Kernel
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, Task
from netsim.machine.work import Work
from netsim.nic import Nic, SlaveNic


class Calls(Kernel, Protocol):
    """A host that lets deferred work come up within a driver's call."""

    def call(self, agenda: Fifo[Task] | None) -> None:
        """What is deferred from now on is done within a call, after what is on its agenda; None: the call is over."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Indications(Backlog):
    """What the driver of one port has indicated: the protocols look at it within the driver's call."""

    def put(self, frame: Frame) -> None:
        """Nothing waits for the call, which continues with it."""
        self._frames.append(frame)

    def taken_up(self) -> None:
        """The work for the frame is done."""
        self.end()


@mypyc_attr(allow_interpreted_subclasses=True)
class SerialisedDriver(Driver):
    """The driver of one port, and its part of NDIS. `indications` are its own; `lock` is the port's."""

    def __init__(
        self,
        port: Port,
        number: int,
        nic: Nic | SlaveNic,
        host: Calls,
        costs: KernelSpec,
        indications: Indications,
        lock: Lock,
    ) -> None:
        super().__init__(port, number, nic, host, costs, indications)
        self.lock = lock
        self._host = host
        self._indications = indications
        self._ring_worker = self._handler.worker
        self._done: Callable[[], None] = self._worked_off  # what the current work has for its effect
        self._agenda: Fifo[Task] = Fifo()  # what protocols have deferred in this call
        self._returned = False  # the driver has, and its interrupts are let through
        call, submit = (self._call_begin, self._call_end), (self._restart_begin, self._restart_end)
        self._handler = Task(DEFERRED, *call, lock, keeps=True, name="receive", goes_on=True)
        self._restart = Task(DEFERRED, *submit, lock, spins=False, keeps=True, name="send", goes_on=True)

    # --- sending -----------------------------------------------------------------------------------------------------

    def straight(self) -> int:
        return QUEUED

    def put(self, frame: Frame) -> None:
        """`frame` is behind all others; what has the lock hands it on, or else the processor that sends it."""
        self.enqueue(frame)
        if self.lock.holder is None:
            self._host.defer(self._restart)

    def restart(self) -> None:
        """The port's own lock lets what waits continue, whatever the kernel does with queues that it has itself."""
        self.processor.kick(self._restart)

    # --- the deferred procedure call ---------------------------------------------------------------------------------

    def interrupt_deferred(self) -> None:
        """As any driver's; but once the driver has returned the next interrupt comes, whatever NDIS is still doing."""
        if self._returned and not (self._interruption.ready or self._entering):
            self.processor.kick(self._interruption)
        else:
            super().interrupt_deferred()

    def _call_begin(self) -> Work | None:
        """The next step: protocols look at what was indicated, and answer; then the ring; then what is to be sent; then
        the ring again, if the next call is waiting."""
        work = self._answer()
        if work is None and not self._returned:
            work = self._work_off()
        if work is None:
            work = self._submit()
            if work is None and self._entering:
                work = self._work_off()
        return work

    def _answer(self) -> Work | None:
        work = self._indications.begin()
        if work is not None:
            self._done = self._indications.taken_up
            return work
        while self._agenda:
            work = self._agenda[0].worker.begin()
            if work is not None:
                self._done = self._answered
                return work
            self._agenda.popleft().ready = False
        return None

    def _work_off(self) -> Work | None:
        work = self._ring_worker.begin()
        self._returned = work is None
        self._done = self._worked_off
        return work

    def _submit(self) -> Work | None:
        work = self._restart_begin()
        self._done = self._submitted
        if work is None:
            self._returned = False  # the call is over
        return work

    def _call_end(self) -> bool:
        self._host.call(self._agenda)
        self._done()
        self._host.call(None)
        return True

    def _answered(self) -> None:
        task = self._agenda[0]
        if not task.worker.end():
            self._agenda.popleft().ready = False

    def _worked_off(self) -> None:
        self._ring_worker.end()

    def _submitted(self) -> None:
        self._restart_end()
