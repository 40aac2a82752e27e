"""The uses of a processor's time: cycles that scale with its clock, bytes that scale with its memory, register accesses
that scale with neither."""

from __future__ import annotations

from typing import Final, NamedTuple

from mypy_extensions import i64

from netsim.machine.memory_spec import Source


class Place(NamedTuple):
    """The location of bytes, and whether they are aligned to words."""

    source: Source
    aligned: bool


# The names under which processor time is booked, in the order of a frame's path up.
NAMES = (
    "interrupt", "driver", "programmed I/O", "shared memory", "aggregation", "ipsec", "crypto", "forwarding",
    "protocol", "connection", "checksum", "copy", "memory stall", "wake-up", "spin", "system call", "disk driver",
    "file service", "mpi", "application",
)


class Tally:
    """How often a processor, the `owner`, has done a work."""

    __slots__ = ("owner", "times")

    def __init__(self, owner: object) -> None:
        self.owner = owner
        self.times: i64 = 0


class Work:
    """A piece of work of known length: consecutive parts (name, ps), `accesses` ps of them on the bus of number `slot`,
    which stays busy for `posted` ps more without being waited for; for `memory` ps it needs memory. For `moved` ps it
    repeatedly takes the bus for a cycle, and leaves it to others in between.

    Works are made once and used for every frame of a kind: the accounts count how often each was done. The `tally` is
    that of the processor that did it last, and `before` that of the other processor that did it before. Where a frame
    is handed to a device, `outside` is the part before that and `inside` the rest (None: the work hands over no frame).
    """

    __slots__ = (
        "accesses", "before", "bus", "exposed", "inside", "memory", "moved", "outside", "parts", "posted", "slot",
        "tally", "total",
    )

    def __init__(
        self,
        parts: tuple[tuple[str, int], ...],
        accesses: int,
        posted: int = 0,
        slot: int = 0,
        memory: int = 0,
        moved: int = 0,
    ) -> None:
        self.parts = parts
        self.accesses: i64 = accesses
        self.posted: i64 = posted
        self.moved: i64 = moved
        self.bus = accesses + posted + moved
        self.slot: i64 = slot
        self.memory = memory
        self.exposed = bool(memory or moved)  # others may prolong it
        self.total = sum(ps for _, ps in parts)
        self.tally: Tally | None = None
        self.before: Tally | None = None
        self.outside: Work | None = None
        self.inside: Work | None = None


NOTHING: Final = Work((), 0)
