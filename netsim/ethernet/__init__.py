"""Ethernet: frames, the wires that carry them (IEEE 802.3), full-duplex or shared, and switches (IEEE 802.1D)."""

from netsim.ethernet.access import Access, OwnCable
from netsim.ethernet.bit_errors import BitErrors
from netsim.ethernet.frame import Frame
from netsim.ethernet.link import Link, Medium
from netsim.ethernet.link_spec import LinkSpec
from netsim.ethernet.mac import Mac
from netsim.ethernet.segment import Segment
from netsim.ethernet.segment_spec import HubSpec, SegmentSpec
from netsim.ethernet.switch import Switch, SwitchPort
from netsim.ethernet.switch_spec import SwitchSpec
from netsim.ethernet.trunk import Trunk

__all__ = [
    "Access",
    "BitErrors",
    "Frame",
    "HubSpec",
    "Link",
    "LinkSpec",
    "Mac",
    "Medium",
    "OwnCable",
    "Segment",
    "SegmentSpec",
    "Switch",
    "SwitchPort",
    "SwitchSpec",
    "Trunk",
]
