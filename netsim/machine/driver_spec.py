"""What a driver is: its rings, its costs, its register accesses, when it wants an interrupt."""

from __future__ import annotations

from typing import Literal

from netsim.machine.tx_interrupt import TxInterrupt, WhenRoom
from netsim.nic.moderation_spec import NONE, Moderation
from netsim.spec import Spec
from netsim.units import Buffer, Count, Cycles, Ring, Time
from netsim.units import NonNegativeCount as Number


class DriverSpec(Spec):
    """A driver: its rings, what it costs the processor, when it wants to be interrupted.

    Rings are in frames (`rx_ring_bytes` instead, if frames are contiguous; with an MTU above 1,500 bytes
    `rx_ring_jumbo`, if that is another number); `rx_buffers` are the sizes of its receive buffers (bytes of memory, all
    that is allocated): a port has the smallest that take a frame of its MTU. Frames wait above the transmit ring when
    it has no more than `tx_reserve` entries left, until `tx_room` more are free.

    Costs are in processor cycles per frame sent, per frame received, per buffer freed, per interrupt; register accesses
    (`_reads`, `_writes`) likewise. What the kernel costs every driver is KernelSpec's. Of those for a frame received,
    `rx_writes`, and the kernel's new buffer, come when it has gone up: for the "entry" of each one, or for the whole
    "ring" when that is empty (`refill`); accesses when it is found to be empty are `rx_end`, those for the first frame
    that is not sent yet, when others are freed, `free_end`. An interrupt's own are those up to the first pass over the
    rings, of a further `pass` if something comes meanwhile, and at the `exit`; where ports share a line, `foreign` ones
    are all that it makes when another one has interrupted (None: not known).

    `tx_copy` and `rx_copy` are full copies of each frame, `rx_copybreak` the size below which a received frame is
    copied anyway; with `rx_checksum` "copy" these copies take its sum, too;
    with "move" the processor takes it as it moves the frame from the card. `rx_aligned` says that the IP header of one
    that is not copied lies on a word boundary.

    Where a card's transmit FIFO has run dry in mid-frame, the driver raises its threshold: by `underrun_factor` and
    then `underrun_step`, up to `underrun_most` (bytes; 0: it does not run dry).

    `interrupt_when_idle` is the chip's own interrupt when it finds nothing more to send. `rx_moderation` and
    `tx_moderation` are how the driver sets the chip to hold interrupts back.

    `large_send` is how many bytes of TCP payload it takes at once, at the cost of one frame, for the card to cut (0: no
    more than fit into a frame). `ipsec`: whether it leaves IPsec to the "nic"; handing a packet's association over then
    takes it `ipsec_tx_cycles`, and reading the card's verdict on one received `ipsec_rx_cycles`.

    With `early` it sets what thresholds the card has, so that it is called for a frame that still comes in, and has one
    sent before all of it is there; else both wait for whole frames. With `tx_masked` its card's interrupts wait while
    it hands a frame over (Linux 2.2: disable_irq). Once the card had no room for a frame, it takes none until the
    driver has stopped it, waited for `overrun` (ps) and started it again (0: it continues by itself).

    A frame that the card gives up after too many collisions it sends again, up to `tx_retries` times. On a card that is
    not `tx_chained`, `start` accesses make the chip send a frame that is in the card's memory. An interrupt's first
    `look` accesses, a part of its own, tell the handler what there is; it deals with all that is "received" or "sent"
    first (`handles_first`), and `frees` buffers of what was sent for a "transmit" cause only, or for "any"; or
    when it has "moved" a frame to the card, so that an interrupt only tells that the card has room.
    `serialised`: of its functions but the interrupt's first part only one runs at a time, which NDIS ensures
    (netsim.machine.serialised).
    """

    catalogue = "drivers"

    tx_ring: Ring
    tx_reserve: Number = 0
    tx_room: Count = 1
    rx_ring: Ring
    rx_ring_bytes: Buffer = 0
    rx_ring_jumbo: Ring | None = None
    tx_queue: Number = 100
    tx_cycles: Cycles
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
    tx_moderation: Moderation = NONE
    large_send: Buffer = 0
    ipsec: Literal["nic", "host"] = "host"
    ipsec_tx_cycles: Cycles = 0.0
    ipsec_rx_cycles: Cycles = 0.0
    rx_buffers: tuple[Buffer, ...] = ()
    tx_retries: Number = 0
    serialised: bool = False

    @property
    def marks(self) -> tuple[int, int]:
        """The number of entries in use at which the transmit ring stops, and down from which it continues."""
        stop = max(1, self.tx_ring - self.tx_reserve)
        return stop, max(0, stop - self.tx_room)

    @property
    def told_of_room(self) -> bool:
        """Whether the card tells of nothing but room, where there was none."""
        return isinstance(self.tx_interrupt, WhenRoom)

    @property
    def enough(self) -> int:
        """Bytes of the card's FIFO that have to be free for a further frame; 0: the ring alone decides."""
        return self.tx_interrupt.free if isinstance(self.tx_interrupt, WhenRoom) else 0

    @property
    def frees_when_moved(self) -> bool:
        """Whether the buffer of a frame is free as soon as it has been moved to the card."""
        return self.frees == "moved" or self.told_of_room

    def copies(self, size: int) -> bool:
        """Whether a received frame of `size` bytes is copied."""
        return self.rx_copy or size < self.rx_copybreak

    def sums(self, size: int) -> bool:
        """Whether the sum of a received frame of `size` bytes is taken before the protocols have it."""
        return self.rx_checksum in ("nic", "move") or (self.rx_checksum == "copy" and self.copies(size))

    def rx_buffer(self, largest: int) -> int:
        """Bytes of memory of a receive buffer for frames of up to `largest` bytes; 0: not known."""
        return min((size for size in self.rx_buffers if size >= largest), default=0)
