"""iperf3 between two current hosts: the throughput of TCP streams or datagrams, and the load on each processor.

Each stream has its own thread and core at each end, as in iperf3 since 3.16. Source: iperf3, src/iperf.h, iperf_api.c,
iperf_tcp.c, iperf_udp.c: a TCP stream writes and reads blocks of 128 KB; UDP sends 1 Mbit/s by default, in datagrams as
long as TCP's segments.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec
from netsim.scenario import Scenario
from netsim.stack import StreamHostSpec
from netsim.stack.datagram_costs import HEADERS as UDP_HEADERS
from netsim.stack.datagram_costs import DatagramCosts
from netsim.stack.receive_window import first_window
from netsim.stack.stream_costs import ACK_FRAME, StreamCosts
from netsim.stack.stream_costs import HEADERS as TCP_HEADERS
from netsim.units import (
    KIB,
    MBIT_S,
    MIB,
    MS,
    PS_PER_S,
    BitRate,
    Count,
    Fraction,
    MessageBytes,
    Mtu,
    Parts,
    PositiveTime,
)
from netsim.workload.intact import check_exact
from netsim.workload.iperf3 import bounds
from netsim.workload.iperf3.run import Iperf3Run

SENDER, RECEIVER = "sender", "receiver"
_LEAST_MTU = 576
MOST_BLOCK = 16 * MIB
LEAST_DATAGRAM = 16  # bytes: its number and timestamp (src/iperf.h, MIN_UDP_BLOCKSIZE)
DEFAULT_BITRATE = MBIT_S  # src/iperf.h, UDP_RATE
DEFAULT_PACING = 1 * MS  # src/iperf.h, DEFAULT_PACING_TIMER
_OTHER = {"tcp": "udp", "udp": "tcp"}
_KEYS = {"tcp": ("congestion",), "udp": ("bitrate", "pacing_timer")}  # by the only protocol that has them
_OF_HOSTS = {"tcp": ("tso", "tcp_rmem", "tcp_wmem"), "udp": ("rmem_default", "wmem_default")}  # the same, of each host


class Iperf3(Scenario):
    """`streams` of a `protocol` (tcp, udp) go from a `sender` to a `receiver` over one `link`, back to back, with
    packets of up to `mtu` bytes (9000 with jumbo frames), which only the adapters limit, regardless of the link's MTU.
    The processes write and read `length` bytes per call (128 KiB); `congestion` names TCP's congestion control (None:
    cubic). Over UDP a call has one datagram, by default of a segment's length; each stream sends up to `bitrate` (1
    Mbit/s), checked after each datagram and each `pacing_timer` (ps; None: 1 ms). Keys that only the other protocol
    uses are refused, including the hosts' `tso` and socket buffers.

    Positional arguments: sender, receiver.
    """

    positional: ClassVar[tuple[str, ...]] = (SENDER, RECEIVER)

    sender: StreamHostSpec
    receiver: StreamHostSpec
    link: LinkSpec
    mtu: Mtu = 1500
    streams: Parts = 1
    protocol: Literal["tcp", "udp"] = "tcp"
    length: MessageBytes | None = None
    bitrate: BitRate | None = None
    pacing_timer: PositiveTime | None = None
    congestion: Literal["cubic", "reno"] | None = None
    duration: PositiveTime = 10 * PS_PER_S
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, sender: Any = ..., receiver: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """The adapters support the link's rate, and each stream has its cores; datagrams are not fragmented."""
        check_exact(self.link)
        for name, host in self.hosts:
            if self.link.rate > host.adapter.rate:
                text = f"{self.link.rate} bit/s are more than the adapter of {name} supports ({host.adapter.rate})"
                raise ScenarioError(text, address="link.rate")
            self._check_streams(name, host)
            if self.mtu > (longest := host.adapter.max_mtu):
                text = f"{self.mtu} is more than the {name}'s adapter accepts; allowed: {_LEAST_MTU} to {longest}"
                raise ScenarioError(text, address="mtu")
            if host.adapter.fifo < self.costs(host).frame:
                raise ScenarioError(f"the {name}'s adapter holds no frame of that mtu", address="mtu")
        if self.mtu < _LEAST_MTU:
            raise ScenarioError(f"{self.mtu} is not allowed; allowed: {_LEAST_MTU} or more", address="mtu")
        if not self._least <= self.block <= self._most:
            text = f"{self.block} B is not allowed; allowed over {self.protocol}: {self._least} to {self._most} B"
            raise ScenarioError(text, address="length")
        return self

    def _check_streams(self, name: str, host: StreamHostSpec) -> None:
        """Each stream has a queue and its cores."""
        queues, key = host.driver.most_queues(host.adapter)
        for most, what, where in ((host.most_streams, "cores", ""), (queues, "queues", f" ({key})")):
            if self.streams > most:
                text = f"{self.streams} are too many for the {name}'s {what}; allowed: 1 to {most}{where}"
                raise ScenarioError(text, address="streams")

    @model_validator(mode="after")
    def _of_its_protocol(self) -> Self:
        """Keys of the other protocol are refused, not ignored."""
        other = _OTHER[self.protocol]
        given = [name for name in _KEYS[other] if getattr(self, name) is not None]
        given += [f"{name}.{key}" for name, host in self.hosts for key in _OF_HOSTS[other]
                 if getattr(host, key) != type(host).model_fields[key].default]  # fmt: skip
        if given:
            raise ScenarioError(f"does not apply to {self.protocol}; allowed with protocol {other}", address=given[0])
        return self

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        """The costs of datagrams are known."""
        for name, host in self.hosts:
            if self.protocol == "udp" and host.kernel.udp is None:
                text = "the costs of datagrams are not known for this kernel; allowed: a table, as in linux-5.4"
                raise ScenarioError(text, address=f"{name}.kernel.udp")
        return self

    @property
    def block(self) -> int:
        """Bytes per call; over UDP, per datagram."""
        return self.length or (128 * KIB if self.protocol == "tcp" else self.mtu - TCP_HEADERS)

    @property
    def _least(self) -> int:
        return 1 if self.protocol == "tcp" else LEAST_DATAGRAM

    @property
    def _most(self) -> int:
        """Bytes of the largest call; over UDP, of the largest datagram that fits one packet, as fragments are not
        modelled."""
        return MOST_BLOCK if self.protocol == "tcp" else self.mtu - UDP_HEADERS

    @property
    def offered(self) -> int:
        """The bit rate (bit/s) of each stream's datagrams."""
        return self.bitrate or DEFAULT_BITRATE

    @property
    def senders(self) -> int:
        return self.streams

    @property
    def pacing(self) -> int:
        """The time (ps) between two looks at whether datagrams are due."""
        return self.pacing_timer or DEFAULT_PACING

    @property
    def control(self) -> str:
        """The name of TCP's congestion control."""
        return self.congestion or "cubic"

    @property
    def label(self) -> str:
        return "iperf3"

    @property
    def hosts(self) -> tuple[tuple[str, StreamHostSpec], tuple[str, StreamHostSpec]]:
        """Both hosts, with their names in accounts."""
        return (SENDER, self.sender), (RECEIVER, self.receiver)

    def costs(self, host: StreamHostSpec) -> StreamCosts:
        """The costs of streams on a host."""
        return StreamCosts(host, self.packet) if self.protocol == "tcp" else self.datagram_costs(host)

    @property
    def packet(self) -> int:
        """Bytes of a stream's largest packet. No segment is longer than half the largest window offered so far, that is
        the first one (Linux 5.17, tcp.h: tcp_bound_to_half_wnd), or a small window would stop the stream."""
        return min(self.mtu, first_window(self.receiver.tcp_rmem) // 2 + TCP_HEADERS)

    def datagram_costs(self, host: StreamHostSpec) -> DatagramCosts:
        """The costs of datagrams on a host."""
        return DatagramCosts(host, self.block + UDP_HEADERS)

    @property
    def mss(self) -> int:
        """Bytes of payload in a segment or a datagram."""
        return self.costs(self.sender).mss

    # --- the adapters, ps for each frame ------------------------------------------------------------------------------

    def pcie_times(self, host: StreamHostSpec, size: int, sends: bool) -> tuple[int, int]:
        """The times (ps) of a host's slot, upstream and downstream, for each frame of `size` bytes that it sends or
        receives."""
        adapter, pcie, most = host.adapter, host.pcie, host.server.root_complex.longest(host.pcie)
        if sends:
            return adapter.tx_upstream(pcie, size, 1), adapter.tx_downstream(pcie, size, 1, most)
        return adapter.rx_upstream(pcie, size), adapter.rx_downstream(pcie, host.driver.refill, most)

    def engine_time(self, host: StreamHostSpec, sends: bool) -> float:
        """The least time (ps) of a host's adapter from one frame that it sends, or receives, to the next."""
        return host.adapter.tx_apart(self.streams) if sends else host.adapter.rx_packet_time

    def step(self, host: StreamHostSpec, size: int) -> int:
        """The shortest time (ps) from one frame that a host sends to the next, of any stream."""
        own = ceil(self.engine_time(host, sends=True))
        return max(self.link.frame_time(size), *self.pcie_times(host, size, True), own)

    def service(self, host: StreamHostSpec, size: int) -> int:
        """The shortest time (ps) from one frame that a host's adapter moves to memory to the next."""
        return max(1, *self.pcie_times(host, size, False), host.adapter.rx_packet_time)

    def fetch_latency(self, host: StreamHostSpec, size: int) -> int:
        """The time (ps) from a doorbell until a frame's first bit can leave: its descriptor and its data are read, and
        the adapter sends."""
        read = host.server.root_complex.answer_time(cached=True, remote=False)
        return host.adapter.latency + 2 * read + self.pcie_times(host, size, True)[1]

    def way(self, host: StreamHostSpec, size: int) -> int:
        """The time (ps) from the start of a frame until a host's adapter has all of it, and moves it to memory."""
        return self.link.sending_time(size) + self.link.delay + host.adapter.latency

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of the frames that each host sends."""
        return {SENDER: self.costs(self.sender).frame, RECEIVER: ACK_FRAME}

    def bounds(self) -> Bounds:
        return Bounds(bounds.demand(self), self.mss)

    def build(self, env: Environment) -> Iperf3Run:
        return Iperf3Run(env, self)
