"""Ethernet: frames, the wires that carry them (IEEE 802.3) and the switches between those (IEEE 802.1D)."""

from netsim.ethernet.frame import Frame
from netsim.ethernet.link import Link, LinkSpec
from netsim.ethernet.switch import Switch, SwitchPort, SwitchSpec
from netsim.ethernet.trunk import Trunk

__all__ = ["Frame", "Link", "LinkSpec", "Switch", "SwitchPort", "SwitchSpec", "Trunk"]
