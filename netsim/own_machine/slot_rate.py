"""The rate of frames that a PCI Express link carries, against that of the wire: packet arithmetic, not a measurement.

Descriptors, doorbells and interrupts are left out: a slot never carries more than this.
"""

from __future__ import annotations

from typing import NamedTuple

from netsim.bus import PcieSpec
from netsim.bus.pcie_spec import PAGE
from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size, wire_size
from netsim.own_machine.machine_spec import AdapterFound, PcieFound
from netsim.units import PS_PER_S

_LANES = (1, 2, 4, 8, 16)  # those that PcieSpec knows; 12 and 32 are in the standard, but in no adapter
_GENERATIONS = 5


class LinkKind(NamedTuple):
    """A generation and a width."""

    generation: int
    lanes: int

    def __str__(self) -> str:
        return f"generation {self.generation} x{self.lanes}"

    @property
    def raw(self) -> float:
        """In proportion to transfers per second: 2.5, 5, 8, 16, 32, 64 GT/s."""
        return self.lanes * (2.5, 5, 8, 16, 32, 64)[self.generation - 1]


def trained(link: PcieFound) -> LinkKind:
    return LinkKind(link.generation, link.lanes)


def capable(link: PcieFound) -> LinkKind:
    """The best that the adapter can do."""
    return LinkKind(link.capable_generation, link.capable_lanes)


def possible(link: PcieFound) -> LinkKind:
    """The best that the adapter and its slot can do, as far as the slot is known."""
    generation, lanes = link.slot_generation or 6, link.slot_lanes or 32
    return LinkKind(min(generation, link.capable_generation), min(lanes, link.capable_lanes))


def as_pcie(link: PcieFound, **changes: int) -> PcieSpec | None:
    """The link with some values changed, as far as netsim knows its generation and width."""
    names = ("generation", "lanes", "max_payload", "max_read", "read_boundary")
    values = {name: changes.get(name, getattr(link, name)) for name in names}
    if values["lanes"] not in _LANES or values["generation"] > _GENERATIONS:
        return None
    return PcieSpec(**values)


def slot_rate(pcie: PcieSpec, frame: int) -> float:
    """Bit/s of frames of `frame` bytes (without FCS) that a link carries: the lower of both directions."""
    return min(receiving_rate(pcie, frame), sending_rate(pcie, frame))


def receiving_rate(pcie: PcieSpec, nbytes: int) -> float:
    """Bit/s that an adapter can write, in units of `nbytes` from the beginning of a page."""
    return _rate(nbytes, pcie.time(sum(wire for _, wire in pcie.writes(0, nbytes))))


def sending_rate(pcie: PcieSpec, nbytes: int) -> float:
    """Bit/s that an adapter can read, in the same units."""
    requests = pcie.reads(0, nbytes)
    answers = [one for at, own in requests for one in pcie.completions(at, own, pcie.max_payload)]
    down, up = sum(wire for _, wire in answers), len(requests) * pcie.request_bytes
    return _rate(nbytes, pcie.time(max(down, up)))


def _rate(nbytes: int, time: int) -> float:
    return nbytes * 8 * PS_PER_S / time


# ---- the wire ----


def frame_bytes(adapter: AdapterFound) -> int:
    """A full frame in memory: without FCS."""
    return frame_size(adapter.mtu) - FCS


def wire_rate(adapter: AdapterFound) -> float:
    """Bit/s of full frames, as stored in memory, that the wire brings; 0 without a link."""
    return (adapter.rate or 0) * frame_bytes(adapter) / wire_size(frame_size(adapter.mtu))


def frames_per_second(adapter: AdapterFound, size: int) -> float:
    """Frames per second of `size` bytes with FCS, at the wire's rate."""
    return (adapter.rate or 0) / (8 * wire_size(size))


# ---- the least upper bound of a stream ----


def stream_bounds(adapter: AdapterFound, timestamps: bool) -> dict[str, float]:
    """The most bit/s of TCP or UDP payload that the wire and the slot allow, in the measured direction."""
    sends, udp = (True, False) if adapter.measured is None else _direction(adapter)
    # After the headers of IPv4 and TCP; fragments of UDP have only IP's.
    payload = adapter.mtu - (20 if udp else 40 + 12 * timestamps)
    if payload <= 0 or not adapter.rate:
        return {}
    found = {"wire": adapter.rate * payload / wire_size(frame_size(adapter.mtu))}
    pcie = as_pcie(adapter.pcie) if adapter.pcie else None
    if pcie is None:
        return found
    whole = adapter.offloads.segmentation if sends else adapter.offloads.large_receive
    if whole == "on" and not udp:  # headers once for many pages: ideally none
        found["slot"] = sending_rate(pcie, PAGE) if sends else receiving_rate(pcie, PAGE)
    else:
        frame = frame_bytes(adapter)
        rate = sending_rate(pcie, frame) if sends else receiving_rate(pcie, frame)
        found["slot"] = rate * payload / frame
    return found


def _direction(adapter: AdapterFound) -> tuple[bool, bool]:
    assert adapter.measured is not None
    return adapter.measured.sends, adapter.measured.protocol == "UDP"
