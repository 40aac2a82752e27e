"""The size of a system's socket buffers, and how their contents are counted."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Bytes, Count, Header, PositiveBytes


class SocketSpec(Spec):
    """`counts`: buffers are accounted, in each direction, by the memory of frames or by their payload alone. Memory is
    that of the frames' data (Linux: skb->truesize without the sk_buff), in multiples of `buffer_unit`. A driver gets
    `receive_headroom` bytes more than it asks for, as does IP when it joins fragments (dev_alloc_skb).
    `requested_factor`: a buffer size that a program asks for is limited to `requested_most` (0: no limit) and then
    multiplied by this factor, to make up for that overhead; a send buffer then has at least `send_least` bytes, a
    receive buffer `receive_least`. `checksum_with_copy`: the checksum is computed in the pass
    that copies from the process, at no extra cost; otherwise it takes a separate pass, which a card can save.
    `takes_whole`: a call that sends over TCP copies all of its bytes at once, and returns when less than the send
    buffer is in use or at most one earlier call has unacknowledged data (Windows: AFD, Microsoft KB 214397); otherwise
    it copies segment by segment as the send buffer has room.
    """

    requested_factor: Count
    checksum_with_copy: bool
    counts: Literal["memory", "payload"] = "memory"
    requested_most: Bytes = 0
    send_least: Bytes = 0
    receive_least: Bytes = 0
    buffer_unit: PositiveBytes = 1
    receive_headroom: Header = 0
    takes_whole: bool = False

    def send_buffer(self, asked: int) -> int:
        """Bytes of the send buffer that a program gets if it asks for this many."""
        return max(self._requested(asked), self.send_least)

    def receive_buffer(self, asked: int) -> int:
        """Bytes of the receive buffer that a program gets if it asks for this many."""
        return max(self._requested(asked), self.receive_least)

    def _requested(self, asked: int) -> int:
        return (min(asked, self.requested_most) if self.requested_most else asked) * self.requested_factor

    def memory(self, nbytes: int) -> int:
        """Bytes counted for a buffer with room for `nbytes`, if memory is counted."""
        return -(-nbytes // self.buffer_unit) * self.buffer_unit
