"""What processors are, and how long code takes them."""

from __future__ import annotations

from netsim.errors import ScenarioError
from netsim.nic.data_path import String
from netsim.spec import Spec
from netsim.units import PS_PER_S, Count, Cycles, Frequency, Ratio, Time


class ProcessorSpec(Spec):
    """`count` equal processors of `clock`. Cycle counts of systems and drivers are those of Intel's P6 core; another
    core takes `relative_cpi` times as many for the same code. `interrupt_entry` is what it takes to get into an
    interrupt handler and out again, apart from what scales with the clock: the interrupt controller's own registers
    (ps). `misaligned_cycles` is what each word costs more that does not lie on a multiple of its own size.
    `string_input_clocks`, `string_output_clocks` and `string_move_clocks` are what each element of a repeated INS, OUTS
    or MOVS takes this processor, apart from the bus (None: that is not known)."""

    count: Count
    clock: Frequency
    relative_cpi: Ratio
    interrupt_entry: Time
    misaligned_cycles: Cycles
    string_input_clocks: Cycles | None = None
    string_output_clocks: Cycles | None = None
    string_move_clocks: Cycles | None = None

    def time(self, cycles: float) -> int:
        """ps of that many of this processor's own `cycles`."""
        return round(cycles * PS_PER_S / self.clock)

    def code_time(self, cycles: float) -> int:
        """ps of code that takes the P6 core this many `cycles`."""
        return self.time(cycles * self.relative_cpi)

    def string_time(self, instruction: String, count: int) -> int:
        """ps of a repeated string instruction for `count` elements, apart from the bus. Raises ScenarioError if that is
        not known."""
        name = f"string_{instruction}_clocks"
        clocks = getattr(self, name)
        if clocks is None:
            text = "needed for a card whose data the processor moves itself; allowed: a number of processor cycles"
            raise ScenarioError(text, address=f"processors.{name}")
        return self.time(count * clocks)
