"""A small message in a separate frame, and the time that it spends in each stage between two processes."""

from __future__ import annotations

from typing import Final

from netsim.ethernet import Frame

# From the sending call until the receiving call returns: within the sender, between the hosts, and within the receiver.
SENDING: Final = ("call", "send", "IP and driver")
BETWEEN: Final = ("adapter", "wire", "switch", "memory", "moderation")
TAKING: Final = ("interrupt", "NAPI", "steering", "IP", "protocol", "wake-up", "receive", "return")


class SmallMessage(Frame):
    """A message of a transaction that `began` at that time (ps), perhaps the response to a `request`. `at` lists the
    start (ps) of each stage reached so far, and the end of the last one."""

    __slots__ = ("at", "began", "in_memory", "request")

    in_memory: int

    def __init__(self, size: int, began: int, request: SmallMessage | None) -> None:
        super().__init__(size)
        self.began = began
        self.request = request
        self.at: list[int] = []

    def stages(self) -> list[int]:
        """The time (ps) in each stage."""
        return [end - start for start, end in zip(self.at, self.at[1:], strict=False)]
