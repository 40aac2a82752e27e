"""A driver's description: its rings, its costs, its register accesses, and when it requests interrupts."""

from __future__ import annotations

from typing import Literal

from netsim.machine.tx_interrupt import TxInterrupt, WhenRoom
from netsim.nic.moderation_spec import NONE, Moderation
from netsim.spec import Spec
from netsim.units import Buffer, Count, Cycles, PositiveBuffer, Ring, Time
from netsim.units import NonNegativeCount as Number

_STANDARD_MTU = 1500  # bytes


class DriverSpec(Spec):
    """A driver: its rings, its costs in processor time, and when it requests interrupts.

    Ring sizes are in frames; the receive ring has `rx_ring_bytes` instead if its frames are contiguous, and
    `rx_ring_jumbo` frames, if given, with an MTU above 1,500 bytes. `rx_buffers` are the sizes of its receive buffers
    (bytes of memory allocated): a port uses the smallest ones that hold a frame of its MTU. Frames wait above the
    transmit ring once it has no more than `tx_reserve` entries left, until `tx_room` more are free.

    If the card reports received frames by an index, the driver reads the index "once", when its handler begins, and
    leaves frames that are reported later to the next interrupt; or "again", until it finds no more (`reads_index`).

    It hands over a frame in buffers of up to `tx_buffer` bytes of memory (None: in one). The transmit ring is in the
    memory of the "host", or in that of the "card" (`tx_ring_in`), where firmware finds it sooner.

    Costs are in processor cycles per frame sent, per frame received, per buffer freed, per interrupt; register accesses
    (`_reads`, `_writes`) likewise. KernelSpec has the kernel's costs for every driver. Of the costs of a received
    frame, `rx_writes` and the kernel's new buffer come after the frame has been passed up: for the "entry" of each
    frame, or for the whole "ring" when it is empty (`refill`). `rx_end` are the accesses when the ring is found empty;
    `free_end` are those for the first frame not yet sent, when others are freed. An interrupt's own accesses are those
    up to the first pass over the rings, those of a further `pass` if an event comes meanwhile, and those at the `exit`.
    If ports share a line and another port has interrupted, the driver makes only the `foreign` accesses (None: not
    known).

    `tx_copy` and `rx_copy` are full copies of each frame, `rx_copybreak` is the size below which a received frame is
    copied anyway; with `rx_checksum` "copy" these copies also compute its checksum; with "move" the processor computes
    the checksum while it moves the frame from the card. `rx_aligned`: if a frame is not copied, its IP header is
    aligned to a word boundary.

    When a card's transmit FIFO has run dry in mid-frame, the driver raises its threshold: by `underrun_factor` and then
    `underrun_step`, up to `underrun_most` (bytes; 0: it does not run dry).

    `interrupt_when_idle` is the chip's own interrupt when it finds nothing more to send. With `rx_moderation` and
    `tx_moderation` the driver sets the chip to hold interrupts back; with an MTU above 1,500 bytes, as in `_jumbo`, if
    given.

    With each frame that it hands over it waits `tx_wait` (ps) for the chip. It may leave it to the chip to find the
    frame; the chip then reads the end of its transmit list every `tx_poll` (ps; 0: it does not).

    `large_send` is the number of bytes of TCP payload that it takes at once, at the cost of one frame, for the card to
    segment (0: no more than fit into a frame). `ipsec` says whether it leaves IPsec to the "nic"; it then takes
    `ipsec_tx_cycles` to hand over a packet's association, and `ipsec_rx_cycles` to read the card's verdict on a
    received packet.

    With `early` it sets the thresholds that the card has: the driver is then called while a frame is still being
    received, and the card begins to send a frame before all of it is there. Otherwise both wait for whole frames. With
    `tx_masked` the card's interrupts are masked while the driver hands over a frame (Linux 2.2: disable_irq). Once the
    card has had no room for a frame, it accepts none until the driver has stopped it, waited for `overrun` (ps) and
    started it again (0: it continues by itself).

    If the card gives up a frame after too many collisions, the driver sends it again, up to `tx_retries` times. On a
    card that is not `tx_chained`, `start` accesses make the chip send a frame that is in the card's memory. `look` is
    the first part of an interrupt's accesses, which shows the handler what has happened. The handler deals with all
    "received" or all "sent" frames first (`handles_first`). The driver `frees` the buffers of sent frames only for a
    "transmit" cause, or for "any", or as soon as it has "moved" a frame to the card; in the last case interrupts only
    announce room in the card. With `serialised`, NDIS lets only one of its functions run at a time, except the
    interrupt's first part (netsim.machine.serialised).
    """

    catalogue = "drivers"

    tx_ring: Ring
    tx_ring_in: Literal["host", "card"] = "host"
    tx_reserve: Number = 0
    tx_room: Count = 1
    rx_ring: Ring
    rx_ring_bytes: Buffer = 0
    rx_ring_jumbo: Ring | None = None
    tx_queue: Number = 100
    tx_buffer: PositiveBuffer | None = None
    tx_cycles: Cycles
    tx_wait: Time = 0
    tx_poll: Time = 0
    rx_cycles: Cycles
    refill: Literal["entry", "ring"] = "entry"
    free_cycles: Cycles = 0.0
    interrupt_cycles: Cycles
    tx_reads: Number
    tx_writes: Number
    start_reads: Number = 0
    start_writes: Number = 0
    rx_reads: Number
    rx_writes: Number
    rx_end_reads: Number = 0
    rx_end_writes: Number = 0
    free_reads: Number
    free_writes: Number = 0
    free_end_reads: Number = 0
    frees: Literal["any", "transmit", "moved"] = "any"
    interrupt_reads: Number
    interrupt_writes: Number
    pass_reads: Number = 0
    pass_writes: Number = 0
    exit_reads: Number = 0
    exit_writes: Number = 0
    foreign_reads: Number | None = None
    foreign_writes: Number = 0
    look_reads: Number = 1
    look_writes: Number = 0
    handles_first: Literal["sent", "received"] = "sent"
    reads_index: Literal["once", "again"] = "again"
    early: bool = True
    tx_masked: bool = False
    overrun: Time = 0
    tx_copy: bool
    rx_copy: bool
    rx_copybreak: Buffer
    rx_aligned: bool
    rx_checksum: Literal["nic", "copy", "move", "host"]
    tx_checksum: Literal["nic", "host"]
    underrun_factor: Count = 1
    underrun_step: Buffer = 0
    underrun_most: Buffer = 0
    tx_interrupt: TxInterrupt
    interrupt_when_idle: bool
    rx_moderation: Moderation = NONE
    rx_moderation_jumbo: Moderation | None = None
    tx_moderation: Moderation = NONE
    tx_moderation_jumbo: Moderation | None = None
    large_send: Buffer = 0
    ipsec: Literal["nic", "host"] = "host"
    ipsec_tx_cycles: Cycles = 0.0
    ipsec_rx_cycles: Cycles = 0.0
    rx_buffers: tuple[Buffer, ...] = ()
    tx_retries: Number = 0
    serialised: bool = False

    @property
    def marks(self) -> tuple[int, int]:
        """The numbers of entries in use at which the transmit ring stops, and at or below which it continues."""
        stop = max(1, self.tx_ring - self.tx_reserve)
        return stop, max(0, stop - self.tx_room)

    def ring(self, mtu: int) -> int:
        """Frames, or bytes, in the receive ring with this `mtu` (bytes)."""
        jumbo = self.rx_ring_jumbo if mtu > _STANDARD_MTU else None
        return self.rx_ring_bytes or jumbo or self.rx_ring

    def moderation(self, mtu: int) -> tuple[Moderation, Moderation]:
        """How interrupts are held back, for frames received and sent, with this `mtu` (bytes)."""
        jumbo = mtu > _STANDARD_MTU
        rx, tx = (self.rx_moderation_jumbo, self.tx_moderation_jumbo) if jumbo else (None, None)
        return rx or self.rx_moderation, tx or self.tx_moderation

    @property
    def is_moderated(self) -> bool:
        """Whether interrupts are held back, with any MTU."""
        return any(policy not in (None, NONE) for policy in (
            self.rx_moderation, self.rx_moderation_jumbo, self.tx_moderation, self.tx_moderation_jumbo,
        ))  # fmt: skip

    @property
    def told_of_room(self) -> bool:
        """Whether the card reports only that it has room again."""
        return isinstance(self.tx_interrupt, WhenRoom)

    @property
    def enough(self) -> int:
        """Bytes of the card's FIFO that must be free for another frame; 0: the ring alone decides."""
        return self.tx_interrupt.free if isinstance(self.tx_interrupt, WhenRoom) else 0

    @property
    def frees_when_moved(self) -> bool:
        """Whether the buffer of a frame is free as soon as the frame has been moved to the card."""
        return self.frees == "moved" or self.told_of_room

    def copies(self, size: int) -> bool:
        """Whether a received frame of `size` bytes is copied."""
        return self.rx_copy or size < self.rx_copybreak

    def sums(self, size: int) -> bool:
        """Whether the checksum of a received frame of `size` bytes is computed before the protocols get the frame."""
        return self.rx_checksum in ("nic", "move") or (self.rx_checksum == "copy" and self.copies(size))

    def rx_buffer(self, largest: int) -> int:
        """Bytes of memory in a receive buffer for frames of up to `largest` bytes; 0: not known."""
        return min((size for size in self.rx_buffers if size >= largest), default=0)
