"""A packet generator limited only by the wire, and a host that receives: how many packets per second it can handle, at
which load, and how long each packet takes (RFC 2544).

Source: RFC 2544, Bradner and McQuaid, "Benchmarking methodology for network interconnect devices" (1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds
from netsim.bus import PcieSpec, PcieSwitchSpec
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet.frame import FCS
from netsim.ethernet.pause_spec import PauseSpec
from netsim.machine import PacketActionSpec
from netsim.nic import rss
from netsim.units import PS_PER_S, Parts
from netsim.workload.packet_scenario import PacketScenario
from netsim.workload.packets import bounds
from netsim.workload.packets.run import PacketsRun
from netsim.workload.packets.several_run import SeveralRun

_FLOWS = 4096  # at most, because a table holds each flow's queue
_LINE = 64  # bytes of a cache line
_MOST = 10**9  # packets, or packets per second


class Packets(PacketScenario):
    """A generator sends frames of `frame` bytes at a constant spacing, from `flows` flows in turn: `offered` per second
    (None: as many as the wire carries), and `burst` in total (None: forever; other values are for ns.rfc2544, since a
    burst has no steady rate). `steering` assigns flows to the queues of the `cores`: "even" assigns the same number to
    each, "rss" goes by their hash, as the driver sets it up: flows differ only in their UDP ports. With a `pause` the
    adapter keeps frames that find no descriptor, and asks the generator to wait before its FIFO is full (802.3x). The
    host applies its `action` to each packet. Each of several `adapters` (or ports with a chip each) has a wire with
    that load, and an equal share of the cores; behind a `switch` they share its uplink. Adapters are in the server's
    first node, with their rings and buffers, and so are the first cores. The throughput counts packets that the host
    has handled, or that have left it again.

    Positional arguments: action, frame, cores.
    """

    positional: ClassVar[tuple[str, ...]] = ("action", "frame", "cores")

    action: PacketActionSpec
    offered: Annotated[int, Field(ge=1, le=_MOST)] | None = None
    burst: Annotated[int, Field(ge=1, le=_MOST)] | None = None
    flows: Annotated[int, Field(ge=1, le=_FLOWS)] = 240
    steering: Literal["even", "rss"] = "even"
    pause: PauseSpec | None = None
    adapters: Parts = 1
    switch: PcieSwitchSpec | None = None

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, action: Any = ..., frame: Any = ..., cores: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _can_be_offered(self) -> Self:
        """The wire can carry the offered load, which is at least a frame per second; a frame fits into its buffer, and
        each core has a flow."""
        if self.link.frame_rate(self.frame) < 1:
            text = f"{self.link.rate} bit/s carry less than a frame per second; allowed: at least one"
            raise ScenarioError(text, address="link.rate")
        if self.offered is not None and self.offered > (most := self.link.whole_frames(self.frame)):
            text = f"{self.offered} frames per second are more than the wire carries; allowed: up to {most}"
            raise ScenarioError(text, address="offered")
        if self.pause is not None and not 0 < self.pause_frames[1] < self.pause_frames[0] <= self.room:
            text = f"begins at {self.pause_frames[0]} and ends at {self.pause_frames[1]} of {self.room} frames"
            raise ScenarioError(f"{text}; allowed: 0 < low < high <= 1, with frames between them", address="pause")
        if self.action.in_driver and not self.action.polls:  # a poll-mode driver has no XDP
            self._check_driver()
        if self.flows < self.queues:
            text = f"{self.flows} flows are too few for each of {self.queues} cores; allowed: {self.queues} or more"
            raise ScenarioError(text, address="flows")
        return self

    def _check_driver(self) -> None:
        """A kernel's driver that itself processes packets supports XDP, and a packet fits its buffer."""
        room, need = self.driver.xdp_buffer, self.frame - FCS
        if room is None:
            text = "the driver does not support native XDP (driver.xdp_buffer); allowed: actions without `in_driver`"
            raise ScenarioError(f"{text}, such as linux-drop-raw", address="action")
        if need > room:
            text = f"{room} B do not hold a packet of {need} B; allowed: {need} B or more"
            raise ScenarioError(text, address="driver.xdp_buffer")

    @model_validator(mode="after")
    def _divides(self) -> Self:
        """Each adapter has the same number of cores, and the switch passes its packets unchanged."""
        if self.cores % self.adapters:
            text = f"{self.adapters} do not divide {self.cores} cores evenly; allowed: a divisor of {self.cores}"
            raise ScenarioError(text, address="adapters")
        if self.adapters > 1 and self.pause is not None:
            raise ScenarioError("only with one adapter; allowed here: none", address="pause")
        if self.switch is not None and self.switch.uplink.max_payload < self.pcie.max_payload:
            text = f"{self.switch.uplink.max_payload} B are less than pcie.max_payload, and switches don't split"
            text += f" packets; allowed: {self.pcie.max_payload} B or more"
            raise ScenarioError(text, address="switch.uplink.max_payload")
        if self.switch is not None and self.switch.credits is not None:
            text = 'credits are modelled only for tool = "dma"; allowed here: none'
            raise ScenarioError(text, address="switch.credits")
        return self

    def check_lasts(self) -> None:
        """See Scenario."""
        if self.burst is not None:
            text = f"a burst of {self.burst} packets has no steady rate"
            raise ScenarioError(f"{text}; allowed: none here; ns.rfc2544 measures bursts", address="burst")

    @property
    def devices(self) -> int:
        return self.adapters

    @property
    def label(self) -> str:
        return "packets"

    @property
    def room(self) -> int:
        """Frames in the adapter's FIFO."""
        return self.adapter.fifo // self.frame

    @property
    def pause_frames(self) -> tuple[int, int]:
        """The numbers of frames in the FIFO at which a pause begins and ends."""
        assert self.pause is not None
        return int(self.pause.high * self.room), int(self.pause.low * self.room)

    @property
    def rate(self) -> int:
        """The offered frames per second, of all flows together."""
        return min(_MOST, self.link.whole_frames(self.frame)) if self.offered is None else self.offered

    @property
    def most(self) -> int:
        """Frames in total; -1: no end."""
        return -1 if self.burst is None else self.burst

    @property
    def round(self) -> int:
        """The number of flows that send in turn."""
        return sum(map(len, self.places))

    @property
    def places(self) -> list[list[int]]:
        """For each queue, the numbers of its flows."""
        found: list[list[int]] = [[] for _ in range(self.queues)]
        for flow, queue in enumerate(self._queues):
            found[queue].append(flow)
        return found

    @cached_property
    def used(self) -> list[int]:
        """The numbers of an adapter's queues that have a flow."""
        return sorted(set(self._queues))

    @cached_property
    def busy(self) -> list[int]:
        """The numbers of the cores with those queues."""
        return [adapter * self.queues + number for adapter in range(self.adapters) for number in self.used]

    @cached_property
    def _queues(self) -> Sequence[int]:
        """For each flow, the number of its queue."""
        if self.steering == "rss":
            queues = min(self.queues, self.driver.rss_queues or self.queues)
            return rss.spread(self.flows, queues, self.driver.hashes_udp_ports)
        return [flow % self.queues for flow in range(self.flows - self.flows % self.queues)]

    def packet_time(self, core: int = 0) -> int:
        """The time (ps) that a core takes for a packet whose data are in the cache. A core of another node fetches
        its part of a line of the adapter's entries, and what it reads of the packet, from there."""
        server, driver, action = self.server, self.driver, self.action
        own = server.time((driver.poll_rx_cycles if action.polls else driver.rx_cycles) + action.cycles)
        shared = server.shared_time(action.shared_lines, core, self.busy)
        if not server.is_remote(core):
            return own + shared
        entry = min(1, (self.adapter.rx_completion or self.adapter.rx_descriptor) / _LINE)
        return own + shared + round((entry + action.reads) * server.remote_line)

    def remote_time(self, core: int) -> int:
        """The time (ps) that a write of an adapter needs in addition until a core of another node sees it."""
        return self.server.root_complex.remote_time if self.server.is_remote(core) else 0

    @property
    def link_times(self) -> tuple[int, int]:
        """The times (ps) of the adapter's link to the host for a packet, upstream and downstream."""
        return self.times_on(self.pcie)

    def times_on(self, pcie: PcieSpec) -> tuple[int, int]:
        """The times (ps) of a link for a packet, upstream and downstream: received and, if the action requires it, sent
        again."""
        adapter, frame, most = self.adapter, self.frame, self.server.root_complex.longest(pcie)
        up, down = adapter.rx_upstream(pcie, frame, self.apart), adapter.rx_downstream(pcie, self.driver.refill, most)
        if self.action.forwards:
            up += adapter.tx_upstream(pcie, frame, self.doorbell)
            down += adapter.tx_downstream(pcie, frame, self.doorbell, most)
        return up, down

    @property
    def doorbell(self) -> int:
        """Forwarded packets for each doorbell: all those of a poll if the driver itself forwards them, or else one,
        since the kernel hands over a packet at a time."""
        return self.kernel.weight if self.action.in_driver else 1

    @property
    def apart(self) -> float:
        """The time (ps) from one packet of a queue to the next."""
        return self.spacing * len(self.used)

    @property
    def service_time(self) -> int:
        """The shortest time (ps) from one packet that an adapter moves to memory to the next. Adapters divide a shared
        uplink equally."""
        shared = () if self.switch is None else self.times_on(self.switch.uplink)
        return max(*self.link_times, *(self.adapters * time for time in shared), self.adapter.rx_packet_time)

    @property
    def send_time(self) -> int:
        """The shortest time (ps) from one packet that an adapter sends to the next, apart from the link to the
        host."""
        return ceil(max(self.link.frame_time(self.frame), self.adapter.tx_apart(len(self.used))))

    @property
    def fetch_latency(self) -> int:
        """The time (ps) from a doorbell until a forwarded packet's first bit can leave: its descriptor and its data are
        read."""
        read = self.server.root_complex.answer_time(cached=True, remote=False)
        most = self.server.root_complex.longest(self.pcie)
        down = self.adapter.tx_downstream(self.pcie, self.frame, self.doorbell, most)
        return self.adapter.latency + 2 * read + down

    @property
    def message_on_link(self) -> int:
        """The time (ps) for which an interrupt's message delays an adapter's packets on the link."""
        shared = 0 if self.switch is None else self.adapters * self.adapter.interrupt_time(self.switch.uplink)
        return max(self.adapter.interrupt_time(self.pcie), shared)

    @property
    def message_time(self) -> int:
        """See PacketScenario."""
        if self.switch is None:
            return super().message_time
        own, on = (self.adapter.interrupt_time(one) for one in (self.pcie, self.switch.uplink))
        return self.switch.ready(own, own, on) + on + self.server.root_complex.write_time

    @property
    def latency(self) -> int:
        """The time (ps) from a frame's last bit until the frame is in memory: a write to the root complex."""
        up = self.adapter.rx_upstream(self.pcie, self.frame, self.apart)
        held = 0 if self.adapter.compression is None else self.adapter.compression.hold(self.apart)
        if self.switch is not None:
            on = self.adapter.rx_upstream(self.switch.uplink, self.frame, self.apart)
            up = self.switch.ready(up, up, on) + on
        return self.adapter.latency + up + held + self.server.root_complex.visible_time(remote=False)

    @property
    def first_arrival(self) -> int:
        """When the first frame's last bit arrives (ps)."""
        return self.link.sending_time(self.frame) + self.link.delay

    @property
    def spacing(self) -> float:
        """The time (ps) from one frame to the next."""
        return PS_PER_S / self.rate

    def bounds(self) -> Bounds:
        return Bounds(bounds.demand(self), 1, self.unit)

    def build(self, env: Environment) -> PacketsRun:
        several = self.adapters > 1 or self.switch is not None
        return SeveralRun(env, self) if several else PacketsRun(env, self)
