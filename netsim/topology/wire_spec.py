"""The wires of a user-defined network, each between named ends."""

from __future__ import annotations

from pydantic import Field

from netsim.ethernet import LinkSpec, SegmentSpec
from netsim.spec import Spec
from netsim.units import Count


class CableSpec(Spec):
    """A full-duplex `link` between two `ends`, each of which is a switch, a host ("server", if it has one port) or a
    numbered port of a host ("server.1")."""

    ends: tuple[str, str]
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))


class SharedWireSpec(Spec):
    """A half-duplex `segment` with its `stations` (hosts or their ports), which are `spacing` metres apart, or from the
    hub."""

    stations: tuple[str, ...]
    segment: SegmentSpec
    spacing: Count = 5
