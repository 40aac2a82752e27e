"""A current server, as far as it matters to packets: its processors, its cache, and its root complex."""

from __future__ import annotations

from netsim.bus import RootComplexSpec
from netsim.machine.last_level_cache_spec import LastLevelCacheSpec
from netsim.machine.server_memory_spec import ServerMemorySpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Parts, Time


class ServerSpec(Spec):
    """`cores` of `clock`, which share a `cache`. `line_transfer` is the time to get a cache line that another core has
    written; an idle core takes `idle_exit` to resume (ps; 0: it polls while idle). `memory` has the costs of moving
    data, if known.
    """

    catalogue = "servers"

    cores: Parts
    clock: Frequency
    line_transfer: Time
    cache: LastLevelCacheSpec
    root_complex: RootComplexSpec
    idle_exit: Time = 0
    memory: ServerMemorySpec | None = None

    def time(self, cycles: float) -> int:
        """ps of `cycles`."""
        return round(cycles * PS_PER_S / self.clock)

    def shared_time(self, lines: int, cores: int) -> int:
        """ps for lines that n cores write in random order: another core was the last to write (n - 1) / n of them."""
        return lines * self.line_transfer * (cores - 1) // cores
