"""A port of an adapter as the host's processor sees it: the costs of its driver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from netsim.bus import Slot
from netsim.machine.adapter import InstalledSpec
from netsim.machine.bill import Bill
from netsim.machine.driver_spec import DriverSpec
from netsim.machine.system import KernelSpec
from netsim.machine.tx_interrupt import Countdown
from netsim.machine.work import Place
from netsim.nic.moderation_spec import NONE


@dataclass(frozen=True)
class Port:
    """One port: its adapter, the host's bus as seen from the adapter, and the `kernel` that its driver calls. Sizes are
    in bytes of memory. On a shared interrupt line, the handlers of the ports `before` it and `behind` it are called
    before and after its own.
    """

    adapter: InstalledSpec
    bus: Slot
    kernel: KernelSpec
    before: tuple[Port, ...] = ()
    behind: tuple[Port, ...] = ()

    @property
    def slot(self) -> int:
        """The number of the host's bus to which it is attached."""
        return self.adapter.slot

    @property
    def driver(self) -> DriverSpec:
        """The port's driver."""
        return self.adapter.driver

    @property
    def moves(self) -> bool:
        """Whether the processor moves its frames to and from the card."""
        return self.adapter.moved_by == "processor"

    def serialised(self, kernel: KernelSpec) -> bool:
        """Whether NDIS serialises it, which requires a system that defers drivers' work."""
        return self.driver.serialised and kernel.ring_work == "deferred"

    def bill_transmit(
        self, bill: Bill, size: int, encipher: bool = False, start: bool = True, waited: bool = False
    ) -> Bill:
        """The processor's costs of handing a frame of `size` bytes to the adapter, which may have to `encipher` it, up
        to the point where the adapter may begin with it. Without `start` the chip is busy, and the driver will start it
        later. A frame that has `waited` in a queue was written before others."""
        driver = self.driver
        if driver.tx_copy:
            # The protocol has written it after an Ethernet header of 14 bytes: not aligned to words.
            bill.copy(size, "cache" if waited else "level1", aligned=False)
        bill.cycles("driver", driver.tx_cycles + (driver.ipsec_tx_cycles if encipher else 0))
        bill.time("driver", driver.tx_wait)
        bill.shared(self.kernel.shared_lines)
        self.adapter.bill_out(bill, self.bus, self.slot, self.adapter.moved_first(size))
        self._accesses(bill, "driver", driver.tx_reads, driver.tx_writes)
        if start:
            self.bill_start(bill)
        if driver.told_of_room:
            return self._bill_freed(bill, 1, 0, self.kernel.free_cycles)
        return bill.cycles("driver", self.kernel.free_cycles) if driver.frees_when_moved else bill

    def bill_start(self, bill: Bill) -> Bill:
        """The processor's costs of starting a frame that is in the card's memory."""
        return self._accesses(bill, "driver", self.driver.start_reads, self.driver.start_writes)

    def bill_rest(self, bill: Bill, size: int) -> Bill:
        """The processor's costs of moving the rest of a frame of `size` bytes once the adapter has begun with it."""
        return self.adapter.bill_out(bill, self.bus, self.slot, size - self.adapter.moved_first(size))

    def bill_interrupt(self, bill: Bill) -> Bill:
        """The processor's costs of an interrupt with one pass over the rings, apart from the frames found. Other ports
        on the line have nothing to report."""
        driver, kernel = self.driver, self.kernel
        reads, writes = driver.interrupt_reads + driver.exit_reads, driver.interrupt_writes + driver.exit_writes
        bill.interrupt(kernel.handler_cycles, kernel.masks_interrupts).cycles("interrupt", driver.interrupt_cycles)
        for other in (*self.before, *self.behind):
            other.bill_foreign(bill)
        return self._accesses(bill, "interrupt", reads, writes)

    def bill_foreign(self, bill: Bill) -> Bill:
        """The processor's costs of calling the handler for an interrupt of another port on its line."""
        driver = self.driver
        bill.cycles("interrupt", driver.interrupt_cycles)
        return self._accesses(bill, "interrupt", driver.foreign_reads or 0, driver.foreign_writes)

    def bill_entry(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The processor's costs of getting to the ring work: an interrupt without its exit, or a call that an interrupt
        has deferred. They exclude the accesses to the interrupt controller after the handler."""
        if kernel.polling is not None:
            return bill.cycles("driver", kernel.polling.look_cycles)
        if kernel.ring_work == "deferred":
            return bill.cycles("interrupt", kernel.dispatch_cycles)
        bill.interrupt_entry(kernel.handler_cycles, kernel.masks_interrupts)
        return self._bill_called(bill)

    def _bill_called(self, bill: Bill) -> Bill:
        driver = self.driver
        bill.cycles("interrupt", driver.interrupt_cycles)
        return self._accesses(bill, "interrupt", driver.interrupt_reads, driver.interrupt_writes)

    def bill_pass(self, bill: Bill) -> Bill:
        """The processor's costs of a further look at the status."""
        return self._accesses(bill, "interrupt", self.driver.pass_reads, self.driver.pass_writes)

    def bill_exit(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The processor's costs of the exit; an interrupt that defers ring work has already made it."""
        if kernel.ring_work == "deferred" or kernel.polling is not None:
            return bill
        bill.interrupt_exit(kernel.masks_interrupts)
        return self._accesses(bill, "interrupt", self.driver.exit_reads, self.driver.exit_writes)

    def bill_look(self, bill: Bill, kernel: KernelSpec, entering: bool) -> Bill:
        """The part of an interrupt's costs before the driver knows its cause: the entry, if it enters now, and its
        look."""
        if entering and kernel.ring_work == "deferred":
            bill.cycles("interrupt", kernel.dispatch_cycles)
        elif entering:
            bill.interrupt_entry(kernel.handler_cycles, kernel.masks_interrupts)
        return self._accesses(bill, "interrupt", self.driver.look_reads, self.driver.look_writes)

    def start_time(self, bill: Callable[[], Bill], kernel: KernelSpec, entering: bool) -> int:
        """ps from the beginning of `bill_look` until a driver that does this first has started the chip with the next
        frame: it looks for the cause, reads the result of the previous frame, and writes the location of the next."""
        look = self.bill_look(bill(), kernel, entering)
        return self.bill_start(self._accesses(look, "driver", self.driver.free_reads, 0)).work().total

    def bill_receive(self, bill: Bill, size: int, deciphered: bool = False) -> Bill:
        """The processor's costs of taking a frame of `size` bytes from the adapter, which has `deciphered` it or not,
        and of giving the ring another buffer."""
        return self.bill_refill(self.bill_take(bill, size, deciphered), 1, 0 if self.driver.copies(size) else 1)

    def bill_take(self, bill: Bill, size: int, deciphered: bool = False) -> Bill:
        """The part of `bill_receive` before the frame goes up. A copied frame leaves its buffer in the ring, but takes
        a new one for the copy."""
        driver, kernel = self.driver, self.kernel
        cycles = driver.rx_cycles + kernel.receive_cycles
        bill.cycles("protocol", kernel.lookahead_cycles)
        self.adapter.bill_in(bill, self.bus, self.slot, size)
        if driver.copies(size):
            # The copy is two bytes off the original alignment, so that the IP header is aligned.
            bill.copy(size, "memory", aligned=False)
            cycles += kernel.buffer_cycles
        bill.cycles("driver", cycles + (driver.ipsec_rx_cycles if deciphered else 0)).shared(kernel.shared_lines)
        return self._accesses(bill, "driver", driver.rx_reads, 0)

    def bill_refill(self, bill: Bill, entries: int, buffers: int) -> Bill:
        """The part of `bill_receive` after the frame has gone up, for `entries` ring entries, `buffers` of which need a
        new buffer."""
        bill.cycles("driver", buffers * self.kernel.buffer_cycles)
        return self._accesses(bill, "driver", 0, entries * self.driver.rx_writes)

    def entry_time(self, bill: Callable[[], Bill], kernel: KernelSpec) -> int:
        """ps from the interrupt until the driver takes the first frame, with everything idle."""
        entry = self.bill_entry(bill(), kernel)
        for other in self.before:
            other.bill_foreign(entry)
        if kernel.ring_work == "deferred":
            self.bill_interrupt(entry)
        return entry.work().total

    def exit_time(self, bill: Callable[[], Bill], kernel: KernelSpec) -> int:
        """ps of the exit after the last frame."""
        out = self.bill_exit(bill(), kernel)
        for other in self.behind:
            other.bill_foreign(out)
        return out.work().total

    def moving_time(self, bill: Callable[[], Bill], size: int) -> int:
        """ps from the entry until a frame of `size` bytes of memory has been taken from the adapter."""
        return self.bill_receive(bill(), size).work().total

    def handling_time(self, bill: Callable[[], Bill], kernel: KernelSpec, size: int) -> int:
        """ps from the interrupt until a frame of `size` bytes of memory has been taken, with everything idle."""
        return self.entry_time(bill, kernel) + self.moving_time(bill, size)

    def sent_time(self, bill: Callable[[], Bill], kernel: KernelSpec, size: int) -> float:
        """ps that the driver may be busy once a frame of `size` bytes of memory has been sent: it handles an interrupt,
        moves the rest of the frame, and frees its buffer. math.inf if the chip holds that interrupt back, since no
        limit for this delay is known."""
        if self.driver.tx_moderation != NONE or isinstance(self.driver.tx_interrupt, Countdown):
            return math.inf
        handled = self.bill_pass(self.bill_interrupt(bill()))
        if kernel.ring_work == "deferred":
            handled.cycles("interrupt", kernel.dispatch_cycles)
        return self.bill_free(self.bill_rest(handled, size), 1).work().total

    def bill_end(self, bill: Bill) -> Bill:
        """The processor's costs of finding no further frame received, after the last one."""
        return self._accesses(bill, "driver", self.driver.rx_end_reads, self.driver.rx_end_writes)

    def bill_free(self, bill: Bill, frames: int, behind: int = 0) -> Bill:
        """The processor's costs of taking back the buffers of `frames` frames sent; if others follow (`behind`), it
        also looks at the first of those. Buffers of moved frames are already free; nothing remains to be done if the
        card does not announce frames."""
        if self.driver.told_of_room:
            return bill
        kernel = 0.0 if self.driver.frees_when_moved else self.kernel.free_cycles
        return self._bill_freed(bill, frames, behind, kernel)

    def _bill_freed(self, bill: Bill, frames: int, behind: int, kernel_cycles: float) -> Bill:
        driver = self.driver
        bill.cycles("driver", frames * (driver.free_cycles + kernel_cycles))
        reads = frames * driver.free_reads + (driver.free_end_reads if behind else 0)
        return self._accesses(bill, "driver", reads, frames * driver.free_writes)

    def _accesses(self, bill: Bill, name: str, reads: int, writes: int) -> Bill:
        adapter = self.adapter
        return bill.accesses(name, self.bus, reads, writes, self.slot, adapter.registers, adapter.register_width)

    def leaves(self, size: int) -> Place:
        """Where the protocols find a received frame of `size` bytes: copied or moved by the processor, it is in a
        cache, and a copy is aligned."""
        copied = self.driver.copies(size)
        here = copied or self.moves
        return Place("cache" if here else "memory", copied or self.driver.rx_aligned)


@dataclass(frozen=True)
class HandlerPort(Port):
    """A port on a shared line: its driver's own costs of an interrupt, without the line's costs, which all its ports
    share."""

    @classmethod
    def of(cls, port: Port) -> HandlerPort:
        """The same port, on a shared line."""
        return cls(port.adapter, port.bus, port.kernel)

    def bill_entry(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The call of the handler."""
        return self._bill_called(bill)

    def bill_exit(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The driver's accesses before it returns."""
        return self._accesses(bill, "interrupt", self.driver.exit_reads, self.driver.exit_writes)
