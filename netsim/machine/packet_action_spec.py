"""A host's action on each packet that it receives, and its cost."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, NonNegativeCount


class PacketActionSpec(Spec):
    """It takes `cycles` for each packet in addition to the driver's own, and `poll_cycles` more for each poll that has
    brought a packet. It `reads` the packet's data, or else only the adapter's descriptor. With `in_driver` it takes
    place in the driver (XDP), where each packet has its own page. For each packet it writes `shared_lines` cache lines
    that all processors write. With `forwards` each packet goes out again on the same port. With `polls` the driver
    never waits for interrupts."""

    catalogue = "packet-actions"

    cycles: Cycles
    poll_cycles: Cycles
    reads: bool
    in_driver: bool
    shared_lines: NonNegativeCount
    forwards: bool
    polls: bool
