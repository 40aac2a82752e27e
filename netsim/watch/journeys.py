"""What becomes of frames: the stages of their journeys in order, put together as watchers are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

Stage = tuple[str, int, int]  # name, start and end (ps)

# In the order of a journey. A switch and another wire may come between, and all from the driver on more than once
# where the adapter gives a frame up, or a host on the way sends it on; what a frame waits for has the name of the
# place.
STAGES = (
    "send",  # the work that hands it down: system call, copy, protocol, and the driver if it goes straight there
    "bond queue",
    "aggregate",  # a bond's driver, and the port's
    "transmit queue",  # the ring is full
    "restart",  # the port's driver
    "transmit ring",  # from the doorbell until its fetch begins: what is ahead of it, and the card's processor
    "fetch",  # until the wire begins: the transmit FIFO, the crypto engine, and a wire that is not free
    "wire",  # until its last bit is at the other end
    "switch",
    "receive FIFO",  # until it is in memory: DMA, the card's processor, the crypto engine
    "receive buffer",  # a card's own, whose data the processor moves
    "receive ring",  # in memory: until the driver takes it up, interrupt moderation included
    "receive",  # the driver
    "backlog",
    "socket backlog",  # a process is inside a call on the socket, and what is left of "protocol" is its own
    "forwarding",  # a host on the way sends it on: from here it goes round again
    "protocol",
    "reassembly",  # until the datagram's other fragments are there
    "socket",
    "copy",  # the process's call; of a segment that is read in several, all of them, with "socket" between
)


@dataclass
class Journey:
    """A frame of `size` bytes with FCS, for `port` at its receiver, as far as it has come: `how` it ended is "taken",
    or where it was dropped; empty: it is under way."""

    frame: int
    size: int
    port: str
    how: str = ""
    begun: list[tuple[int, str]] = field(default_factory=list)  # when (ps) which stage
    end: int = 0  # ps

    @property
    def is_whole(self) -> bool:
        """Whether its beginning and its end have been seen: what is over by then takes no time."""
        return bool(self.how) and self.stages()[0][0] == STAGES[0]

    def stages(self) -> list[Stage]:
        """All that took some time."""
        marks = [*sorted(self.begun, key=lambda mark: mark[0]), (self.end, "")]
        return [(name, start, min(end, self.end)) for (start, name), (end, _) in pairwise(marks) if start < end]


class Journeys:
    """The journeys under way."""

    def __init__(self) -> None:
        self._under_way: dict[int, Journey] = {}

    def numbered(self, frame: int, size: int, port: str) -> None:
        self._under_way[frame] = Journey(frame, size, port)

    def reached(self, frame: int, stage: str, time: int) -> None:
        self._under_way[frame].begun.append((time, stage))

    def left(self, frame: int, how: str, time: int) -> Journey:
        """Returns the whole journey."""
        journey = self._under_way.pop(frame)
        journey.how, journey.end = how, time
        return journey

    def rest(self, time: int) -> Iterator[Journey]:
        """Those that are under way at `time` (ps), as far as they have come."""
        while self._under_way:
            yield self.left(next(iter(self._under_way)), "", time)
