"""A PCI-PCI bridge (PCI-to-PCI Bridge Architecture Specification 1.1), as on an adapter with several ports.

What is behind it shares the bus in front of it, and everything takes longer by what the bridge needs to claim a
transaction on one side and repeat it on the other. A read of memory cannot be posted: its first data come later by the
whole way there (5.6, delayed transactions), and there are no more of them than the bridge has fetched ahead. Writes are
posted, and follow behind the bridge's own start.

Not modelled: the bus behind it as a queue of its own. A burst through the bridge holds both buses for as long as the
slower way takes, so two bridges on one bus do not overlap their bursts.
"""

from __future__ import annotations

from netsim.bus.chipset import Command
from netsim.spec import Spec
from netsim.units import Bytes, Clocks


class BridgeSpec(Spec):
    """Clocks that a bridge adds to the first data of a read, and of a write, in either direction. In one burst it hands
    out `read` bytes to a Memory Read, `read_line` and `read_multiple` to the other commands (0: as long as the master
    continues)."""

    catalogue = "bridges"

    read_latency: Clocks
    write_latency: Clocks
    read: Bytes
    read_line: Bytes
    read_multiple: Bytes

    def ahead(self, command: Command) -> int:
        """Bytes that one burst gets at most; 0: no limit."""
        return {"read": self.read, "line": self.read_line, "multiple": self.read_multiple}[command]
