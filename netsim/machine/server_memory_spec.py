"""The costs of moving data on a server's processors: cycles for each byte, by its location."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Parts, Time


class ServerMemorySpec(Spec):
    """A server's cores and memory are in n `nodes`. Copying a byte that is in a cache takes `copy_cycles`; a byte only
    in memory takes `memory_cycles` more, and one in another node's memory `remote_cycles` on top. A line that a core of
    another node has written takes `remote_line` (ps)."""

    nodes: Parts
    copy_cycles: Cycles
    memory_cycles: Cycles
    remote_cycles: Cycles
    remote_line: Time
