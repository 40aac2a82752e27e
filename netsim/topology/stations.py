"""Hosts as stations of a shared segment: the checks, the position of each, and its connection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from netsim.errors import ScenarioError
from netsim.ethernet import Segment, SegmentSpec
from netsim.ethernet.deference import INDEX
from netsim.machine import Host, HostSpec
from netsim.nic import CardSpec
from netsim.stack import ComputerSpec
from netsim.topology.cabling import check_receives, fitting_links


def position(segment: SegmentSpec, spacing: int, number: int) -> int:
    """The place (metres) of the station of this number, counted from 0: along the cable, with `spacing` metres between
    neighbours, or the length of its own cable to the hub, which is `spacing`."""
    return spacing * (number if segment.hub is None else 1)


def check_distances(segment: SegmentSpec, spacing: int, names: Sequence[str], listed: str = "stations") -> None:
    """Check that stations with these names, in their order, detect each other in time, and that there are not too many
    of them: the key `listed` says how many. Raises ScenarioError."""
    if len(names) > INDEX + 1:
        raise ScenarioError(f"{len(names)} stations on one segment; allowed: up to {INDEX + 1}", address=listed)
    try:
        segment.check_layout({name: position(segment, spacing, number) for number, name in enumerate(names)})
    except ScenarioError as error:
        raise ScenarioError(f"{spacing} m between stations: {error.problem}", address="spacing") from None


def check_adapter(address: str, host: HostSpec, segment: SegmentSpec, number: int = 0) -> CardSpec:
    """The adapter of this number of the host at `address`. Raises ScenarioError if there is none, or it does not
    support the segment (see `check_joins`)."""
    check_receives(address, host)
    nic = host.nics[number]
    check_joins(address, nic, segment)
    return nic


def check_joins(address: str, nic: CardSpec, segment: SegmentSpec) -> None:
    """Check that an adapter of the host at `address` supports the segment's rate and fits its cable. Raises
    ScenarioError."""
    if not _fits(nic, segment):
        text = f"the adapter of {address} is for {nic.medium} and can't be connected to a {segment.medium} segment"
        allowed = f"any {nic.medium} segment, or as a link: {fitting_links(nic)}"
        raise ScenarioError(f"{text}; allowed: {allowed}", address="segment")
    if nic.rate < segment.rate:
        text = f"{segment.rate} bit/s are more than the adapter of {address} supports ({nic.rate})"
        raise ScenarioError(text, address="segment.rate")


def _fits(nic: CardSpec, segment: SegmentSpec) -> bool:
    """Whether an adapter's connectors fit a segment's cable. A card for twisted pairs may have another connector for a
    coaxial cable; the catalogue does not say."""
    ends = nic.medium, segment.medium
    return None in ends or nic.medium == segment.medium or ends == ("twisted pair", "coaxial cable")


def check_frame(address: str, nbytes: int, frame: int, nic: CardSpec, segment: SegmentSpec) -> None:
    """Check that the adapter and the segment accept a frame of `frame` bytes, which results from `nbytes` at `address`.
    Raises ScenarioError."""
    taker, most = min(("adapter", nic.max_frame), ("segment", segment.max_frame), key=lambda one: one[1])
    if frame > most:
        text = f"{nbytes} bytes make frames of {frame} bytes, more than the {taker} accepts ({most})"
        raise ScenarioError(text, address=address)


def check_handed_over(address: str, host: ComputerSpec, ports: Iterable[int]) -> None:
    """Check that the host hands single frames to these ports: a card on a shared segment neither segments data nor
    enciphers it. Raises ScenarioError."""
    text = "by the card is not modelled on a shared segment; allowed here"
    if host.offloads():
        raise ScenarioError(f'IPsec {text}: "host"', address=f"{address}.nics.0.driver.ipsec")
    for number in ports:
        size = host.ports()[number].driver.large_send
        if size:
            cut = f"segmentation {text}: 0"
            raise ScenarioError(cut, address=f"{address}.nics.{number}.driver.large_send")


def join(segment: Segment, host: Host, place: float, port: int = 0) -> None:
    """Connect a host's port of this number at a `place` (see `position`), under the host's name."""
    mac = segment.mac(host.name, place)
    host.nics[port].join(mac, segment.spec)
    segment.learn(host.name, mac)


def contention(segments: Sequence[Segment]) -> dict[str, int]:
    """The segments' counts for the accounts."""
    return {
        "collisions": sum(segment.collisions for segment in segments),
        "frames deferred": sum(segment.deferrals for segment in segments),
    }
