"""A current host at one end of a stream."""

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
    """A `server` with an `adapter` in a slot `pcie`, its `driver`, and a `kernel`. `tso` and `gro` are set as by
    ethtool (tso: with GSO). With `arfs`, the softirqs of a stream run on the core of its process; otherwise they run on
    a core of another node or, if there is only one node, on another core. The adapter is in the node of the processes.
    Socket buffers grow up to the last of `tcp_rmem` and `tcp_wmem`; those of UDP are `rmem_default` and `wmem_default`.
    With `bql`, byte queue limits bound the bytes in the driver's transmit ring."""

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
        """The costs of streams are known for every part, each ring has enough descriptors, and buffers are of a
        possible size."""
        for part, table, example in ((self.server, "memory", "xeon-gold-6128"), (self.driver, "stream", "mlx5-5.4"),
                                     (self.kernel, "tcp", "linux-5.4")):  # fmt: skip
            if getattr(part, table) is None:
                name = {"memory": "server", "stream": "driver", "tcp": "kernel"}[table]
                text = f"the costs of streams are not known for this {name}; allowed: a table, as in {example}"
                raise ScenarioError(text, address=f"{name}.{table}")
        self.driver.check_adapter(self.adapter)
        for name in ("tcp_rmem", "tcp_wmem", "rmem_default", "wmem_default"):
            if not 4 * KIB <= getattr(self, name) <= 1 << 30:
                text = f"{getattr(self, name)} B is not allowed; allowed: 4 KiB to 1 GiB"
                raise ScenarioError(text, address=name)
        return self

    @property
    def memory(self) -> ServerMemorySpec:
        """The costs of moving data."""
        assert self.server.memory is not None
        return self.server.memory

    @property
    def costs(self) -> StreamCostsSpec:
        """The costs of the kernel's TCP."""
        assert self.kernel.tcp is not None
        return self.kernel.tcp

    @property
    def stream_driver(self) -> StreamDriverSpec:
        """The driver's costs."""
        assert self.driver.stream is not None
        return self.driver.stream

    @property
    def far(self) -> bool:
        """Whether softirqs and the process run on different nodes."""
        return not self.arfs and self.memory.nodes > 1

    @property
    def most_streams(self) -> int:
        """The largest number of streams for which each has a separate core for its process, and another for softirqs if
        it needs one."""
        own = self.server.node_cores
        return own if self.arfs or self.far else own // 2

    def irq_core(self, stream: int, streams: int) -> int:
        """The number of the core on which a stream's softirqs run; its process runs on the core with the stream's
        number."""
        return stream if self.arfs else stream + (self.server.node_cores if self.far else streams)
