"""EISA (EISA Specification 3.12): an ISA bus on which EISA cards have 32 data lines and shorter cycles.

A standard cycle takes two clocks; a burst begins with one, and each further cycle in it takes one clock (33 MB/s). A
processor's writes to memory on an EISA card are left to the controller, which makes them while the processor continues;
some of these cards accept compressed cycles of a clock and a half from it. A master whose grant is withdrawn for
another one has to leave the bus within 64 clocks. ISA cards fit its slots, and are served with ISA cycles; as masters
they are not preempted.

Not modelled: bursts that end with a memory page (1 KB); the order in which masters, DMA channels and the refresh take
turns (here first come, first served); masters that leave sooner than they have to.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from netsim.bus.bus_spec import Way
from netsim.bus.isa import IsaSpec
from netsim.bus.tenure import Tenure
from netsim.errors import ScenarioError
from netsim.units import Clocks, Count, Ratio

_ISA_WIDTH = 2  # bytes of data lines


class EisaSpec(IsaSpec):
    """An EISA bus as an EISA card that makes bursts sees it; see IsaSpec for what ISA cards see. In bus clocks:
    `eisa_arbitration` for which a master waits before each of its bursts, `standard_cycle`, `compressed_cycle` of a
    processor with memory that supports it (half a clock less), `burst_cycle` for the further cycles in a burst,
    `preemption` for which a master may keep a bus that it has lost."""

    takes: ClassVar[tuple[str, ...]] = ("isa", "eisa")

    standard: Literal["eisa"] = "eisa"  # type: ignore[assignment]  # another tag: data do not treat it as an ISA bus
    eisa_arbitration: Clocks
    standard_cycle: Count
    compressed_cycle: Ratio
    burst_cycle: Count
    preemption: Clocks

    @model_validator(mode="after")
    def _bursting(self) -> Self:
        if self.burst_cycle > self.standard_cycle:
            text = f"{self.burst_cycle} clocks are more than a cycle outside a burst takes"
            raise ScenarioError(f"{text}; allowed: 1 to {self.standard_cycle}", address="burst_cycle")
        return self

    def posts(self, way: Way) -> bool:
        """Only writes to the memory of EISA cards."""
        return way == "memory"

    def without_bursts(self) -> EisaSpec:
        """The bus as a card without bursts sees it."""
        return self.unchecked(burst_cycle=self.standard_cycle)

    def for_isa(self) -> IsaSpec:
        """The bus as an ISA card sees it."""
        shared = {name: getattr(self, name) for name in IsaSpec.model_fields}
        return IsaSpec.model_construct(**shared | {"standard": "isa", "width": min(self.width, _ISA_WIDTH)})

    def cycle_clocks(self, width: int, way: Way, zero_wait: bool = False) -> float:
        """Cards with 8 data lines are ISA cards, and `zero_wait` makes compressed cycles."""
        if width == 1:
            return super().cycle_clocks(width, way, zero_wait)
        return self.compressed_cycle if zero_wait else self.standard_cycle

    @property
    def first_clocks(self) -> int:
        return self.eisa_arbitration + self.standard_cycle - self.burst_cycle

    @property
    def next_clocks(self) -> int:
        return self.burst_cycle

    def restart_time(self, write: bool, max_burst: int) -> int:
        """0 if the master's bursts last no longer than it may keep the bus."""
        burst = self.transfer_time(max_burst, write)
        return 0 if burst <= self.clocks(self.preemption) else self.clocks(self.first_clocks)

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """The master leaves when it is preempted, but at least one cycle after its grant, or at the end of its
        burst."""
        least = self.clocks(self.eisa_arbitration + self.standard_cycle)
        burst = self.transfer_time(max_burst, write)
        return Tenure(self.restart_time(write, max_burst), least, self.clocks(self.preemption), burst)
