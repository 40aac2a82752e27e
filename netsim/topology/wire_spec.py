"""The wires of a network of a user's own, each between ends that have names."""

from __future__ import annotations

from pydantic import Field

from netsim.ethernet import LinkSpec, SegmentSpec
from netsim.spec import Spec
from netsim.units import Count


class CableSpec(Spec):
    """A full-duplex `link` between two `ends`: each a switch, a host ("server", if it has one port) or its port of a
    number ("server.1")."""

    ends: tuple[str, str]
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))


class SharedWireSpec(Spec):
    """A half-duplex `segment` with its `stations`, hosts or their ports, `spacing` metres from each to the next or to
    the hub."""

    stations: tuple[str, ...]
    segment: SegmentSpec
    spacing: Count = 5
