"""The times that UDP takes at both ends on a current host, computed from the cycles of a kernel, a driver and a
server's memory."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.ethernet.frame import FCS, HEADER, MIN_FRAME
from netsim.machine.datagram_costs_spec import DatagramCostsSpec
from netsim.machine.tally import COPY, LOCK, MEMORY, NETDEVICE, SKB, TCP_IP, Cost
from netsim.stack import ip
from netsim.stack.datagram_bills import DatagramReceiverBills, DatagramSenderBills
from netsim.stack.landed_data import CopyTime
from netsim.stack.stream_costs import PAGE, StreamCosts

HEADERS = ip.HEADER + 8  # of each datagram: IP's and UDP's (RFC 768)
# Bytes of Linux 5.4's structures on x86-64, as sockets account for them: SKB_TRUESIZE includes both.
_STRUCTURE, _SHARED = 256, 320
_AROUND = 16 + 15  # a link's header and the allocation's overhead (ip_output.c, __ip_append_data)


@dataclass(frozen=True)
class DatagramCosts(StreamCosts):
    """The costs of a host whose datagrams fill one packet of `mtu` bytes each. A datagram takes the place of a TCP
    segment."""

    @property
    def udp(self) -> DatagramCostsSpec:
        """The kernel's UDP costs."""
        assert self.host.kernel.udp is not None
        return self.host.kernel.udp

    @property
    def mss(self) -> int:
        """Bytes of payload in a datagram."""
        return self.mtu - HEADERS

    @property
    def frame(self) -> int:
        """See StreamCosts."""
        return max(MIN_FRAME, HEADER + self.mtu + FCS)

    @property
    def merged(self) -> int:
        """GRO looks at datagrams but never merges them."""
        return 1

    @property
    def sent(self) -> int:
        """The adapter cuts nothing."""
        return 1

    @property
    def send_size(self) -> int:
        """Bytes of the send buffer that a datagram occupies: one piece of memory, a power of two."""
        return (1 << (self.mtu + _AROUND + _SHARED - 1).bit_length()) + _STRUCTURE

    @property
    def receive_size(self) -> int:
        """Bytes of the receive buffer that a datagram occupies."""
        return self.buffer + _STRUCTURE

    @property
    def sent_datagram(self) -> Cost:
        """The cost of a call that copies a datagram and takes it through UDP and IP to the driver."""
        costs, driver, memory = self.host.costs, self.host.driver, self.host.memory
        device = costs.xmit_cycles + driver.tx_cycles + driver.doorbell_cycles
        return self.call.plus(self.packet, self.handed_segment, Cost({
            COPY: self.time(costs.copy_cycles + self.mss * memory.copy_cycles),
            TCP_IP: self.time(self.udp.send_cycles), NETDEVICE: self.time(device),
        }))  # fmt: skip

    @property
    def freed_datagram(self) -> Cost:
        """The cost of freeing a datagram's memory after it was sent."""
        lines = round(self.mss / PAGE * self.host.costs.sent_lines * self.line)
        return self.cleaned.plus(Cost({SKB: lines, MEMORY: lines, LOCK: lines}))

    @property
    def queued_datagram(self) -> Cost:
        """The cost of a datagram between IP and its socket's queue."""
        costs = self.host.costs
        return Cost({TCP_IP: self.time(self.udp.receive_cycles), LOCK: self.time(costs.lock_cycles)})

    @property
    def read_datagram(self) -> Cost:
        """The cost of a call that takes a datagram from the queue and frees it, apart from copying its bytes. The
        datagram's structure is in the other core's cache."""
        lines = round(self.host.costs.packet_lines * self.line)
        return self.call.plus(self.read_segment, Cost({TCP_IP: self.time(self.udp.read_cycles) + lines}))

    def datagram_receiver_bills(self) -> DatagramReceiverBills:
        """The costs for a running simulation."""
        return DatagramReceiverBills(
            self.received_frame(self.buffer / PAGE), self.ip_packet, self.queued_datagram, self.read_datagram,
            self.lock_lines, CopyTime(*self.copy_times), self.sleeping,
        )  # fmt: skip

    def datagram_sender_bills(self) -> DatagramSenderBills:
        """The costs for a running simulation. Nothing comes back to the sender, so received frames cost nothing."""
        return DatagramSenderBills(
            Cost({}), self.sent_datagram, self.freed_datagram, self.lock_lines, self.sleeping,
        )  # fmt: skip
