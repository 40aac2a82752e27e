"""How large a system makes the buffers of its sockets, and what it counts as in them."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Bytes, Count


class SocketSpec(Spec):
    """`counts`: what buffers are accounted in, each way: the memory that frames take, or their payload alone.
    `buffer_overhead`: bytes of memory that a buffered frame takes beyond its own (Linux: skb->truesize).
    `requested_factor`: a buffer size that a program asks for is multiplied by this, to make up for that overhead.
    `checksum_with_copy`: the sum is taken in the pass that copies from the process, at no cost of its own; else it is a
    pass of its own, which a card can save. `takes_whole`: a call that sends over TCP copies all of its bytes at once,
    however many, and returns when less than the send buffer is held or at most one earlier call's data are not all
    acknowledged (Windows: AFD, Microsoft KB 214397); else it copies segment by segment as the send buffer has room.
    """

    buffer_overhead: Bytes
    requested_factor: Count
    checksum_with_copy: bool
    counts: Literal["memory", "payload"] = "memory"
    takes_whole: bool = False

    def requested(self, nbytes: int | None) -> int:
        """Bytes of a buffer when a program asks for `nbytes`; 0 if it doesn't."""
        return (nbytes or 0) * self.requested_factor

    def charge(self, size: int, payload: int) -> int:
        """What a buffered frame of `size` bytes with `payload` bytes of payload counts for (bytes)."""
        return payload if self.counts == "payload" else size + self.buffer_overhead
