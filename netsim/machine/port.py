"""A port of an adapter as the host's processor knows it: what its driver costs there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netsim.bus import BusSpec
from netsim.machine.adapter import AdapterSpec, InstalledSpec
from netsim.machine.bill import Bill
from netsim.machine.driver_spec import DriverSpec
from netsim.machine.system import KernelSpec
from netsim.machine.work import Place
from netsim.units import Cycles


@dataclass(frozen=True)
class Port:
    """One port: its adapter, and the host's bus as it is seen from there. Sizes in bytes of memory. A driver above its
    own takes `free_cycles` for each frame sent, protocols `lookahead_cycles` for each one received, before it is moved.
    """

    adapter: InstalledSpec
    bus: BusSpec
    free_cycles: Cycles = 0.0
    lookahead_cycles: Cycles = 0.0

    @property
    def slot(self) -> int:
        """The number of the host's bus that it is on."""
        return self.adapter.slot

    @property
    def driver(self) -> DriverSpec:
        """The port's driver."""
        return self.adapter.driver

    def bill_transmit(self, bill: Bill, size: int, encipher: bool = False) -> Bill:
        """The processor's costs of handing a frame of `size` bytes to the adapter, for that to `encipher` or not, up to
        where the adapter may begin with it."""
        driver = self.driver
        if driver.tx_copy:
            # The protocol has just written it, behind an Ethernet header of 14 bytes: off the word boundary.
            bill.copy(size, "cache", aligned=False)
        bill.cycles("driver", driver.tx_cycles + (driver.ipsec_tx_cycles if encipher else 0))
        self.adapter.bill_out(bill, self.bus, self.slot, self.adapter.moved_first(size))
        return self._accesses(bill, "driver", driver.tx_reads, driver.tx_writes).time(
            "driver", self.adapter.doorbell_hold
        )

    def bill_rest(self, bill: Bill, size: int) -> Bill:
        """The processor's costs of moving what is left of such a frame then."""
        return self.adapter.bill_out(bill, self.bus, self.slot, size - self.adapter.moved_first(size))

    def bill_interrupt(self, bill: Bill, kernel_cycles: float) -> Bill:
        """The processor's costs of an interrupt, whatever it finds."""
        driver = self.driver
        bill.interrupt(kernel_cycles).cycles("interrupt", driver.interrupt_cycles)
        return self._accesses(bill, "interrupt", driver.interrupt_reads, driver.interrupt_writes)

    def bill_entry(self, bill: Bill, kernel: KernelSpec) -> Bill:
        """The processor's costs of coming to the ring work: an interrupt, or a call that one has had deferred."""
        if kernel.ring_work == "deferred":
            return bill.cycles("interrupt", kernel.deferred_cycles)
        return self.bill_interrupt(bill, kernel.interrupt_cycles)

    def bill_look(self, bill: Bill, kernel: KernelSpec, entering: bool) -> Bill:
        """The part of it before the driver knows what there is: the way there, if it enters now, and one read."""
        if entering and kernel.ring_work == "deferred":
            bill.cycles("interrupt", kernel.deferred_cycles)
        elif entering:
            bill.interrupt(kernel.interrupt_cycles)
        return self._accesses(bill, "interrupt", 1, 0)

    def bill_receive(self, bill: Bill, size: int, deciphered: bool = False) -> Bill:
        """The processor's costs of taking a frame of `size` bytes from the adapter, which has `deciphered` it or not.
        """
        driver = self.driver
        bill.cycles("protocol", self.lookahead_cycles)
        self.adapter.bill_in(bill, self.bus, self.slot, size)
        if driver.copies(size):
            # To where the IP header will be aligned, two bytes off from where it came in.
            bill.copy(size, "memory", aligned=False)
        bill.cycles("driver", driver.rx_cycles + (driver.ipsec_rx_cycles if deciphered else 0))
        return self._accesses(bill, "driver", driver.rx_reads, driver.rx_writes)

    def entry_time(self, bill: Callable[[], Bill], kernel: KernelSpec) -> int:
        """ps from the interrupt until the driver takes the first frame, with everything idle."""
        entry = self.bill_entry(bill(), kernel)
        if kernel.ring_work == "deferred":
            self.bill_interrupt(entry, kernel.interrupt_cycles)
        return entry.work().total

    def moving_time(self, bill: Callable[[], Bill], size: int) -> int:
        """ps from there until a frame of `size` bytes of memory has been taken from the adapter."""
        return self.bill_receive(bill(), size).work().total

    def handling_time(self, bill: Callable[[], Bill], kernel: KernelSpec, size: int) -> int:
        """ps of both together, from the interrupt on."""
        return self.entry_time(bill, kernel) + self.moving_time(bill, size)

    def bill_free(self, bill: Bill, frames: int) -> Bill:
        """The processor's costs of taking back the buffers of `frames` frames sent."""
        driver = self.driver
        bill.cycles("driver", frames * driver.free_cycles).cycles("aggregation", frames * self.free_cycles)
        return self._accesses(bill, "driver", frames * driver.free_reads, 0)

    def _accesses(self, bill: Bill, name: str, reads: int, writes: int) -> Bill:
        adapter = self.adapter
        return bill.accesses(name, self.bus, reads, writes, self.slot, adapter.registers, adapter.register_width)

    def leaves(self, size: int) -> Place:
        """Where the protocols find a received frame of `size` bytes: a copy lies in a cache, and aligned."""
        copied = self.driver.copies(size)
        return Place("cache" if copied else "memory", copied or self.driver.rx_aligned)


@dataclass(frozen=True)
class MasterPort(Port):
    """A port of a bus master."""

    adapter: AdapterSpec
