"""What it costs a server's processors to move data: cycles for each byte, by where it is."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import Cycles, Parts, Time


class ServerMemorySpec(Spec):
    """A server's cores and memory lie in n `nodes`. To copy a byte that a cache has takes `copy_cycles`; if only
    memory has it, `memory_cycles` more, and if that is another node's, `remote_cycles` on top. A line that a core of
    another node has written takes `remote_line` (ps)."""

    nodes: Parts
    copy_cycles: Cycles
    memory_cycles: Cycles
    remote_cycles: Cycles
    remote_line: Time
