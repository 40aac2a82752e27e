"""A half-duplex Ethernet segment, and how long its signals take (IEEE 802.3 clause 4, table 4-2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.ethernet.frame import FCS, HEADER, INTERFRAME_GAP, MAX_PAYLOAD, PREAMBLE
from netsim.spec import Spec
from netsim.units import GBIT_S, MBIT_S, PS_PER_S, BitRate, Mtu, Time, format_time

SegmentMedium = Literal["twisted pair", "coaxial cable", "fibre"]

RATES = {10 * MBIT_S: "10 Mbit/s", 100 * MBIT_S: "100 Mbit/s", GBIT_S: "1 Gbit/s"}
# 4.4.2, in bits
SLOT, GIGABIT_SLOT = 512, 4096
GAP_PART_1: Final = 64  # interFrameSpacingPart1: two thirds of the gap
JAM: Final = 32
ATTEMPT_LIMIT: Final = 16
BACKOFF_LIMIT: Final = 10
BURST_LIMIT: Final = 65_536


class HubSpec(Spec):
    """A repeater: `delay` (ps) from a bit's arrival on one port until it leaves on the others.

    Its other effects on signals are not modelled: it loses no preamble, and passes on the fragments of a collision,
    which are never shorter than 96 bits here, unchanged (802.3 clauses 9 and 27 would extend them to that length).
    """

    delay: Time


class SegmentSpec(Spec):
    """A shared medium: `rate` in bit/s, `delay` for each metre of cable (ps), and `mtu`, the largest payload (bytes).
    Without a `hub` it is a single coaxial cable with all stations along it; with a hub, each station has its own cable
    to the hub. `medium` is the kind of cable (None: whatever its adapters use).

    `bursting`: at 1000 Mbit/s a station may send several frames without releasing the medium (4.2.3.2.7).
    """

    catalogue = "segments"

    rate: BitRate
    delay: Time
    hub: HubSpec | None = None
    mtu: Mtu = MAX_PAYLOAD
    bursting: bool = True
    medium: SegmentMedium | None = None

    @model_validator(mode="after")
    def _has_a_slot(self) -> Self:
        """The standard defines the slot time; it cannot be computed."""
        if self.rate not in RATES:
            text = f"{self.rate} bit/s is not allowed; allowed: {', '.join(RATES.values())}"
            raise ScenarioError(text, address="rate")
        return self

    # --- times (ps) --------------------------------------------------------------------------------------------------

    @property
    def bit(self) -> int:
        """The bit time."""
        return PS_PER_S // self.rate

    @property
    def slot_time(self) -> int:
        """slotTime: 512 bits, at 1000 Mbit/s 4096."""
        return self.bit * (GIGABIT_SLOT if self.extends else SLOT)

    @property
    def gap(self) -> int:
        """interFrameSpacing: 96 bits."""
        return self.time(INTERFRAME_GAP)

    @property
    def gap_part_1(self) -> int:
        """interFrameSpacingPart1: carrier in it restarts the gap, unless the station was sending (4.2.8, Deference)."""
        return self.bit * GAP_PART_1

    @property
    def preamble_time(self) -> int:
        """Preamble and start frame delimiter, which a station completes whatever it hears."""
        return self.time(PREAMBLE)

    @property
    def jam_time(self) -> int:
        """jamSize: 32 bits."""
        return self.bit * JAM

    @property
    def burst_time(self) -> int:
        """burstLimit: no further frame begins later than this after a burst's start (ps); 0 where there are no
        bursts."""
        return self.bit * BURST_LIMIT if self.extends and self.bursting else 0

    @property
    def extends(self) -> bool:
        """Whether short frames are extended to the slot time (4.2.3.4)."""
        return self.rate == GBIT_S

    def time(self, nbytes: int) -> int:
        """The time to send `nbytes` bytes."""
        return nbytes * 8 * self.bit

    def sending_time(self, size: int, *, first: bool = True) -> int:
        """For a frame of `size` bytes (with FCS), from its preamble to its last bit, extension included. Only the
        `first` frame of a burst is extended."""
        least = self.slot_time if self.extends and first else 0
        return self.time(PREAMBLE) + max(self.time(size), least)

    def frame_time(self, size: int) -> int:
        """From the start of a frame of `size` bytes (with FCS) to the earliest start of the next one."""
        return self.sending_time(size) + self.gap

    def fragment_time(self, heard: int) -> int:
        """For the signal of a station that hears another one `heard` ps after its start: it finishes the current bit,
        or its preamble, and jams (4.2.8, BitTransmitter)."""
        bits = -(-heard // self.bit)
        return max(bits * self.bit, self.preamble_time) + self.jam_time

    # --- sizes -------------------------------------------------------------------------------------------------------

    @property
    def max_frame(self) -> int:
        """The largest frame in bytes, with FCS."""
        return HEADER + self.mtu + FCS

    @property
    def max_round_trip(self) -> int:
        """The longest round trip (ps) of a signal to the farthest station and back: the slot time less the jam
        (4.2.3.2.3).

        Even a station that starts in the last third of its gap, and thus up to 96 bits after the signal has arrived, is
        heard before a frame of minimum size has left: there are no late collisions.
        """
        return self.slot_time - self.jam_time

    def place(self, position: float) -> int:
        """ps that a signal needs for `position` metres of cable."""
        return round(position * self.delay)

    def propagation(self, one: float, other: float) -> int:
        """ps between two stations at their positions (metres): along the coaxial cable, or through both cables and the
        hub. At least 1, so that stations that start at the same time don't hear each other immediately."""
        if self.hub is None:
            return max(1, abs(self.place(one) - self.place(other)))
        return max(1, self.place(one) + self.hub.delay + self.place(other))

    def check_layout(self, positions: Mapping[str, float]) -> None:
        """Raises ScenarioError, addressed by a station's name, if a collision could come too late."""
        for name, position in positions.items():
            if not 0 <= position < float("inf"):
                text = f"{position} m is not allowed; allowed: a number of metres, 0 or more"
                raise ScenarioError(text, address=name)
        ends = self._farthest(positions)
        round_trip = 2 * self.propagation(*(positions[name] for name in ends)) if len(ends) == 2 else 0
        if round_trip > self.max_round_trip:
            limit = f"{format_time(self.max_round_trip)} or less (the slot time less the jam)"
            raise ScenarioError(f"{format_time(round_trip)} to {ends[0]} and back; allowed: {limit}", address=ends[1])

    def _farthest(self, positions: Mapping[str, float]) -> list[str]:
        """The two stations that are farthest apart, in the order in which they are named."""
        order = sorted(positions, key=lambda name: positions[name])
        pair = {order[0], order[-1]} if self.hub is None else set(order[-2:])
        return [name for name in positions if name in pair]
