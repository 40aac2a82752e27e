"""What processors are, and how long code takes them."""

from __future__ import annotations

from typing import Final

from netsim.errors import ScenarioError
from netsim.nic.data_path import String
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Parts, Ratio, Time, UnitCycles

# Accesses to the interrupt controller before and after a handler. The 8259A: its line is masked (a read and a write),
# and acknowledged at both controllers (cards have lines behind the second one); then it is let through again (Linux
# 2.2: irq.c mask_and_ack_8259A, enable_8259A_irq). The I/O APIC: its line is masked, and let through again (io_apic.c
# do_level_ioapic_IRQ); the acknowledgement goes to the processor's own APIC.
_8259A_BEFORE: Final = 4
_8259A_AFTER: Final = 1
_APIC_BEFORE: Final = 3
_APIC_AFTER: Final = 2
_TICK: Final = 3  # to the 8254: it is latched, and read in two halves (Linux 2.2: time.c timer_interrupt)


class ProcessorSpec(Spec):
    """`count` equal processors of `clock`. Cycle counts of systems and drivers are those of Intel's P6 core; another
    core takes `relative_cpi` times as many for the same code, and for ciphers and hashes, which miss no cache and are
    written for it, `crypto_cpi` (None: as for all code). `port_access` is what an access takes to the chips that
    every PC has on its ISA side: interrupt controllers (8259A) and timer (8254). `apic_access` is one to the registers
    of an I/O APIC; interrupts go through that if it is given, and else through the 8259A. Where there are several,
    `line_transfer` is what it takes to get a cache line that another one has changed (ps). `misaligned_cycles` is what
    each word costs more that does not lie on a multiple of its own size. `string_input_clocks`, `string_output_clocks`
    and `string_move_clocks` are what each element of a repeated INS, OUTS or MOVS takes this processor, apart from the
    bus (None: that is not known)."""

    count: Parts
    clock: Frequency
    relative_cpi: Ratio
    crypto_cpi: Ratio | None = None
    port_access: Time
    apic_access: Time | None = None
    line_transfer: Time = 0
    misaligned_cycles: UnitCycles
    string_input_clocks: UnitCycles | None = None
    string_output_clocks: UnitCycles | None = None
    string_move_clocks: UnitCycles | None = None

    def time(self, cycles: float) -> int:
        """ps of that many of this processor's own `cycles`."""
        return round(cycles * PS_PER_S / self.clock)

    def code_time(self, cycles: float) -> int:
        """ps of code that takes the P6 core this many `cycles`."""
        return self.time(cycles * self.relative_cpi)

    def crypto_time(self, cycles: float) -> int:
        """The same of ciphers and hashes."""
        return self.code_time(cycles) if self.crypto_cpi is None else self.time(cycles * self.crypto_cpi)

    def acknowledge_time(self, masks: bool = True) -> int:
        """ps of accesses to the interrupt controller before a handler: none if the system does not mask the line while
        it is handled."""
        return self._controller_time(_8259A_BEFORE, _APIC_BEFORE) if masks else 0

    def release_time(self, masks: bool = True) -> int:
        """ps of those after it, which let the line through again, or tell the controller of the interrupt's end."""
        return self.interrupt_time(masks) - self.acknowledge_time(masks)

    def interrupt_time(self, masks: bool = True) -> int:
        """ps of all accesses to the interrupt controller that an interrupt takes. Without masks it is one, its end."""
        if not masks:
            return self._controller_time(1, 1)
        return self._controller_time(_8259A_BEFORE + _8259A_AFTER, _APIC_BEFORE + _APIC_AFTER)

    @property
    def tick_time(self) -> int:
        """ps of accesses to the timer that an interrupt by the clock takes beside that."""
        return _TICK * self.port_access

    def _controller_time(self, on_8259a: int, on_apic: int) -> int:
        return on_8259a * self.port_access if self.apic_access is None else on_apic * self.apic_access

    def string_time(self, instruction: String, count: int) -> int:
        """ps of a repeated string instruction for `count` elements, apart from the bus. Raises ScenarioError if that is
        not known."""
        name = f"string_{instruction}_clocks"
        clocks = getattr(self, name)
        if clocks is None:
            text = "needed for a card whose data the processor moves itself; allowed: a number of processor cycles"
            raise ScenarioError(text, address=f"processors.{name}")
        return self.time(count * clocks)
