"""How a processor itself moves data to a card that is no bus master, and from there: by string instructions.

"ports": string I/O at the card's data port (programmed I/O), as with an NE2000 or a 3C509. "memory": string moves to
and from memory on the card that the processor sees as its own (shared memory), as with a WD8013.
"""

from __future__ import annotations

from typing import Literal, Protocol, Self

from pydantic import model_validator

from netsim.bus import Slot, Way
from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Time

String = Literal["input", "output", "move"]  # 80x86: INS, OUTS, MOVS with a repeat prefix


class Strings(Protocol):
    """A processor's own part in a string instruction."""

    def string_time(self, instruction: String, count: int) -> int:
        """ps for `count` elements, apart from what the bus takes."""


class DataPathSpec(Spec):
    """The `way` to a card's data; `width` is how many bytes the driver's instruction moves at a time, `card_width` how
    many data lines the card has for them, in bytes. A card in memory, or one with 8 lines, may do with `zero_wait`:
    less than the bus would give it (ISA: NOWS, which is not looked at for 16 lines at ports). In each cycle the card
    makes the bus wait for `wait` (ps), on average, until it has taken the data before, or has the next ones."""

    way: Way
    width: Literal[1, 2, 4]
    card_width: Literal[1, 2, 4]
    zero_wait: bool = False
    wait: Time = 0

    @model_validator(mode="after")
    def _zero_waits(self) -> Self:
        if self.zero_wait and self.way != "memory" and self.card_width > 1:
            text = "only memory, or 8 data lines, can do without a wait state; allowed here: false"
            raise ScenarioError(text, address="zero_wait")
        return self

    def move_time(self, bus: Slot, processor: Strings, nbytes: int, write: bool) -> tuple[int, int]:
        """ps in which `processor` moves `nbytes` over an otherwise idle bus, and ps of those that the bus is taken.
        `write` is the processor's view: True for data on their way to the card (sending). An incomplete element
        takes as long as a whole one. Raises ScenarioError if it is not known how long the instruction takes."""
        accesses = -(-nbytes // self.width)
        lines = min(self.width, self.card_width, bus.width)
        cycles = accesses * (self.width // lines)  # the bus controller splits what the card can't take at once
        reads, writes = (0, cycles) if write else (cycles, 0)
        taken = bus.access_time(reads, writes, lines, self.way, self.zero_wait) + cycles * self.wait
        alone = processor.string_time(self._instruction(write), accesses)
        if write and bus.posts(self.way):
            return max(alone, taken), taken
        return alone + bus.crossing_time(cycles, self.way) + taken, taken

    def _instruction(self, write: bool) -> String:
        if self.way == "memory":
            return "move"
        return "output" if write else "input"
