"""The driver of a port that NDIS serialises: no two functions of this miniport may run at the same time, except for the
first part of its interrupt (Windows NT DDK, msdn-1998-06, 204trnsf_9; Microsoft ff564163, "Serialized NDIS Miniport
Drivers").

NDIS has a lock for each such port. Its deferred procedure call takes it, spinning (at that level nothing else can be
done), and holds it while the driver empties its ring and indicates the frames, including the protocols' work for these
and for their answers. NDIS queues frames that any processor hands down to the port meanwhile; it hands them to the
driver in order when the driver has returned, under the same lock, in the same call (ff553613, NdisMSendComplete).
Interrupts are enabled again when the driver has returned. If the port is free, the sending processor itself hands the
frame to the driver, under the lock.

Not modelled: a frame for another port, handed down within a call, waits until that call is over.
"""

from __future__ import annotations

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
        """From now on do deferred work within a call, after the work on its `agenda`; None: the call is over."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Indications(Backlog):
    """The frames that the driver of one port has indicated: the protocols look at them within the driver's call."""

    def put(self, frame: Frame) -> None:
        """Queue `frame` without waking any task: the current call continues with it."""
        self._frames.append(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class SerialisedDriver(Driver):
    """The driver of one port, and its part of NDIS, with its own `indications`; `lock` belongs to the port."""

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
        self._current = self._ring_worker  # whose work is being done
        self._agenda: Fifo[Task] = Fifo()  # work that protocols have deferred in this call
        self._returned = False  # the driver has returned, and its interrupts are enabled
        call, submit = (self._call_begin, self._call_end), (self._restart_begin, self._restart_end)
        self._handler = Task(DEFERRED, *call, lock, keeps=True, name="receive", goes_on=True)
        self._restart = Task(DEFERRED, *submit, lock, spins=False, keeps=True, name="send", goes_on=True)

    # --- sending -----------------------------------------------------------------------------------------------------

    def straight(self) -> int:
        return QUEUED

    def put(self, frame: Frame) -> None:
        """Queue `frame` after all others; the holder of the lock hands it on, or without a holder the sending
        processor."""
        self.enqueue(frame)
        if self.lock.holder is None:
            self._host.defer(self._restart)

    def restart(self) -> None:
        """The port's own lock lets waiting frames continue, independently of the kernel's queues."""
        self.processor.kick(self._restart)

    # --- the deferred procedure call ---------------------------------------------------------------------------------

    def interrupt_deferred(self) -> None:
        """As for any driver; but once the driver has returned the next interrupt comes, even while NDIS is still
        working."""
        if self._returned and not (self._interruption.ready or self._entering):
            self.processor.kick(self._interruption)
        else:
            super().interrupt_deferred()

    def _call_begin(self) -> Work | None:
        """The next step: protocols look at indicated frames, and answer; then the ring; then frames to be sent; then
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
            self._current = self._indications
            return work
        while self._agenda:
            worker = self._agenda[0].worker
            work = worker.begin()
            if work is not None:
                self._current = worker
                return work
            self._agenda.popleft().ready = False
        return None

    def _work_off(self) -> Work | None:
        work = self._ring_worker.begin()
        self._returned = work is None
        self._current = self._ring_worker
        return work

    def _submit(self) -> Work | None:
        self._current = self._restart.worker
        work = self._current.begin()
        if work is None:
            self._returned = False  # the call is over
        return work

    def _call_end(self) -> bool:
        current, agenda = self._current, self._agenda
        self._host.call(agenda)
        more = current.end()
        if not more and agenda and agenda[0].worker is current:
            agenda.popleft().ready = False
        self._host.call(None)
        return True
