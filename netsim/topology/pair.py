"""The common part of tests between two hosts: the machines and the wire between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, model_validator

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE, DOWNLINK, SEGMENT, UPLINK
from netsim.errors import ScenarioError
from netsim.ethernet import LinkSpec, SegmentSpec, SwitchSpec
from netsim.ethernet.frame_sizes import frame_size
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec, EspSpec
from netsim.stack.bonding_spec import Shares, shares
from netsim.topology.cabling import check_host, check_ipsec, check_mtu, check_switch, check_windows
from netsim.topology.stations import check_adapter, check_distances, check_frame, check_handed_over, position
from netsim.units import Count, Mtu

SENDER, RECEIVER = "sender", "receiver"


def _wire() -> LinkSpec:
    return LinkSpec.from_name("100base-tx")


class Pair(Scenario):
    """Two hosts with a cable between their first ports, or one between each pair of ports if these are bonded. `mtu` is
    in bytes. `ipsec`, such as "3des-cbc/hmac-sha-1-96", protects all traffic (None: in clear). Positional arguments:
    sender, receiver.

    With a `switch` each host has a `link` to the switch. With a `segment` in place of the link, the hosts share a
    half-duplex wire, and are `spacing` metres from each other, or from the hub; each pair of bonded ports has its own
    segment.
    """

    positional: ClassVar[tuple[str, ...]] = (SENDER, RECEIVER)

    sender: ComputerSpec
    receiver: ComputerSpec
    link: LinkSpec = Field(default_factory=_wire)
    switch: SwitchSpec | None = None
    segment: SegmentSpec | None = None
    spacing: Count = 5
    mtu: Mtu = 1500
    ipsec: EspSpec | None = None

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """The wire carries the MTU, and both adapters support the wire."""
        for name, host in ((SENDER, self.sender), (RECEIVER, self.receiver)):
            self._check_wired(name, host)
            check_ipsec(name, host, self.ipsec, self.mtu)
            if self.segment is not None:
                check_handed_over(name, host.under(self.ipsec), range(_cables(host)))
        check_windows((SENDER, self.sender), (RECEIVER, self.receiver), self.mtu)
        self._check_cables()
        return self

    @model_validator(mode="after")
    def _one_wire(self) -> Self:
        """A segment excludes a link and a switch; a switch has no trunk here."""
        if self.segment is not None:
            for name, given in (("link", self.link != _wire()), ("switch", self.switch is not None)):
                if given:
                    text = f"a segment already connects the hosts; allowed: none, or a {name} and no segment"
                    raise ScenarioError(text, address=name)
            check_distances(self.segment, self.spacing, (SENDER, RECEIVER))
        if self.switch is not None:
            check_switch(self.switch, self.mtu)
            if self.cables > 1:
                text = 'no trunk to bonded ports is modelled here; allowed with a bond: none (use tool = "chariot")'
                raise ScenarioError(text, address="switch")
        return self

    def _check_cables(self) -> None:
        """Check that both hosts use the same number of ports."""
        ours, theirs = _cables(self.sender), _cables(self.receiver)
        if ours == theirs:
            return
        if len(self.sender.ports()) == len(self.receiver.ports()):
            bare, other = (RECEIVER, SENDER) if self.sender.bond else (SENDER, RECEIVER)
            text = f"there is none, but the {other} has one for its {max(ours, theirs)} ports"
            raise ScenarioError(f"{text}; allowed: a bond at both hosts, or at neither", address=f"{bare}.bond")
        text = f"{_ports(self.receiver)} can't be connected to the sender's {_ports(self.sender)}"
        allowed = _ports(self.sender) if ours > 1 else "one port, or no bond"
        raise ScenarioError(f"{text}; allowed: {allowed}", address="receiver.nics")

    def _check_wired(self, name: str, host: ComputerSpec) -> None:
        if self.segment is None:
            check_mtu(self.mtu, self.link)
            check_host(name, host, self.link, self.mtu)
            return
        for number in range(max(1, _cables(host) and len(host.nics) if host.bond else 1)):
            nic = check_adapter(name, host, self.segment, number)
            check_frame("mtu", self.mtu, frame_size(self.mtu), nic, self.segment)

    @property
    def ends(self) -> tuple[ComputerSpec, ComputerSpec]:
        """Both hosts, with the TCP options of a connection that the sender opens."""
        return self.sender.under(self.ipsec), self.receiver.answering(self.sender).under(self.ipsec)

    @property
    def medium(self) -> LinkSpec | SegmentSpec:
        """The wire that carries frames."""
        return self.link if self.segment is None else self.segment

    @property
    def distance(self) -> int:
        """The propagation time (ps) along one cable, or along the segment."""
        if self.segment is None:
            return self.link.delay
        return self.segment.propagation(*(position(self.segment, self.spacing, number) for number in (0, 1)))

    @property
    def cables(self) -> int:
        """The number of ports that each host uses."""
        return _cables(self.sender)

    @property
    def shares(self) -> tuple[Shares, Shares]:
        """The ports of both hosts by which frames travel to the receiver, and back: the end that sends chooses. Each
        host is the other's first peer."""
        bonds = self.sender.bond, self.receiver.bond
        there, back = (shares(bond.policy if bond else "address", self.cables, 0) for bond in bonds)
        return there, back

    def wires(self, number: int) -> tuple[Sequence[Resource], Sequence[Resource]]:
        """The wires that frames between the ports of this number cross in succession: to the receiver, and back."""
        shown = number if self.cables > 1 else None
        if self.segment is not None:
            return ((shared := (Resource("", SEGMENT, shown),)), shared)
        if self.switch is None:
            return (Resource(RECEIVER, CABLE, shown),), (Resource(SENDER, CABLE, shown),)
        up, down = ({host: Resource(host, way) for host in (SENDER, RECEIVER)} for way in (UPLINK, DOWNLINK))
        return (up[SENDER], down[RECEIVER]), (up[RECEIVER], down[SENDER])


def _cables(host: ComputerSpec) -> int:
    """The number of a host's cables: one for each port of a bond, otherwise one for its first port."""
    return len(host.ports()) if host.bond else 1


def _ports(host: ComputerSpec) -> str:
    """A host's ports, as a text."""
    number = len(host.ports())
    return "one port" if number == 1 else f"{number} ports {'with' if host.bond else 'without'} a bond"
