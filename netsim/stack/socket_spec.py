"""How large a system makes the buffers of its sockets, and what it counts as in them."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Bytes, Count, Header, PositiveBytes


class SocketSpec(Spec):
    """`counts`: what buffers are accounted in, each way: the memory of frames, or their payload alone. Memory is that
    of their data (Linux: skb->truesize without the sk_buff), in multiples of `buffer_unit`. A driver allocates
    `receive_headroom` bytes beyond what it asks for, and IP where it joins fragments (dev_alloc_skb).
    `requested_factor`: a buffer size that a program asks for is multiplied by this, after it has been cut to what is
    `requested_most` (0: no limit), to make up for that overhead. `checksum_with_copy`: the sum is taken in the pass
    that copies from the process, at no cost of its own; else it is a pass of its own, which a card can save.
    `takes_whole`: a call that sends over TCP copies all of its bytes at once, however many, and returns when less than
    the send buffer is held or at most one earlier call's data are not all acknowledged (Windows: AFD, Microsoft KB
    214397); else it copies segment by segment as the send buffer has room.
    """

    requested_factor: Count
    checksum_with_copy: bool
    counts: Literal["memory", "payload"] = "memory"
    requested_most: Bytes = 0
    buffer_unit: PositiveBytes = 1
    receive_headroom: Header = 0
    takes_whole: bool = False

    def requested(self, nbytes: int | None) -> int:
        """Bytes of a buffer when a program asks for `nbytes`; 0 if it doesn't."""
        asked = nbytes or 0
        return (min(asked, self.requested_most) if self.requested_most else asked) * self.requested_factor

    def memory(self, nbytes: int) -> int:
        """Bytes that a buffer with room for `nbytes` counts for, where memory is counted."""
        return -(-nbytes // self.buffer_unit) * self.buffer_unit
