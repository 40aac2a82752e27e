"""A current server, as far as it matters to packets: its processors, its cache, and its root complex."""

from __future__ import annotations

from collections.abc import Sequence

from netsim.bus import RootComplexSpec
from netsim.machine.last_level_cache_spec import LastLevelCacheSpec
from netsim.machine.server_memory_spec import ServerMemorySpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Frequency, Parts, Time


class ServerSpec(Spec):
    """`cores` of `clock`, which share a `cache`. `line_transfer` is the time to get a cache line that another core has
    written; an idle core takes `idle_exit` to resume (ps; 0: it polls while idle). `memory` has the costs of moving
    data, if known. Cores are numbered node by node.
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

    @property
    def node_cores(self) -> int:
        """The number of cores in a node."""
        return self.cores if self.memory is None else max(1, self.cores // self.memory.nodes)

    def is_remote(self, core: int) -> bool:
        """Whether a core is outside the first node, where adapters are."""
        return core >= self.node_cores

    @property
    def remote_line(self) -> int:
        """The time (ps) to get a cache line that is in another node's cache."""
        return self.line_transfer if self.memory is None else self.memory.remote_line

    def shared_time(self, lines: int, core: int, cores: Sequence[int]) -> int:
        """ps of a core for lines that n `cores` write in random order: another one was the last to write (n - 1) / n of
        them (all, if the core is none of these), in the same node or in another one."""
        others = [one for one in cores if one != core]
        near = sum(one // self.node_cores == core // self.node_cores for one in others)
        far = len(others) - near
        return lines * (near * self.line_transfer + far * self.remote_line) // len(cores)
