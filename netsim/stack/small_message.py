"""A small message in a frame of its own, and where its time goes from one process to the other."""

from __future__ import annotations

from typing import Final

from netsim.ethernet import Frame

# From the call that sends it until the call that takes it has returned: within the sender, between both, and within the
# receiver.
SENDING: Final = ("call", "send", "IP and driver")
BETWEEN: Final = ("adapter", "wire", "switch", "memory", "moderation")
TAKING: Final = ("interrupt", "NAPI", "steering", "IP", "protocol", "wake-up", "receive", "return")


class SmallMessage(Frame):
    """Of a transaction that `began` (ps), perhaps the answer to a `request`. `at` has when each stage began that it has
    come to, and the last one's end (ps)."""

    __slots__ = ("at", "began", "in_memory", "request")

    in_memory: int

    def __init__(self, size: int, began: int, request: SmallMessage | None) -> None:
        super().__init__(size)
        self.began = began
        self.request = request
        self.at: list[int] = []

    def stages(self) -> list[int]:
        """ps of each."""
        return [end - start for start, end in zip(self.at, self.at[1:], strict=False)]
