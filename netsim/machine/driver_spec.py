"""What a driver is: its rings, its costs, its register accesses, when it wants an interrupt."""

from __future__ import annotations

from typing import Literal

from netsim.machine.tx_interrupt import TxInterrupt
from netsim.nic.moderation_spec import NONE, Moderation
from netsim.spec import Spec
from netsim.units import Bytes, Count, Cycles
from netsim.units import NonNegativeCount as Number


class DriverSpec(Spec):
    """A driver. Rings in frames (`rx_ring_bytes` instead, where frames lie one behind the other); costs in processor
    cycles per frame sent, per frame received, per buffer freed, per interrupt; register accesses (`_reads`, `_writes`)
    likewise. `tx_copy` and `rx_copy` are full copies of each frame, `rx_copybreak` the size below which a received
    frame is copied anyway; `rx_aligned` says that the IP header of one that is not lies on a word boundary.
    `interrupt_when_idle` is the chip's own interrupt when it finds nothing more to send. `rx_moderation` and
    `tx_moderation` are how the driver sets the chip to hold interrupts back. `large_send` is how many bytes of TCP
    payload it takes at once, at the cost of one frame, for the card to cut (0: no more than fit into a frame). `ipsec`:
    whether it leaves IPsec to the "nic"; handing a packet's association over then takes it `ipsec_tx_cycles`, and
    reading the card's verdict on one received `ipsec_rx_cycles`. A frame that the card gives up after too many
    collisions it sends again, up to `tx_retries` times. Where it moves data itself, `element_clocks` is what its loop
    takes for each element (None: it uses the processor's string instructions).
    """

    catalogue = "drivers"

    tx_ring: Count
    rx_ring: Count
    rx_ring_bytes: Bytes = 0
    tx_queue: Number = 100
    tx_cycles: Cycles
    rx_cycles: Cycles
    free_cycles: Cycles
    interrupt_cycles: Cycles
    tx_reads: Number
    tx_writes: Number
    rx_reads: Number
    rx_writes: Number
    free_reads: Number
    interrupt_reads: Number
    interrupt_writes: Number
    tx_copy: bool
    rx_copy: bool
    rx_copybreak: Bytes
    rx_aligned: bool
    rx_checksum: Literal["nic", "host"]
    tx_checksum: Literal["nic", "host"]
    tx_interrupt: TxInterrupt
    interrupt_when_idle: bool
    rx_moderation: Moderation = NONE
    tx_moderation: Moderation = NONE
    large_send: Bytes = 0
    ipsec: Literal["nic", "host"] = "host"
    ipsec_tx_cycles: Cycles = 0.0
    ipsec_rx_cycles: Cycles = 0.0
    tx_retries: Number = 0
    element_clocks: Cycles | None = None

    def copies(self, size: int) -> bool:
        """Whether a received frame of `size` bytes is copied."""
        return self.rx_copy or size < self.rx_copybreak
