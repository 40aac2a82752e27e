"""Ethernet: frames and the wires that carry them (IEEE 802.3)."""

from netsim.ethernet.frame import Frame
from netsim.ethernet.link import Link, LinkSpec

__all__ = ["Frame", "Link", "LinkSpec"]
