"""The times that a stream takes at both ends, computed from the cycles of a kernel, a driver and a server's memory."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.ethernet.frame import FCS, HEADER
from netsim.machine.tally import COPY, ETC, LOCK, MEMORY, NETDEVICE, SCHEDULING, SKB, TCP_IP, Cost
from netsim.stack import ip, tcp
from netsim.stack.autosizing import MOST
from netsim.stack.gro import merged_at_most
from netsim.stack.landed_data import CopyTime
from netsim.stack.socket_process import SleepBills
from netsim.stack.stream_bills import ReceiverBills, SenderBills
from netsim.stack.stream_host_spec import StreamHostSpec

PAGE = 4096
BLOCK = 8 * PAGE  # a block of memory for data that processes write (Linux 5.17, net/core/sock.c: SKB_FRAG_PAGE_ORDER)
HEADERS = ip.HEADER + tcp.HEADER + tcp.TIMESTAMPS  # of each segment; Linux sends timestamps by default
ACK_FRAME = HEADER + HEADERS + FCS
_STRIDE = 64  # a long frame's part of a buffer is rounded up to a multiple of this


@dataclass(frozen=True)
class StreamCosts:
    """The costs of a host whose streams use an MTU of `mtu` bytes."""

    host: StreamHostSpec
    mtu: int

    @property
    def mss(self) -> int:
        """Bytes of payload in a segment."""
        return self.mtu - HEADERS

    @property
    def frame(self) -> int:
        """Bytes of a segment's frame, with FCS."""
        return HEADER + self.mtu + FCS

    @property
    def buffer(self) -> int:
        """Bytes of receive buffers for a segment: a power of two up to half a page, above that as many as it needs."""
        need = self.frame - FCS
        return 1 << (need - 1).bit_length() if need <= PAGE // 2 else -(-need // _STRIDE) * _STRIDE

    @property
    def fragments(self) -> int:
        """The number of pieces of memory that a segment occupies, each within a page."""
        return -(-(self.frame - FCS) // PAGE)

    @property
    def merged(self) -> int:
        """The largest number of segments in a received packet."""
        return merged_at_most(self.mss, HEADERS) if self.host.gro else 1

    @property
    def sent(self) -> int:
        """The largest number of segments in a packet to be sent."""
        return max(2, MOST // self.mss) if self.host.tso else 1

    def time(self, cycles: float) -> int:
        """The time (ps) of `cycles`."""
        return self.host.server.time(cycles)

    @property
    def line(self) -> int:
        """The time (ps) to fetch a line that the other core has written; 0 if there is only one core."""
        if self.host.arfs:
            return 0
        return self.host.memory.remote_line if self.host.far else self.host.server.line_transfer

    # --- both ends ----------------------------------------------------------------------------------------------------

    @property
    def interrupt(self) -> Cost:
        """An interrupt, with the softirq that it begins."""
        kernel, driver = self.host.kernel, self.host.driver
        return Cost({ETC: self.time(kernel.interrupt_cycles), NETDEVICE: self.time(driver.interrupt_cycles)})

    @property
    def poll(self) -> Cost:
        """A poll that brings nothing."""
        return Cost({NETDEVICE: self.time(self.host.driver.poll_cycles)})

    def received_frame(self, pages: float) -> Cost:
        """A frame received in a poll, including the replacement of its buffer."""
        costs, gro = self.host.costs, self.host.gro
        cycles = self.host.driver.rx_cycles + costs.frame_cycles + (costs.gro_cycles if gro else 0)
        refill = self.time(pages * self.host.stream_driver.refill_cycles) + (self.line if self.host.far else 0)
        memory = self.time(pages * costs.page_cycles / 2) + round(pages * self.line / 2)
        merge = self.time(costs.merge_cycles if self.merged > 1 else 0)
        return Cost({NETDEVICE: self.time(cycles) + refill, SKB: merge, MEMORY: memory})

    @property
    def packet(self) -> Cost:
        """A packet's structures, allocated and freed."""
        costs = self.host.costs
        return Cost({SKB: self.time(costs.skb_cycles), MEMORY: self.time(costs.head_cycles)})

    @property
    def ip_packet(self) -> Cost:
        """A received packet's structures, and its way through IP to the socket."""
        return self.packet.plus(Cost({TCP_IP: self.time(self.host.costs.ip_cycles)}))

    def through_tcp(self, cycles: float) -> Cost:
        """TCP takes up a packet."""
        return Cost({TCP_IP: self.time(cycles), LOCK: self.time(self.host.costs.lock_cycles)})

    @property
    def socket_lines(self) -> Cost:
        """The lines of a socket last written by the other core."""
        return Cost({TCP_IP: round(self.host.costs.socket_lines * self.line)})

    @property
    def lock_lines(self) -> Cost:
        """The same for its lock, which is next to its backlog."""
        return Cost({LOCK: round(self.host.costs.lock_lines * self.line)})

    @property
    def backlog_lines(self) -> Cost:
        """The same for the counters of received packets, whether or not these go into the backlog."""
        return Cost({TCP_IP: round(self.host.costs.backlog_lines * self.line)})

    @property
    def backlog(self) -> Cost:
        """A packet is put into the backlog until the process releases the socket."""
        return Cost({LOCK: self.time(self.host.costs.lock_cycles)})

    @property
    def join(self) -> Cost:
        """A packet is joined to the one before it."""
        return Cost({SKB: self.time(self.host.costs.merge_cycles)})

    def taken_up(self, cycles: float) -> Cost:
        """The process takes a packet from the backlog through TCP; the packet's structure is in the other core's
        cache."""
        costs = self.host.costs
        tcp = self.time(cycles) + round(costs.packet_lines * self.line)
        return Cost({TCP_IP: tcp, LOCK: self.time(costs.lock_cycles)})

    @property
    def call(self) -> Cost:
        """A system call."""
        costs = self.host.costs
        return Cost({ETC: self.time(costs.call_cycles), LOCK: self.time(costs.lock_cycles)})

    @property
    def wake(self) -> Cost:
        """A process is woken."""
        return Cost({SCHEDULING: self.time(self.host.costs.wake_cycles)})

    @property
    def switch(self) -> Cost:
        """A process goes to sleep, or continues."""
        return Cost({SCHEDULING: self.time(self.host.costs.switch_cycles)})

    @property
    def idle(self) -> Cost:
        """A processor leaves its idle loop, and returns to it."""
        return Cost({SCHEDULING: self.time(self.host.costs.idle_cycles)})

    @property
    def idle_exit(self) -> Cost:
        """A processor that has been idle resumes."""
        return Cost({SCHEDULING: self.host.server.idle_exit})

    @property
    def wake_time(self) -> int:
        """The time (ps) until a woken process continues, in addition to the processor's costs."""
        return 0 if self.host.arfs else self.host.costs.ipi_time

    @property
    def sleeping(self) -> SleepBills:
        """The costs of a process that sleeps, for a running simulation."""
        return SleepBills(self.wake, self.switch, self.idle, self.idle_exit, self.wake_time)

    # --- receiving ----------------------------------------------------------------------------------------------------

    def read_call(self, length: int) -> Cost:
        """The process reads whole segments until it has at least `length` bytes; calls shorter than a segment share
        one."""
        return self.call.times(max(1, self.mss / length))

    @property
    def ack(self) -> Cost:
        """An acknowledgement is sent, in a separate packet."""
        costs, driver = self.host.costs, self.host.driver
        device = costs.xmit_cycles + driver.tx_cycles + driver.doorbell_cycles + driver.clean_cycles
        return Cost({
            TCP_IP: self.time(costs.ack_send_cycles), NETDEVICE: self.time(device), SKB: self.time(costs.skb_cycles),
            MEMORY: self.time(costs.head_cycles),
        })  # fmt: skip

    @property
    def read_segment(self) -> Cost:
        """A copied segment is freed; the copy itself is not included."""
        costs, pages, line = self.host.costs, self.buffer / PAGE, self.line
        return Cost({
            COPY: self.time(self.fragments * costs.copy_cycles),
            SKB: self.time(self.fragments * costs.fragment_cycles) + self.fragments * line,
            MEMORY: self.time(pages * costs.page_cycles / 2) + round(pages * line / 2),
        })  # fmt: skip

    @property
    def copy_times(self) -> tuple[int, int]:
        """The time (ps) to copy a cached segment, and the additional time if it is only in memory. Buffers are in the
        softirqs' node; a process on another node finds nothing in its cache."""
        memory, mss = self.host.memory, self.mss
        if self.host.far:
            return self.time(mss * (memory.copy_cycles + memory.memory_cycles + memory.remote_cycles)), 0
        return self.time(mss * memory.copy_cycles), self.time(mss * memory.memory_cycles)

    def receiver_bills(self, length: int) -> ReceiverBills:
        """The costs for a running simulation, with calls of `length` bytes."""
        return ReceiverBills(
            self.received_frame(self.buffer / PAGE), self.ip_packet, self.through_tcp(self.host.costs.receive_cycles),
            self.backlog, self.join, self.taken_up(self.host.costs.receive_cycles), self.lock_lines, self.socket_lines,
            self.backlog_lines, self.ack, self.read_segment, self.read_call(length),
            CopyTime(*self.copy_times), self.sleeping,
        )  # fmt: skip

    # --- sending ------------------------------------------------------------------------------------------------------

    @property
    def written_segment(self) -> Cost:
        """A segment is copied into the socket."""
        costs, pages = self.host.costs, self.mss / PAGE
        return Cost({
            COPY: self.time(self.mss * self.host.memory.copy_cycles),
            TCP_IP: self.time(pages * costs.account_cycles),
            MEMORY: self.time(self.mss / BLOCK * costs.block_cycles / 2),
        })  # fmt: skip

    @property
    def send(self) -> Cost:
        """A packet goes through TCP and IP to the driver."""
        costs, driver = self.host.costs, self.host.driver
        device = costs.xmit_cycles + driver.tx_cycles + driver.doorbell_cycles
        return Cost({
            TCP_IP: self.time(costs.send_cycles), NETDEVICE: self.time(device), LOCK: self.time(costs.lock_cycles)
        })  # fmt: skip

    @property
    def handed_segment(self) -> Cost:
        """A segment of the packet is mapped for the adapter."""
        return Cost({NETDEVICE: self.time(self.mss / PAGE * self.host.stream_driver.map_cycles)})

    @property
    def freed_segment(self) -> Cost:
        """A segment is acknowledged, and its memory is freed."""
        costs, pages = self.host.costs, self.mss / PAGE
        lines = round(pages * costs.sent_lines * self.line)
        memory = self.time(self.mss / BLOCK * costs.block_cycles / 2)
        return Cost({SKB: lines, MEMORY: memory + lines, LOCK: lines})

    @property
    def cleaned(self) -> Cost:
        """A sent packet leaves the ring."""
        return Cost({NETDEVICE: self.time(self.host.driver.clean_cycles)})

    @property
    def received_ack(self) -> Cost:
        """The frame of an acknowledgement: a separate packet, which takes almost no buffer space."""
        return self.ip_packet.plus(self.received_frame(0))

    def sender_bills(self) -> SenderBills:
        """The costs for a running simulation."""
        return SenderBills(
            self.received_ack, self.call, self.packet, self.written_segment, self.send, self.handed_segment,
            self.through_tcp(self.host.costs.ack_receive_cycles), self.backlog,
            self.taken_up(self.host.costs.ack_receive_cycles), self.lock_lines, self.socket_lines,
            self.freed_segment, self.cleaned, self.sleeping,
        )  # fmt: skip
