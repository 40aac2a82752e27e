"""The journeys of frames: their stages in order, noted as parts report them."""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

Stage = tuple[str, int, int]  # name, start and end (ps)

# In the order of a journey, which begins on the wire if a tester sends. A switch and another wire may come between, and
# everything from the driver on may occur more than once if the adapter gives a frame up or a host on the path forwards
# it. A stage in which a frame waits has the name of the place.
STAGES: Final = (
    "send",  # the work that hands it down: system call, copy, protocol, and the driver if it is called directly
    "bond queue",
    "aggregate",  # a bond's driver, and the port's
    "transmit queue",  # the ring is full
    "restart",  # the port's driver
    "transmit ring",  # from the doorbell until its fetch begins: the frames ahead of it, and the card's processor
    "fetch",  # until the wire begins: the transmit FIFO, the crypto engine, and a busy wire
    "wire",  # until its last bit is at the other end
    "switch",
    "receive FIFO",  # until it is in memory: DMA, the card's processor, the crypto engine
    "receive buffer",  # a card's own, from which the processor moves the data
    "receive ring",  # in memory: until the driver takes it up, interrupt moderation included
    "receive",  # the driver
    "backlog",
    "socket backlog",  # a process is inside a call on the socket, and will do the rest of "protocol"
    "forwarding",  # a host on the path forwards it: from here the stages repeat
    "protocol",
    "reassembly",  # until the datagram's other fragments have arrived
    "socket",
    "copy",  # the process's call; for a segment read in several calls, each of them, with "socket" between
)


@mypyc_attr(serializable=True)
class Journey:
    """The stages so far of a frame of `size` bytes with FCS, for `port` at its receiver. `how` it ended is "taken", or
    the place where it was dropped; empty while it is under way. Every report about it has its `numbers`."""

    def __init__(self, frame: int, size: int, port: str) -> None:
        self.frame = frame
        self.size = size
        self.port = port
        self.how = ""
        self.is_cut = False  # it began before the time that is watched
        self.end = 0  # ps
        self.numbers = [frame]
        self.names: list[str] = []  # of the stages that have begun, in order
        self.times: list[int] = []  # when they began (ps)
        self._last = -1  # of these times; -1: none

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Journey) and repr(self) == repr(other)

    def __repr__(self) -> str:
        about = f"frame={self.frame}, size={self.size}, port={self.port!r}, how={self.how!r}"
        return f"Journey({about}, stages={self.stages()})"

    def begins(self, stage: str, time: int) -> None:
        """A stage begins at `time` (ps), perhaps before one already reported."""
        if time >= self._last:
            self._last = time
            self.names.append(stage)
            self.times.append(time)
            return
        place = len(self.times)
        while place and self.times[place - 1] > time:
            place -= 1
        self.names.insert(place, stage)
        self.times.insert(place, time)

    def ends(self, how: str, time: int) -> None:
        """The journey is over at `time` (ps): only stages that took time are kept."""
        self.how, self.end = how, time
        names, times, left = self.names, self.times, 0
        for place, start in enumerate(times):
            if start >= time:
                break
            if left and times[left - 1] == start:  # the one before takes no time
                left -= 1
            if left < place:
                names[left], times[left] = names[place], start
            left += 1
        if left < len(times):
            del names[left:], times[left:]

    def until(self, time: int) -> Journey:
        """A copy as of `time` (ps), when the frame is under way."""
        copy = Journey(self.frame, self.size, self.port)
        copy.names, copy.times = self.names.copy(), self.times.copy()
        copy.ends("", time)
        return copy

    @property
    def is_whole(self) -> bool:
        """Whether its beginning and its end were observed."""
        return bool(self.how) and not self.is_cut

    def stages(self) -> list[Stage]:
        """Each stage lasts until the next one; valid once the journey is over."""
        return list(zip(self.names, self.times, [*self.times[1:], self.end], strict=True)) if self.times else []
