"""The parts between PCI buses and memory: the host bridge and the memory controller of a chipset.

A read gets its first data when the bridge has claimed it (DEVSEL#) and memory has answered. Until then the bridge
either holds the master in wait states, which is allowed for 16 clocks (PCI 2.2, 3.5.1.1), or answers with a retry at
once: the master leaves the bus to others and tries again later (3.3.3.2.1, retry; 3.3.3.3, delayed transactions). After
that the bridge supplies the data that it has prefetched. Their amount depends on the master's command (3.1.1): Memory
Read, Memory Read Line or Memory Read Multiple. When they are used up, the bridge disconnects, and the master begins
again. Writes are posted.

On PCI-X it splits reads instead (netsim.bus.split_spec).

All of this belongs to the chipset, in bytes and in time: it is the same in each of its slots, regardless of width and
clock.
"""

from __future__ import annotations

from typing import Literal

from netsim.bus.split_spec import SplitSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, BurstTime, ByteRate, Bytes, Count, Time

Command = Literal["read", "line", "multiple"]  # Memory Read, Memory Read Line, Memory Read Multiple


class ChipsetSpec(Spec):
    """A chipset. It claims a transaction `decode` clocks after the address (1: fast, 2: medium, 3: slow device
    selection). `memory_time` is the time until memory supplies the first bytes of a read (ps), and `miss` says what the
    bridge does with the master until then. In one burst it supplies `read` bytes to a Memory Read, and `read_line` and
    `read_multiple` bytes to the other commands (0: as long as the master continues); with `restream`, bytes that a
    burst leaves over are kept for the next one. It has room for `post` written bytes until memory has taken them.
    `memory_rate` is the rate at which memory moves successive lines for adapters (bytes per second); meanwhile it
    serves no processor. A chipset that is not `concurrent` keeps processors off their own bus, and so off second-level
    cache and memory, whenever a master has PCI; before each burst it takes the time `handover` to get that bus from
    them (ps; unused if the chipset is concurrent). `link` is the rate of each bus over the link from its bridge to
    memory, if the chipset has such links (bytes per second). `crossing` is the time that a processor's access takes
    from its own bus to PCI and back (ps). `split` describes how it splits reads in PCI-X slots (None: it has none)."""

    catalogue = "chipsets"

    decode: Count
    memory_time: BurstTime
    miss: Literal["hold", "retry"]
    read: Bytes
    read_line: Bytes
    read_multiple: Bytes
    restream: bool = False
    post: Bytes
    memory_rate: ByteRate
    concurrent: bool = True
    handover: Time = 0
    link: ByteRate | None = None
    crossing: Time
    split: SplitSpec | None = None

    def ahead(self, command: Command) -> int:
        """The most bytes that one burst gets; 0: no limit."""
        return {"read": self.read, "line": self.read_line, "multiple": self.read_multiple}[command]

    @property
    def rate(self) -> int:
        """Bytes per second that memory and the link to it move for one bus."""
        return self.memory_rate if self.link is None else min(self.memory_rate, self.link)

    def stream_time(self, nbytes: int) -> int:
        """ps in which memory and the link to it move `nbytes`."""
        return nbytes * PS_PER_S // self.rate

    @property
    def posted_time(self) -> int:
        """ps in which memory takes as much as the bridge can hold of what is written; rounding delays no lone write."""
        return self.stream_time(self.post) + 1
