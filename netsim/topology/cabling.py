"""Checks of the two ends of a cable: rates, and the sizes of frames."""

from __future__ import annotations

import math
from typing import NamedTuple

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec, SegmentSpec, SwitchSpec
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import HostSpec
from netsim.nic import CardSpec
from netsim.stack import ComputerSpec, EspSpec
from netsim.stack.tcp import LARGEST_WINDOW


def check_mtu(mtu: int, link: LinkSpec) -> None:
    """Check that the link carries the MTU (bytes). Raises ScenarioError."""
    if mtu > link.mtu:
        raise ScenarioError(f"{mtu} bytes are more than the link allows ({link.mtu})", address="mtu")


def check_receives(address: str, host: HostSpec) -> None:
    """Check that the host at `address` can take part: it has an adapter and does not forward. Raises ScenarioError."""
    if not host.nics:
        raise ScenarioError("[] is not allowed; allowed: at least one adapter", address=f"{address}.nics")
    if isinstance(host, ComputerSpec) and host.forwards is not None:
        text = f'"{host.forwards}": no host forwards in this test; allowed here: none (use tool = "flows")'
        raise ScenarioError(text, address=f"{address}.forwards")


def check_host(address: str, host: ComputerSpec, link: LinkSpec, mtu: int, *, every: bool = False) -> None:
    """Check that the host at `address` has an adapter, and that its cabled adapters support the link and the MTU: the
    first one, or all if it has a bond or `every` one is cabled. Raises ScenarioError."""
    check_receives(address, host)
    for nic in host.nics if every or host.bond else host.nics[:1]:
        check_linked(address, nic, link, mtu)


def check_linked(address: str, nic: CardSpec, link: LinkSpec, mtu: int) -> None:
    """Check that an adapter of the host at `address` supports the link and the MTU. Raises ScenarioError."""
    if nic.duplex == "half":
        text = f"the adapter of {address} is half duplex, but a link is full duplex"
        raise ScenarioError(f"{text}; allowed: a segment, such as {_shared(nic.rate)}", address="link")
    if None not in (nic.medium, link.medium) and nic.medium != link.medium:
        text = f"the adapter of {address} is for {nic.medium} and can't be connected to a {link.medium} link"
        raise ScenarioError(f"{text}; allowed: {fitting_links(nic)}", address="link")
    if nic.rate < link.rate:
        text = f"{link.rate} bit/s are more than the adapter of {address} supports ({nic.rate})"
        raise ScenarioError(text, address="link.rate")
    _check_frame(mtu, nic.max_frame, f"the adapter of {address}")


def _shared(rate: int) -> str:
    """The segments for a card of this rate (bit/s), as a text."""
    found = [name for name in catalog.names("segments") if SegmentSpec.from_name(name).rate <= rate]
    return ", ".join(found)


def fitting_links(nic: CardSpec) -> str:
    """The links for a card, as a text."""
    links = {name: LinkSpec.from_name(name) for name in catalog.names("links")}
    fits = [name for name, one in links.items() if one.medium == nic.medium and one.rate <= nic.rate]
    return ", ".join(fits) or f"any link of {nic.medium}"


class AskedBuffer(NamedTuple):
    """The receive buffer that a program asks for at this address of its test, in bytes. Its system may provide more."""

    address: str
    nbytes: int


def check_windows(
    opener: tuple[str, ComputerSpec], other: tuple[str, ComputerSpec], mtu: int, asked: AskedBuffer | None = None
) -> None:
    """Check that two hosts, with their addresses, offer windows with room for a segment, and no larger ones than their
    connection can express: above 65,535 bytes, windows have to be scaled. If their programs have `asked` for the
    buffers, errors say what these may ask for. Raises ScenarioError."""
    for address, host in (opener, other):
        _check_room(address, host, host.mss(mtu), asked)
    asks, answers = opener[1], other[1].answering(opener[1])
    if asks.system.tcp.window_scaling == answers.system.tcp.window_scaling == "asks":
        return
    for address, host in ((opener[0], asks), (other[0], answers)):
        tcp = host.system.tcp
        window = tcp.receive_buffer * tcp.window_share
        if window > LARGEST_WINDOW:
            most = int(LARGEST_WINDOW / tcp.window_share / _factor(host, asked))
            text = f"a window of {window:.0f} bytes needs window scaling at both ends; allowed here: 1 to {most}"
            raise ScenarioError(text, address=_buffer(address, asked))


def _check_room(address: str, host: ComputerSpec, mss: int, asked: AskedBuffer | None) -> None:
    tcp = host.system.tcp
    if tcp.window(0, mss) < mss:
        share = tcp.window_share * _factor(host, asked)
        least = mss / share if share else math.inf
        allowed = f"{math.ceil(least)} or more" if least < math.inf else "a larger window_share"
        text = f"a buffer of {tcp.receive_buffer} bytes offers a window smaller than a segment ({mss} bytes)"
        text = f"{asked.nbytes} bytes are too few: {text}" if asked else text
        raise ScenarioError(f"{text}; allowed: {allowed}", address=_buffer(address, asked))


def _factor(host: ComputerSpec, asked: AskedBuffer | None) -> int:
    """How much larger a receive buffer is than what sets its size."""
    return host.system.socket.requested_factor if asked else 1


def _buffer(address: str, asked: AskedBuffer | None) -> str:
    """The address of what sets the size of a host's receive buffer."""
    return asked.address if asked else f"{address}.system.tcp.receive_buffer"


def check_ipsec(address: str, host: ComputerSpec, ipsec: EspSpec | None, mtu: int) -> None:
    """Check that the host at `address` can protect its traffic by `ipsec`, and that the MTU leaves room for data.
    Raises ScenarioError."""
    try:
        protected = host.under(ipsec)
    except ScenarioError as error:
        raise error.at(address) from None
    if ipsec is not None and protected.mss(mtu) < 1:
        raise ScenarioError(f"{mtu} bytes leave no room for data after the headers of IPsec", address="mtu")


def check_switch(switch: SwitchSpec, mtu: int) -> None:
    """Check that the switch accepts the frames. Raises ScenarioError."""
    _check_frame(mtu, switch.max_frame, "the switch")


def _check_frame(mtu: int, max_frame: int, taker: str) -> None:
    if frame_size(mtu) > max_frame:
        text = f"{mtu} bytes make frames of {frame_size(mtu)} bytes, more than {taker} accepts ({max_frame})"
        raise ScenarioError(text, address="mtu")
