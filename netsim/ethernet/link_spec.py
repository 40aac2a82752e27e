"""A full-duplex link, and how long frames take on it (IEEE 802.3 clause 4)."""

from __future__ import annotations

from typing import Literal

from netsim.ethernet.frame import FCS, HEADER, MAX_PAYLOAD, PREAMBLE
from netsim.ethernet.frame_sizes import wire_size
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, ClockTolerance, Fraction, Mtu, Time

CableMedium = Literal["twisted pair", "fibre"]


class LinkSpec(Spec):
    """A full-duplex cable: `rate` in bit/s, `propagation` one way, `mtu` the largest payload it may carry (bytes),
    `bit_error_rate` the probability that a bit is received wrongly, which costs the frame (its FCS fails).
    `coding_delay` is the delay that the physical layers of both ends add (ps), for example by a block code with error
    correction, which receives a whole code word before it passes anything on. `medium` is the kind of cable (None:
    whatever its adapters use). `clock_tolerance` is the most by which the clock of each end, which times what it sends,
    may differ from the rate, as a share (1e-4 by 802.3, 7.3.2 and 40.6.1.2.6); each run draws the clocks. At 0 all
    are exact, and senders in step stay in step.
    """

    catalogue = "links"

    rate: BitRate
    propagation: Time
    mtu: Mtu = MAX_PAYLOAD
    bit_error_rate: Fraction = 0.0
    coding_delay: Time = 0
    medium: CableMedium | None = None
    clock_tolerance: ClockTolerance = 0.0

    def clocked(self, offset: float) -> LinkSpec:
        """The link by a clock that is faster by `offset`, from -1 to 1, of its tolerance."""
        return self.scale("rate", 1 + offset * self.clock_tolerance)

    @property
    def delay(self) -> int:
        """ps from the start of a bit at one end until it is known at the other."""
        return self.propagation + self.coding_delay

    def time(self, nbytes: int) -> int:
        """ps to send `nbytes` bytes, exact for every rate of the standard up to 100 Gbit/s."""
        return round(nbytes * 8 * PS_PER_S / self.rate)

    def sending_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to its last bit."""
        return self.time(PREAMBLE + size)

    def frame_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to the earliest start of the next one."""
        return self.time(wire_size(size))

    def frame_rate(self, size: int) -> float:
        """Frames of `size` bytes (with FCS) per second, back to back (RFC 2544, 20: with preamble and gap)."""
        return self.rate / (8 * wire_size(size))

    def whole_frames(self, size: int) -> int:
        """The same, without the frame that the end of a second cuts off."""
        return self.rate // (8 * wire_size(size))

    @property
    def max_frame(self) -> int:
        """The largest frame in bytes, with FCS."""
        return HEADER + self.mtu + FCS
