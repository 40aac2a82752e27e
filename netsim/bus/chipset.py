"""The parts between PCI buses and memory: the host bridge and the memory controller of a chipset.

A read gets its first data when the bridge has claimed it (DEVSEL#) and memory has answered. Until then the bridge
holds the master in wait states, which is allowed for 16 clocks (PCI 2.2, 3.5.1.1), or sends it away at once: it leaves
the bus to others and comes again later (3.3.3.2.1, retry; 3.3.3.3, delayed transactions). Then the bridge hands out
what it has fetched ahead. How much that is depends on the master's command (3.1.1): Memory Read, Memory Read Line or
Memory Read Multiple. When it is used up the bridge disconnects, and the master begins again. Writes are posted.

On PCI-X it splits reads instead (netsim.bus.split_spec).

All of this is the chipset's own, in bytes and in time: the same in each of its slots, however wide and fast.
"""

from __future__ import annotations

from typing import Literal

from netsim.bus.split_spec import SplitSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, BurstTime, ByteRate, Bytes, Clocks, Time

Command = Literal["read", "line", "multiple"]  # Memory Read, Memory Read Line, Memory Read Multiple


class ChipsetSpec(Spec):
    """A chipset. `decode` is how many clocks of the bus it takes to claim a transaction, `memory_time` how long memory
    takes to the first bytes of a read (ps), `miss` what the bridge does with the master until then. In one burst it
    hands out `read` bytes to a Memory Read, `read_line` and `read_multiple` to the other commands (0: as long as the
    master goes on); with `restream` what a burst leaves of them is kept for the next one. Of what is written it takes
    `post` bytes as fast as they come. `memory_rate` is how fast memory moves line after line, for adapters, and
    meanwhile not for processors; `link` is what all slots together get through the link between them and memory, if
    there is one (bytes per second). `crossing` is how long a processor's access takes from its own bus to PCI and back
    (ps). `split` is its way with reads where its slots are PCI-X (None: none are)."""

    catalogue = "chipsets"

    decode: Clocks
    memory_time: BurstTime
    miss: Literal["hold", "retry"]
    read: Bytes
    read_line: Bytes
    read_multiple: Bytes
    restream: bool = False
    post: Bytes
    memory_rate: ByteRate
    link: ByteRate | None = None
    crossing: Time
    split: SplitSpec | None = None

    def ahead(self, command: Command) -> int:
        """Bytes that one burst gets at most; 0: no limit."""
        return {"read": self.read, "line": self.read_line, "multiple": self.read_multiple}[command]

    def stream_time(self, nbytes: int) -> int:
        """ps in which memory, and the link to it, move `nbytes`."""
        rate = self.memory_rate if self.link is None else min(self.memory_rate, self.link)
        return nbytes * PS_PER_S // rate
