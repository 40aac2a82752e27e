"""What a full-duplex link is, and how long frames take on it (IEEE 802.3 clause 4)."""

from __future__ import annotations

from netsim.ethernet.frame import FCS, HEADER, MAX_PAYLOAD, PREAMBLE
from netsim.ethernet.frame_sizes import wire_size
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, Fraction, Mtu, Time


class LinkSpec(Spec):
    """A full-duplex cable: `rate` in bit/s, `propagation` one way, `mtu` the largest payload it may carry (bytes),
    `bit_error_rate` the probability that a bit is received wrongly, which costs the frame (its FCS fails).
    """

    catalogue = "links"

    rate: BitRate
    propagation: Time
    mtu: Mtu = MAX_PAYLOAD
    bit_error_rate: Fraction = 0.0

    def time(self, nbytes: int) -> int:
        """ps to send `nbytes` bytes, exact for 10, 100 and 1000 Mbit/s."""
        return round(nbytes * 8 * PS_PER_S / self.rate)

    def sending_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to its last bit."""
        return self.time(PREAMBLE + size)

    def frame_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to the earliest start of the next one."""
        return self.time(wire_size(size))

    @property
    def max_frame(self) -> int:
        """The largest frame in bytes, with FCS."""
        return HEADER + self.mtu + FCS
