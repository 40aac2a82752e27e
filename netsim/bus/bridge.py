"""A PCI-PCI bridge (PCI-to-PCI Bridge Architecture Specification 1.1), as on an adapter with several ports.

Devices behind it share the bus in front of it, and every transaction takes longer by the time that the bridge needs to
claim it on one side and repeat it on the other. A read of memory cannot be posted: its first data are delayed by the
whole path to memory (5.6, delayed transactions), and it gets only as many data as the bridge has fetched ahead. Until
then its master retries, and leaves the bus to others. Writes are posted, and follow the bridge's own start.

Not modelled: the bus behind it as a separate queue. A burst through the bridge holds both buses for as long as the
slower one takes, and two bridges on one bus therefore do not overlap their bursts.
"""

from __future__ import annotations

from netsim.bus.chipset import Command
from netsim.spec import Spec
from netsim.units import Bytes, Clocks


class BridgeSpec(Spec):
    """Clocks that a bridge adds to the first data of a read, and of a write, in either direction. In one burst it
    supplies `read` bytes to a Memory Read, `read_line` and `read_multiple` to the other commands (0: as long as the
    master continues)."""

    catalogue = "bridges"

    read_latency: Clocks
    write_latency: Clocks
    read: Bytes
    read_line: Bytes
    read_multiple: Bytes

    def ahead(self, command: Command) -> int:
        """The most bytes that one burst gets; 0: no limit."""
        return {"read": self.read, "line": self.read_line, "multiple": self.read_multiple}[command]
