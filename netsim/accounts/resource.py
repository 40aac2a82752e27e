"""Resources that can be busy, and places where frames can be lost. Both print as text and are identified by fields.

They are strings, so the text serves as a key: `result.utilisation["sender bus"]`. Code reads their fields and never
parses the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from netsim.units import total

PROCESSOR, PROCESSORS = "processor", "processors"  # one of a host's processors, or all of them together
PROCESS_CORE = "process core"  # on a host with one core for each role
BUS, TRANSMITTER, RECEIVER, ONBOARD, CRYPTO_ENGINE = "bus", "transmitter", "receiver", "onboard", "crypto engine"
TX_MODERATION, RX_MODERATION = "tx moderation", "rx moderation"
KERNEL_LOCK, BOTTOM_HALVES, MINIPORT_LOCK = "kernel lock", "bottom halves", "miniport lock"  # of a serialised port
DISK, DISKS, DISK_CONTROLLER, SCSI_CHANNEL = "disk", "disks", "disk controller", "SCSI channel"
THREADS = "threads"  # of a server's service, all together
DISK_COMMANDS = "disk commands"  # all that a controller takes at a time: busy while more wait for them
CABLE, UPLINK, DOWNLINK = "cable", "uplink", "downlink"  # a cable's direction to a host; to a switch, and back
LINK = "link"  # a direction of a cable with a name: "uplink to server" takes the place of a host
SEGMENT, SEGMENTS = "segment", "segments"  # a wire that stations share, or all of them together
PCIE_UPSTREAM, PCIE_DOWNSTREAM = "PCIe upstream", "PCIe downstream"  # to the root complex, and back
TX_RING = "transmit ring"  # of descriptors: a sender stops when it is full
DMA_ENGINE, DMA_TAGS = "DMA engine", "DMA tags"  # the part that accepts commands; all tags of its reads together
# Flow control of PCI Express: all credits of one type together; and the walkers of an IOMMU's tables.
POSTED_HEADERS, POSTED_DATA, NONPOSTED_HEADERS = "posted headers", "posted data", "non-posted headers"
IOMMU_WALKERS = "IOMMU walkers"
CLIENTS, WORKSTATIONS = "clients", "workstations"  # all of them, if each had every resource to itself
LATENCY = "latency"  # not a resource: the sender waits for its window, for buffers to be returned, or for the reply
OFFERED = "offered load"  # not a resource either: a sender waits until its next datagram is due
TRANSMIT_QUEUE = "transmit queue"  # a place of drops: frames that their sender hands down and no wire carries
SOCKET_BUFFER = "socket buffer"  # a place of drops: of datagrams, or of segments (iperf3)
POLLING = "polling"  # the time of an idle processor that polls instead of sleeping

_WIRES = frozenset({CABLE, UPLINK, DOWNLINK, LINK, SEGMENT, SEGMENTS})
_ON_A_NIC = (TRANSMITTER, RECEIVER, ONBOARD, CRYPTO_ENGINE, TX_MODERATION, RX_MODERATION, MINIPORT_LOCK)
_TEXTS = {
    **dict.fromkeys(_ON_A_NIC, "{host} nic{number} {kind}"),
    **dict.fromkeys((SEGMENT, SEGMENTS), "wire {of}{kind}{number}"),
    LINK: "wire {host}",
    CABLE: "wire{number} to {host}",
    UPLINK: "wire {host}{number} to switch",
    DOWNLINK: "wire switch to {host}{number}",
}


class Resource(str):
    """Something that is busy for a share of the time. It has a `kind`, a `host` that it belongs to (for a cable, the
    host at that end; "" if none), and a `number` there, from 0 (None if there is only one)."""

    __slots__ = ("host", "kind", "number")

    host: str
    kind: str
    number: int | None

    def __new__(cls, host: str, kind: str, number: int | None = None) -> Self:
        shown = "" if number is None else f" {number}"
        text = _TEXTS.get(kind, "{of}{kind}{number}")
        of = f"{host} " if host else ""
        self = super().__new__(cls, text.format(host=host, of=of, kind=kind, number=shown))
        self.host, self.kind, self.number = host, kind, number
        return self

    def __getnewargs__(self) -> tuple[str, str, int | None]:  # type: ignore[override]
        return self.host, self.kind, self.number

    def fields(self) -> dict[str, Any]:
        """The fields that make it."""
        return {"host": self.host, "kind": self.kind, "number": self.number}

    @property
    def is_wire(self) -> bool:
        """Whether it carries frames between machines."""
        return self.kind in _WIRES

    def is_in(self, host: str) -> bool:
        """Whether it is a part of this host."""
        return self.host == host and not self.is_wire


class DropPlace(str):
    """A place where frames are dropped: `what` at `where`, a wire, a switch or a host, and its `number` there (None if
    there is only one). `ahead` is the wire that the frames would have taken next (None: any resource of their host)."""

    __slots__ = ("ahead", "number", "what", "where")

    where: str
    what: str
    ahead: Resource | None
    number: int | None

    def __new__(cls, where: str, what: str, ahead: Resource | None = None, number: int | None = None) -> Self:
        self = super().__new__(cls, f"{where}: {what}{'' if number is None else f' {number}'}")
        self.where, self.what, self.ahead, self.number = where, what, ahead, number
        return self

    def __getnewargs__(self) -> tuple[str, str, Resource | None, int | None]:  # type: ignore[override]
        return self.where, self.what, self.ahead, self.number

    def fields(self) -> dict[str, Any]:
        """The fields that make it."""
        return {"where": self.where, "what": self.what, "ahead": self.ahead, "number": self.number}

    @property
    def itself(self) -> Resource:
        """The place, as the bottleneck of a run."""
        return Resource(self.where, self.what, self.number)

    @property
    def on_a_wire(self) -> bool:
        """Whether a wire loses the frames."""
        return isinstance(self.where, Resource)

    @property
    def ahead_of_wires(self) -> bool:
        """Whether a host that sends the frames drops them, so that its wire does not count them."""
        return self.what == TRANSMIT_QUEUE

    def comes_before(self, resource: Resource) -> bool:
        """Whether frames dropped here were on their way to this resource. In a transmit queue they wait for the host,
        too: its card fetches them over the bus, and a processor gives the card the next ones."""
        within = self.ahead is None or self.ahead_of_wires
        return resource == self.ahead or (within and resource.is_in(self.where) and resource.kind != TRANSMITTER)


def together(shares: Mapping[Resource, float]) -> dict[Resource, float]:
    """The means over each host's processors, and over the segments if there are several."""
    hosts = by_host(shares, [one for one in shares if one.kind == PROCESSOR])
    segments = [share for one, share in shares.items() if one.kind == SEGMENT and one.number is not None]
    means = {Resource(host, PROCESSORS): share for host, share in hosts.items()}
    return means | ({Resource("", SEGMENTS): total(segments) / len(segments)} if segments else {})


def by_host(shares: Mapping[Resource, float], processors: Iterable[Resource]) -> dict[str, float]:
    """Per host, the mean over its processors."""
    own: dict[str, list[float]] = {}
    for one in processors:
        own.setdefault(one.host, []).append(shares[one])
    return {host: total(found) / len(found) for host, found in own.items()}
