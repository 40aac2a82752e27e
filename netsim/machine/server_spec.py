"""A current server, with respect to packets: its processors, its cache, and its root complex."""

from __future__ import annotations

from netsim.bus import RootComplexSpec
from netsim.machine.last_level_cache_spec import LastLevelCacheSpec
from netsim.machine.server_memory_spec import ServerMemorySpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Parts, Time


class ServerSpec(Spec):
    """`cores` of `clock`, with a `cache` for all of them. Where several write a line, `line_transfer` is what it takes
    to get it from another one; one that has nothing to do takes `idle_exit` to begin again (0: it polls meanwhile; ps).
    `memory` says what moving data costs, if that is known.
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
        """ps that cycles take."""
        return round(cycles * PS_PER_S / self.clock)

    def shared_time(self, lines: int, cores: int) -> int:
        """ps for lines that n cores write in no order: another one was the last with (n - 1) / n of them."""
        return lines * self.line_transfer * (cores - 1) // cores
