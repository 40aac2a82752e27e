"""When a driver returns receive descriptors to its adapter: several at a time, during a poll or after it.

Sources, all of Linux 5.17: ixgbe_clean_rx_irq and i40e_clean_rx_irq return what is owed before they take the next
packet, as soon as it is a portion; igb_clean_rx_irq also returns the remainder after its loop; e1000_alloc_rx_buffers
writes the tail only at whole portions; mlx5e_post_rx_wqes returns whole portions after a poll.
"""

from __future__ import annotations

from typing import final

from netsim.nic import ReceiveQueue


@final
class DescriptorReturns:
    """Portions of `size` descriptors: returned `during` a poll or else after it, with the remainder after a poll
    (`rest`) or else with the next portion."""

    def __init__(self, size: int, during: bool, rest: bool) -> None:
        self._size = size
        self._during = during
        self._rest = rest
        self.owed = 0  # descriptors of packets taken

    def next_portion(self, queue: ReceiveQueue, left: int) -> int:
        """Before the next packet of a poll: how many of the `left` ones may be taken until descriptors are returned."""
        if not self._during:
            return left
        if self.owed >= self._size:
            self._return(queue, self.owed)
        return min(left, self._size - self.owed)

    def poll_over(self, queue: ReceiveQueue) -> None:
        """A poll has ended."""
        if self._rest:
            self._return(queue, self.owed)
        elif not self._during:
            self._return(queue, self.owed - self.owed % self._size)

    def _return(self, queue: ReceiveQueue, descriptors: int) -> None:
        queue.post(descriptors)
        self.owed -= descriptors
