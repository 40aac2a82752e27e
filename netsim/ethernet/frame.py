"""The Ethernet frame and its size on the wire (IEEE 802.3 clauses 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mypy_extensions import i64

HEADER: Final = 14  # destination, source, type (802.3 clause 3.1.1)
FCS: Final = 4  # frame check sequence (3.2.9)
PREAMBLE: Final = 8  # preamble and start frame delimiter (3.2.1, 3.2.2)
INTERFRAME_GAP: Final = 12  # 96 bit times (4.4.2), as bytes
MIN_FRAME: Final = 64  # minFrameSize, with FCS (4.4.2)
MAX_PAYLOAD: Final = 1500  # maxBasicDataSize (4.4.2)


class Frame:
    """One frame on its journey. `size` is in bytes, with header and FCS; protocols add their fields in subclasses.

    The receiving stack finds the frame's owner by `port`; `owner` is notified when the sending driver frees the buffer.
    The sending adapter sets `wants_interrupt` (at the driver's request), `last_bit` (ps, when the frame leaves) and
    `done` (ps, when its buffer is no longer needed); the receiving driver sets `received_by` (the number of its port)
    and `handed_up` (ps, when). A switch on the way sets `sent_on` (ps, when it leaves the switch).

    A frame with `pieces` is more than one frame: the sending adapter cuts it into these, and sends them instead. Each
    knows whether it is the `first` or the `last` of them; any other frame is both.

    For a frame under IPsec, `encipher` is the number of bytes that the sending adapter has to encipher, and `decipher`
    the number that the receiving one has to decipher; 0: none.
    """

    __slots__ = ("done", "handed_up", "last_bit", "owner", "port", "received_by", "sent_on", "size", "wants_interrupt")

    wants_interrupt: bool
    last_bit: i64
    done: i64
    sent_on: i64
    received_by: int
    handed_up: i64
    pieces: Sequence[Frame] = ()
    first: bool = True
    last: bool = True
    encipher: int = 0
    decipher: int = 0

    def __init__(self, size: int, port: Any = None, owner: Any = None) -> None:
        self.size = size
        self.port = port
        self.owner = owner

    def twin(self) -> Frame:
        """A copy without the marks of adapters and drivers: the frame that a host forwards."""
        return Frame(self.size, self.port)

    @property
    def packet(self) -> int:
        """Bytes of the IP packet that it carries, without padding."""
        return self.size - HEADER - FCS

    @property
    def buffer(self) -> int:
        """Bytes in memory and across the bus: the adapter adds the FCS and the padding."""
        return self.size - FCS

    @property
    def fetched(self) -> int:
        """Bytes of it that the sending adapter reads from memory."""
        return self.buffer
