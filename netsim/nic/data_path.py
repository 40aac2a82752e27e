"""How a processor moves data to and from a card that is not a bus master: by string instructions.

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
    """A processor's part of a string instruction."""

    def string_time(self, instruction: String, count: int) -> int:
        """The time (ps) for `count` elements, without the bus."""


class DataPathSpec(Spec):
    """The `way` to a card's data. `width` is the number of bytes that the driver's instruction moves at a time,
    `card_width` the card's data lines in bytes. A card's memory, or a card with 8 data lines, may have `zero_wait`:
    shorter cycles than the bus's default (ISA: NOWS, which is ignored for 16 lines at ports). In each cycle the card
    makes the bus wait for `wait` (ps) on average, until it has taken the previous data or has the next."""

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
        """The time (ps) in which `processor` moves `nbytes` over an otherwise idle bus, and the part of it (ps) in
        which the bus is taken. `write` is the processor's view: True for data on their way to the card (sending). An
        incomplete element takes as long as a whole one. Raises ScenarioError if the instruction's time is not known."""
        accesses = -(-nbytes // self.width)
        lines = min(self.width, self.card_width, bus.width)
        cycles = accesses * (self.width // lines)  # the bus controller splits accesses that are too wide for the card
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
