"""A port of an adapter as the host's processor knows it: what its driver costs there."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.bus import PciSpec
from netsim.host.adapter import AdapterSpec
from netsim.host.driver_spec import DriverSpec
from netsim.host.system import KernelSpec
from netsim.host.work import Bill, Place
from netsim.units import Cycles


@dataclass(frozen=True)
class Port:
    """One port: its adapter, and the host's bus as it is seen from there. Sizes in bytes of memory. A driver above its
    own takes `free_cycles` for each frame sent."""

    adapter: AdapterSpec
    bus: PciSpec
    free_cycles: Cycles = 0.0

    @property
    def slot(self) -> int:
        """The number of the host's bus that it is on."""
        return self.adapter.slot

    @property
    def driver(self) -> DriverSpec:
        """Its driver."""
        return self.adapter.driver

    def bill_transmit(self, bill: Bill, size: int, encipher: bool = False) -> Bill:
        """The processor's costs of handing a frame of `size` bytes to the adapter, for that to `encipher` or not."""
        driver = self.driver
        if driver.tx_copy:
            # The protocol has just written it, behind an Ethernet header of 14 bytes: off the word boundary.
            bill.copy(size, "cache", aligned=False)
        bill.cycles("driver", driver.tx_cycles + (driver.ipsec_tx_cycles if encipher else 0))
        return self._accesses(bill, "driver", driver.tx_reads, driver.tx_writes).time(
            "driver", self.adapter.doorbell_hold
        )

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

    def bill_receive(self, bill: Bill, size: int, deciphered: bool = False) -> Bill:
        """The processor's costs of taking a frame of `size` bytes from the adapter, which has `deciphered` it or not.
        """
        driver = self.driver
        if driver.copies(size):
            # To where the IP header will be aligned, two bytes off from where it came in.
            bill.copy(size, "memory", aligned=False)
        bill.cycles("driver", driver.rx_cycles + (driver.ipsec_rx_cycles if deciphered else 0))
        return self._accesses(bill, "driver", driver.rx_reads, driver.rx_writes)

    def bill_free(self, bill: Bill, frames: int) -> Bill:
        """The processor's costs of taking back the buffers of `frames` frames sent."""
        driver = self.driver
        bill.cycles("driver", frames * driver.free_cycles).cycles("aggregation", frames * self.free_cycles)
        return self._accesses(bill, "driver", frames * driver.free_reads, 0)

    def _accesses(self, bill: Bill, name: str, reads: int, writes: int) -> Bill:
        return bill.accesses(name, self.bus, reads, writes, self.slot, self.adapter.registers == "memory")

    def leaves(self, size: int) -> Place:
        """Where the protocols find a received frame of `size` bytes: a copy lies in a cache, and aligned."""
        copied = self.driver.copies(size)
        return Place("cache" if copied else "memory", copied or self.driver.rx_aligned)
