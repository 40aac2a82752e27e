"""An adapter whose data the host's processor moves."""

from __future__ import annotations

from typing import Literal

from netsim.ethernet import Medium
from netsim.nic.card import CardSpec
from netsim.nic.data_path import DataPathSpec
from netsim.units import Buffer, Header, PositiveBuffer, Time


class SlaveSpec(CardSpec):
    """`path` is the processor's path to the card's `buffer` (bytes), which its driver divides between received frames
    and frames to be sent; frames take pages of `page` bytes there, received ones with `rx_header` bytes that the card
    adds. `tx_buffer` bytes of it are a FIFO for frames to be sent, each with `tx_header` bytes (0: they have buffers
    instead).

    `rx_early`: the driver is called early enough to have moved a frame by the time its last bit arrives, but not before
    this many bytes have arrived (None: the whole frame). `tx_early`: sending begins when this many bytes are there
    (None: the whole frame). `tx_chained`: the card continues by itself with the next frame that it holds,
    `tx_turnaround` (ps) after the last one.

    Not modelled: transmit underrun, when the processor moves data more slowly than the wire takes them; drivers choose
    `tx_early` to avoid it.
    """

    moved_by: Literal["processor"] = "processor"
    path: DataPathSpec
    buffer: PositiveBuffer
    tx_buffer: Buffer = 0
    tx_header: Header = 0
    page: PositiveBuffer = 1
    rx_header: Header = 0
    rx_early: Buffer | None = None
    tx_early: Buffer | None = None
    tx_chained: bool = True
    tx_turnaround: Time = 0

    def stored(self, size: int) -> int:
        """Bytes of the buffer that a received frame of `size` bytes takes."""
        return -(-(self.rx_header + size) // self.page) * self.page

    @property
    def calls_early(self) -> bool:
        """Whether the driver is called for a frame still being received."""
        return self.rx_early is not None

    def moved_first(self, nbytes: int) -> int:
        """How many of the `nbytes` of a frame must be there before sending begins."""
        return nbytes if self.tx_early is None else min(nbytes, self.tx_early)

    def rx_lead_time(self, medium: Medium, size: int, handling: int) -> int:
        """ps before a frame's last bit at which the driver, which takes `handling` ps for the frame, is called."""
        return 0 if self.rx_early is None else max(0, min(handling, medium.time(size - self.rx_early)))
