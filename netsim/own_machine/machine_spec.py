"""A user's own machine as its tools describe it: data with the file and line that each value was read from.

Values that were not read are `assumed`, with the reason. `stream_host` makes a host from it, on which tools run.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from netsim.spec import Spec
from netsim.spec.named_table import NamedTable, TableOf
from netsim.units import BitRate, Bytes, Count, Frequency, Mtu, NonNegativeCount, PositiveBytes, PositiveTime, Time

Tally = Annotated[int, Field(ge=0, lt=2**63)]  # events since the machine started
Offload = Literal["on", "off", "impossible"]  # ethtool reports the last one as "off [fixed]"
Generation = Annotated[int, Field(ge=1, le=6)]
Lanes = Annotated[int, Field(ge=1, le=32)]


class ProcessorsFound(Spec):
    """Processors as `lscpu` counts them: `count` is the number of hardware threads. `cache` is the size of one
    last-level cache; there may be several."""

    name: str
    count: Count
    sockets: Count
    threads_per_core: Count
    clock: Frequency | None
    cache: PositiveBytes | None = None


class NumaNode(Spec):
    """The processors of a node, such as "0-7,16-23"."""

    processors: str


class KernelFound(Spec):
    """The settings of Linux; `options` are those of its command line that netsim knows. `packets`, `dropped` and
    `squeezed` are sums over the rows of /proc/net/softnet_stat; `flow_entries` is net.core.rps_sock_flow_entries."""

    hz: Count
    netdev_budget: Count
    netdev_budget_time: Time
    backlog: NonNegativeCount
    rmem_max: Bytes
    wmem_max: Bytes
    tcp_rmem_max: Bytes
    tcp_wmem_max: Bytes
    tcp_timestamps: bool
    congestion_control: str
    flow_entries: NonNegativeCount = 0
    options: tuple[str, ...]
    packets: Tally
    dropped: Tally
    squeezed: Tally


class PcieFound(Spec):
    """An adapter's link as trained and configured, the capabilities of the adapter itself, and those of the port above
    it (`slot_...`), if lspci shows them."""

    address: str
    generation: Generation
    lanes: Lanes
    capable_generation: Generation
    capable_lanes: Lanes
    slot_generation: Generation | None
    slot_lanes: Lanes | None
    max_payload: PositiveBytes
    capable_payload: PositiveBytes
    slot_payload: PositiveBytes | None
    max_read: PositiveBytes
    read_boundary: PositiveBytes


class OffloadsFound(Spec):
    """The work that an adapter, or a cheaper layer, can take over from the stack, according to `ethtool -k`."""

    rx_checksum: Offload
    tx_checksum: Offload
    scatter_gather: Offload
    segmentation: Offload
    generic_segmentation: Offload
    generic_receive: Offload
    large_receive: Offload
    flow_steering: Offload = "off"


class MeasuredFound(Spec):
    """An iperf3 run over an adapter: received bit/s, its direction, and its options. `threads` handle its streams (one
    handles all before iperf3 3.16), in calls of `block` bytes; segments carry up to `mss`. Buffers are those fixed by
    -w; Linux tunes others. -b or --fq-rate makes a run `paced`."""

    protocol: Literal["TCP", "UDP"]
    sends: bool
    rate: BitRate
    streams: Count
    retransmits: Tally | None
    threads: Count | None = None
    duration: PositiveTime | None = None
    block: PositiveBytes | None = None
    mss: PositiveBytes | None = None
    send_buffer: PositiveBytes | None = None
    receive_buffer: PositiveBytes | None = None
    congestion: str | None = None
    paced: bool = False
    both_ways: bool = False


class AdapterFound(Spec):
    """A network adapter, with the reports of its driver. `interrupts` are those of all its vectors, `remote_interrupts`
    those that processors of other nodes took. `ring_drops` are frames that found no free descriptor, `fifo_drops` those
    that found no room in the adapter's own memory. `supported_rate` and `advertised_rate` are those of the port's
    fastest modes. `port` is the connector: "Twisted Pair", "FIBRE"."""

    driver: str
    version: str
    firmware: str
    rate: BitRate | None
    duplex: Literal["full", "half"] | None = None
    supported_rate: BitRate | None = None
    advertised_rate: BitRate | None = None
    port: str | None = None
    mtu: Mtu
    node: Annotated[int, Field(ge=0, le=1023)] | None
    rx_ring: NonNegativeCount | None
    rx_ring_max: NonNegativeCount | None
    tx_ring: NonNegativeCount | None
    tx_ring_max: NonNegativeCount | None
    queues: NonNegativeCount | None
    queues_max: NonNegativeCount | None
    adaptive_rx: bool | None
    rx_usecs: Time | None
    rx_frames: NonNegativeCount | None
    tx_usecs: Time | None
    tx_frames: NonNegativeCount | None
    rx_pause: bool | None
    tx_pause: bool | None
    interrupts: Tally | None
    remote_interrupts: Tally | None
    ring_drops: Tally
    fifo_drops: Tally
    offloads: OffloadsFound
    pcie: PcieFound | None = None
    measured: MeasuredFound | None = None


class ImportedMachine(Spec):
    """A machine as read by `netsim import`, or from the TOML that it wrote."""

    processors: ProcessorsFound
    nodes: Annotated[NamedTable, BeforeValidator(TableOf(NumaNode))]
    kernel: KernelFound
    adapters: Annotated[NamedTable, BeforeValidator(TableOf(AdapterFound))]
