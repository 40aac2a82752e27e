"""A description of the driver of an adapter with queues: its rings, its moderation policy, and the costs of its
code."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim import catalog
from netsim.errors import ScenarioError
from netsim.machine.descriptor_returns import DescriptorReturns
from netsim.machine.interrupt_policy_spec import PolicySpec
from netsim.machine.stream_driver_spec import StreamDriverSpec
from netsim.nic import QueuedNicSpec
from netsim.spec import Spec
from netsim.units import Count, Cycles, NonNegativeCount, Parts, PositiveBuffer, Ring


class QueueDriverSpec(Spec):
    """Each queue has `rx_ring` and `tx_ring` descriptors. Packet buffers are `buffer` bytes apart, of which a longer
    packet takes several; or, if the driver itself processes packets, `xdp_buffer` bytes, in which each packet has to
    fit (None: it has no XDP; a poll-mode driver in its place has none, either). One doorbell gives `refill` descriptors
    to the adapter: "during" a poll, "during-and-after" (as well as those that remain after it), or only "after" a poll.
    A sender is stopped when fewer than `tx_reserve` descriptors are left; a poll cleans up to `tx_work`. Interrupts
    follow `moderation`; those that announce sent packets follow `tx_moderation` if the adapter has a separate one for
    them.

    It uses up to `queues` of an adapter's queues (None: all of them). RSS reaches the first `rss_queues` of these
    (None: each), and with `hashes_udp_ports` goes by the ports of UDP, too.

    Cycles: `rx_cycles` for each packet received (`poll_rx_cycles` with a poll-mode driver in its place), `tx_cycles`
    for each packet handed over, `doorbell_cycles` for each doorbell, `clean_cycles` for each packet cleaned,
    `poll_cycles` for each poll, and `interrupt_cycles` for each interrupt, from its handler (`handler_cycles` of them)
    to its unmasking."""

    catalogue = "queue-drivers"

    rx_ring: Ring
    tx_ring: Ring
    buffer: PositiveBuffer
    xdp_buffer: PositiveBuffer | None = None
    refill: Count
    returned: Literal["during", "during-and-after", "after"]
    tx_reserve: NonNegativeCount
    tx_work: Count
    rx_cycles: Cycles
    poll_rx_cycles: Cycles
    tx_cycles: Cycles
    doorbell_cycles: Cycles
    clean_cycles: Cycles
    poll_cycles: Cycles
    interrupt_cycles: Cycles
    moderation: PolicySpec
    handler_cycles: Cycles = 0.0
    tx_moderation: PolicySpec | None = None
    queues: Parts | None = None
    rss_queues: Parts | None = None
    hashes_udp_ports: bool = True
    stream: StreamDriverSpec | None = None

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        """A ring has room for a packet beside the reserve, and for all descriptors of a doorbell."""
        if self.room < 1:
            allowed = f"{self.tx_reserve + 1} or more, for tx_reserve = {self.tx_reserve}"
            text = f"{self.tx_ring} descriptors leave no room for a packet; allowed: {allowed}"
            raise ScenarioError(text, address="tx_ring")
        if self.refill > self.rx_ring:
            text = f"{self.refill} descriptors at once are more than the ring has; allowed: 1 to {self.rx_ring}"
            raise ScenarioError(text, address="refill")
        return self

    def check_adapter(self, adapter: QueuedNicSpec) -> None:
        """Raise ScenarioError if the catalogue knows that this is not a driver for the adapter, or if a whole ring has
        fewer descriptors than the adapter returns at once: it would return none."""
        try:
            catalog.check_adapter(adapter.catalogue_name, self.catalogue_name)
        except ScenarioError as error:
            raise error.at("driver") from None
        for name, ring in (("rx", self.rx_ring), ("tx", self.tx_ring)):
            if (batch := getattr(adapter, f"{name}_write_back")) > ring:
                text = f"{batch} descriptors at once are more than the ring has; allowed: 1 to {ring}"
                raise ScenarioError(text, address=f"adapter.{name}_write_back")

    def most_queues(self, adapter: QueuedNicSpec) -> tuple[int, str]:
        """The largest number of an adapter's queues in use, and the key that says so."""
        if self.queues is None or adapter.queues <= self.queues:
            return adapter.queues, "adapter.queues"
        return self.queues, "driver.queues"

    @property
    def room(self) -> int:
        """The number of packets that a sender can hand over before it is stopped, with fewer descriptors left than the
        reserve."""
        return self.tx_ring - self.tx_reserve

    def returns(self) -> DescriptorReturns:
        """When a queue's descriptors are returned in a running simulation."""
        return DescriptorReturns(self.refill, self.returned != "after", self.returned == "during-and-after")

    @property
    def sent_moderation(self) -> PolicySpec:
        """The policy of interrupts that announce sent packets."""
        return self.moderation if self.tx_moderation is None else self.tx_moderation

    @property
    def unmask_cycles(self) -> float:
        """Cycles of an interrupt after the last poll."""
        return max(0.0, self.interrupt_cycles - self.handler_cycles)

    def stride(self, in_driver: bool, nbytes: int) -> int:
        """Bytes from the beginning of a packet of `nbytes` bytes to that of the next."""
        return self.xdp_buffer if in_driver and self.xdp_buffer else -(-nbytes // self.buffer) * self.buffer
