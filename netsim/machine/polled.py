"""The driver of a port that a poller serves (netsim.machine.polling): each frame goes through the protocols before the
next one is taken. At each look it frees sent frames, before it takes received ones and again when none are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from netsim.machine.driver import Driver
from netsim.machine.port import Port
from netsim.machine.send_queue import Kernel
from netsim.machine.serialised import Indications
from netsim.machine.system import KernelSpec
from netsim.machine.task import INTERRUPT, Task
from netsim.machine.work import Work
from netsim.nic import Nic

if TYPE_CHECKING:
    from netsim.machine.polling import Poller


@mypyc_attr(allow_interpreted_subclasses=True)
class PolledDriver(Driver):
    """The driver of one port, with its own `indications`."""

    def __init__(
        self, port: Port, number: int, nic: Nic, host: Kernel, costs: KernelSpec, indications: Indications,
        poller: Poller,
    ) -> None:
        super().__init__(port, number, nic, host, costs, indications)
        self.listed = False  # its turn has begun
        self.expected = False  # the poller will find work here
        self.allowed = 0  # frames that it may take in this turn
        # Bound once: a watched one has the layout of any Backlog, in which compiled code would look for these methods.
        self._take_up, self._taken_up = indications.begin, indications.end
        self._poller = poller
        self._ring_worker = self._handler.worker
        self._protocols = False  # the current work is the protocols'
        self._passes = self._received_first = nic.receiver.holds_reports = False
        self._index = None
        self._interruption = Task(INTERRUPT, self._interruption.worker.begin, self._masked)
        poller.cards.append(self)

    def restart(self) -> None:
        """The queue restarts in a separate task (Linux 2.4: NET_TX_SOFTIRQ)."""
        self.processor.kick(self._restart)

    def interrupt(self) -> None:
        if not self.listed:
            self._poller.interrupt(self)

    def interrupt_deferred(self) -> None:
        self.interrupt()

    def mask(self) -> None:
        """An interrupt, which holds off all later ones."""
        if self._rotation is not None:
            self.processor = self._rotation.following()
        self.processor.kick(self._interruption)

    def _masked(self) -> bool:
        self.count_interrupt()
        self._poller.masked(self)
        return False

    # --- a turn ------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """The poller looks at its rings."""
        self._entering = self._sent = True

    @property
    def has_more(self) -> bool:
        """Whether its rings hold any frame to handle."""
        sent = self._transmitter.sent
        return bool(self._receiver.ready) or (bool(sent) and sent[0].done <= self._calendar.now)

    def next_work(self, takes: bool) -> Work | None:
        """The protocols' work for the frame taken; then that of the ring, if another frame may be taken."""
        take_up = self._take_up
        work = take_up()
        self._protocols = work is not None
        if self._protocols or not (takes and self.allowed):
            return work
        return self._ring_worker.begin()

    def worked(self) -> bool:
        """That work is done; whether it has taken a frame."""
        if self._protocols:
            taken_up = self._taken_up
            taken_up()
            return False
        taken = self._frame is not None
        self.allowed -= taken
        self._ring_worker.end()
        return taken

    def _enter(self) -> None:
        self.read_status()  # a look is not an interrupt

    def _reclaim(self) -> int:
        return super()._reclaim() if self._entering or self._last else 0

    def _interrupted(self) -> None:
        """Nothing to do: frames go up at the end of the work, and no other handler depends on that."""
