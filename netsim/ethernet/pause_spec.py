"""Pause frames of a full-duplex link (IEEE 802.3, annex 31B): how long one stops a sender.

A pause frame is a MAC control frame (type 0x8808, opcode 0x0001) of minimum size, to 01-80-C2-00-00-01. Its time counts
in quanta of 512 bit times from its reception; a frame under way is finished, and a pause frame with time 0 ends the
pause. A sender may take some quanta to stop (31B.3.7). This holds for times other than 0: after a 0 the sender
continues at once.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from netsim.ethernet.frame import MIN_FRAME
from netsim.ethernet.link_spec import LinkSpec
from netsim.spec import Spec
from netsim.units import GBIT_S, MBIT_S, Fraction, NonNegativeCount

QUANTUM = 512  # bit times
_MOST = 2**16 - 1  # quanta: the field has 16 bits
# Quanta from reception until a sender stops, at most, up to each rate (bit/s): 31B.3.7. From 25 Gbit/s on they are
# those in SONiC (sonic-swss, cfgmgr/buffer_headroom_mellanox.lua), which cites it. Those below are from memory (SONiC
# has 67 at 10 Gbit/s). Rates in between take that of the next one, and faster ones the last.
_RESPONSES = {
    100 * MBIT_S: 1, GBIT_S: 2, 10 * GBIT_S: 60, 25 * GBIT_S: 80, 40 * GBIT_S: 118, 50 * GBIT_S: 147,
    100 * GBIT_S: 394, 200 * GBIT_S: 453, 400 * GBIT_S: 905,
}  # fmt: skip


class PauseSpec(Spec):
    """A receiver asks for a pause of `quanta` when its FIFO has filled to the share `high`, asks again when half of
    that time has passed, and ends the pause when the FIFO has drained to the share `low`. The sender stops `response`
    quanta (None: as many as the standard allows at the link's rate) after the pause frame has arrived or, if it is
    sending a frame at that time, at the end of that frame. It remains stopped until no time is left of the last pause
    frame's."""

    catalogue = "pauses"

    quanta: Annotated[int, Field(ge=1, le=_MOST)]
    high: Fraction
    low: Fraction
    response: NonNegativeCount | None = None

    def time(self, link: LinkSpec) -> int:
        """ps for which a sender stops."""
        return link.time(self.quanta * QUANTUM // 8)

    def response_time(self, link: LinkSpec) -> int:
        """ps from the pause frame's arrival until the sender stops."""
        response = _allowed(link.rate) if self.response is None else self.response
        return link.time(response * QUANTUM // 8)


def _allowed(rate: int) -> int:
    """The most quanta until a sender stops, at a rate (bit/s)."""
    return next((most for fastest, most in _RESPONSES.items() if rate <= fastest), max(_RESPONSES.values()))


def pause_way(link: LinkSpec) -> int:
    """ps from the receiver's request until the sender has the frame, on an idle wire."""
    return link.sending_time(MIN_FRAME) + link.delay
