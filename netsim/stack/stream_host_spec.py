"""A host of today that one end of a stream runs on."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from netsim.bus import PcieSpec
from netsim.errors import ScenarioError
from netsim.machine import NapiSpec, QueueDriverSpec, ServerMemorySpec, ServerSpec, StreamCostsSpec, StreamDriverSpec
from netsim.nic import QueuedNicSpec
from netsim.spec import Spec
from netsim.units import KIB, MIB, PositiveBuffer


class StreamHostSpec(Spec):
    """A `server` with an `adapter` in a slot `pcie`, its `driver`, and a `kernel`. `tso` and `gro` as ethtool has them
    (tso: with GSO). With `arfs` softirqs of a stream run on the core of its process, otherwise on one of another node,
    or another core where there is only one node. The adapter is in the node of the processes. Buffers of a socket grow
    up to the last of `tcp_rmem` and `tcp_wmem`. Those of UDP have `rmem_default` and
    `wmem_default`. With `bql` the driver's ring has no more bytes than byte queue limits let it."""

    server: ServerSpec
    pcie: PcieSpec
    adapter: QueuedNicSpec
    driver: QueueDriverSpec
    kernel: NapiSpec
    tso: bool = True
    gro: bool = True
    arfs: bool = True
    bql: bool = True
    tcp_rmem: PositiveBuffer = 6 * MIB
    tcp_wmem: PositiveBuffer = 4 * MIB
    rmem_default: PositiveBuffer = 212_992
    wmem_default: PositiveBuffer = 212_992

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        """What streams cost is known of it all."""
        for part, table, example in ((self.server, "memory", "xeon-gold-6128"), (self.driver, "stream", "mlx5-5.4"),
                                     (self.kernel, "tcp", "linux-5.4")):  # fmt: skip
            if getattr(part, table) is None:
                name = {"memory": "server", "stream": "driver", "tcp": "kernel"}[table]
                raise ScenarioError(f"it doesn't say what streams cost; allowed: such as {example}",
                                    address=f"{name}.{table}")  # fmt: skip
        for name in ("tcp_rmem", "tcp_wmem", "rmem_default", "wmem_default"):
            if not 4 * KIB <= getattr(self, name) <= 1 << 30:
                text = f"{getattr(self, name)} B is not allowed; allowed: 4 KiB to 1 GiB"
                raise ScenarioError(text, address=name)
        return self

    @property
    def memory(self) -> ServerMemorySpec:
        """What moving data costs."""
        assert self.server.memory is not None
        return self.server.memory

    @property
    def costs(self) -> StreamCostsSpec:
        """What the kernel's TCP costs."""
        assert self.kernel.tcp is not None
        return self.kernel.tcp

    @property
    def stream_driver(self) -> StreamDriverSpec:
        """What the driver adds to that."""
        assert self.driver.stream is not None
        return self.driver.stream

    @property
    def far(self) -> bool:
        """Whether softirqs run on another node than the process."""
        return not self.arfs and self.memory.nodes > 1

    @property
    def node_cores(self) -> int:
        """Processors of a node."""
        return max(1, self.server.cores // self.memory.nodes)

    @property
    def most_streams(self) -> int:
        """As many as each has a core of its own for its process, and another one for softirqs if it needs that."""
        return self.node_cores if self.arfs or self.far else self.node_cores // 2

    def irq_core(self, stream: int, streams: int) -> int:
        """The number of the core on which softirqs of a stream run; its process has the core of its own number."""
        return stream if self.arfs else stream + (self.node_cores if self.far else streams)
