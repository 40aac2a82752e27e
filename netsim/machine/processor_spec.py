"""A description of processors, and the time that code takes them."""

from __future__ import annotations

from typing import Final

from netsim.errors import ScenarioError
from netsim.nic.data_path import String
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Parts, Ratio, Time, UnitCycles

# Accesses to the interrupt controller before and after a handler. The 8259A: its line is masked (a read and a write),
# and acknowledged at both controllers (cards use lines of the second one); then it is unmasked (Linux 2.2: irq.c
# mask_and_ack_8259A, enable_8259A_irq). The I/O APIC: its line is masked (a register is selected, read, written, and
# read again) and unmasked (selected and read; the last write is posted): io_apic.c, do_level_ioapic_IRQ. The
# acknowledgement goes to the processor's own APIC.
_8259A_BEFORE: Final = 4
_8259A_AFTER: Final = 1
_APIC_BEFORE: Final = 4
_APIC_AFTER: Final = 2
_TICK: Final = 3  # accesses to the 8254: it is latched, and read in two halves (Linux 2.2: time.c timer_interrupt)


class ProcessorSpec(Spec):
    """`count` equal processors of `clock`. Cycle counts of systems and drivers are those of a reference, Intel's P6
    core with a second-level cache at half its clock. Another core, or one with another cache, takes `relative_cpi`
    times as many for the same code, and `crypto_cpi` times as many for ciphers and hashes, which miss no cache and are
    written for that core (None: as for all code). `port_access` is the time of an access to the chips that every PC has
    on its ISA side: interrupt controllers (8259A) and timer (8254). `apic_access` is the time of an access to the
    registers of an I/O APIC; if it is given, interrupts go through the I/O APIC, otherwise through the 8259A. With
    several processors, `line_transfer` is the time to get a cache line that another one has changed (ps), and
    `locked_cycles` the cost of a locked instruction on a line in its own cache, including the instructions that come
    with it. `misaligned_cycles` is the additional cost of each word not aligned to a multiple of its size.
    `string_input_clocks`, `string_output_clocks` and `string_move_clocks` are the clocks of each element of a repeated
    INS, OUTS or MOVS on this processor, apart from the bus (None: not known)."""

    count: Parts
    clock: Frequency
    relative_cpi: Ratio
    crypto_cpi: Ratio | None = None
    port_access: Time
    apic_access: Time | None = None
    line_transfer: Time = 0
    locked_cycles: UnitCycles = 0.0
    misaligned_cycles: UnitCycles
    string_input_clocks: UnitCycles | None = None
    string_output_clocks: UnitCycles | None = None
    string_move_clocks: UnitCycles | None = None

    def time(self, cycles: float) -> int:
        """ps of this number of the processor's own `cycles`."""
        return round(cycles * PS_PER_S / self.clock)

    def code_time(self, cycles: float) -> int:
        """ps of code that takes the reference this many `cycles`."""
        return self.time(cycles * self.relative_cpi)

    def crypto_time(self, cycles: float) -> int:
        """ps of ciphers or hashes that take the reference this many `cycles`."""
        return self.code_time(cycles) if self.crypto_cpi is None else self.time(cycles * self.crypto_cpi)

    def acknowledge_time(self, masks: bool = True) -> int:
        """ps of accesses to the interrupt controller before a handler: none if the system does not mask the line while
        it handles the interrupt."""
        return self._controller_time(_8259A_BEFORE, _APIC_BEFORE) if masks else 0

    def release_time(self, masks: bool = True) -> int:
        """ps of accesses to the interrupt controller after a handler, which unmask the line, or signal the interrupt's
        end."""
        return self.interrupt_time(masks) - self.acknowledge_time(masks)

    def interrupt_time(self, masks: bool = True) -> int:
        """ps of all accesses to the interrupt controller that an interrupt takes. Without masking, the 8259A is told of
        its end, and the I/O APIC learns of it from the processor's own APIC."""
        if not masks:
            return self._controller_time(1, 0)
        return self._controller_time(_8259A_BEFORE + _8259A_AFTER, _APIC_BEFORE + _APIC_AFTER)

    @property
    def tick_time(self) -> int:
        """ps of the additional accesses to the timer that a clock interrupt takes."""
        return _TICK * self.port_access

    def _controller_time(self, on_8259a: int, on_apic: int) -> int:
        return on_8259a * self.port_access if self.apic_access is None else on_apic * self.apic_access

    def string_time(self, instruction: String, count: int) -> int:
        """ps of a repeated string instruction for `count` elements, apart from the bus. Raises ScenarioError if this
        time is not known."""
        name = f"string_{instruction}_clocks"
        clocks = getattr(self, name)
        if clocks is None:
            text = "needed for a card whose data the processor moves itself; allowed: a number of processor cycles"
            raise ScenarioError(text, address=f"processors.{name}")
        return self.time(count * clocks)
