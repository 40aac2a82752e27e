"""Datagrams from one host to the other, in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import ByteQueueLimits
from netsim.stack.datagram_pacing import DatagramPacing
from netsim.stack.datagram_receiver import DatagramReceiver
from netsim.stack.datagram_sender import DatagramSender
from netsim.stack.datagram_times import DatagramTimes
from netsim.stack.device_queue import DeviceQueue
from netsim.workload.iperf3.ends import SharedParts, StreamEnds, lost_frames

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3

_BATCH = 8  # frames that go up together (Linux 5.4, net/core/dev.c: gro_normal_batch)
_TRANSIT = "transit"  # of a datagram, as a kind


class UdpEnds(StreamEnds):
    """Both ends of a UDP stream. Nothing comes back; the sender's poll loop only cleans sent frames."""

    def __init__(self, env: Environment, test: Iperf3, shared: SharedParts, number: int) -> None:
        super().__init__(test, number)
        self.data = shared.way(test, "sender", "receiver")
        self.times = DatagramTimes()
        self.receiver = self._receiver(env, shared)
        self.sender = self._sender(env)
        self.data.napi = self.napi(env, "receiver", self.data, self.receiver, _BATCH)
        back = shared.way(test, "receiver", "sender")
        back.napi = self.sender.device.napi = self.napi(env, "sender", back, self.sender, test.sender.kernel.weight)
        self.receiver.listen_to(lost_frames(self.data.napi.queue))

    def _receiver(self, env: Environment, shared: SharedParts) -> DatagramReceiver:
        test, host = self.test, self.test.receiver
        costs = test.datagram_costs(host)
        return DatagramReceiver(
            env, self.two(env, "receiver"), costs.datagram_receiver_bills(), shared.landed, self.data.trains,
            self.times, test.mss, costs.receive_size, host.rmem_default,
        )  # fmt: skip

    def _sender(self, env: Environment) -> DatagramSender:
        test, host = self.test, self.test.sender
        costs, visible = test.datagram_costs(host), host.server.root_complex.visible_time(remote=False)
        limits = ByteQueueLimits() if host.bql else None
        device = DeviceQueue(self.data, test.sizes["sender"] - FCS, visible, host.driver.room, limits)
        return DatagramSender(
            env, self.two(env, "sender"), costs.datagram_sender_bills(), device,
            DatagramPacing(test.offered, test.pacing, env.now), self.times, test.mss, costs.send_size,
            host.wmem_default,
        )  # fmt: skip

    def start(self) -> None:
        super().start()
        self.sender.start()

    @property
    def delivered(self) -> int:
        return self.test.mss * self.receiver.datagrams

    @property
    def device(self) -> DeviceQueue:
        return self.sender.device

    def unsent(self, since: int) -> int:
        return self.sender.unsent(since)

    def counts(self) -> dict[str, int]:
        sender, receiver = self.sender, self.receiver
        return {
            "datagrams sent": sender.datagrams, "datagrams received": self.times.received,
            "datagrams lost": self.times.lost, "segments received": receiver.frames,
            "held by byte queue limits": sender.device.held, "held by a full ring": sender.device.kept_out,
            "waits for the pacing timer": sender.waits,
            "sender wake-ups": sender.wakeups, "receiver wake-ups": receiver.wakeups,
        }  # fmt: skip

    @property
    def refused(self) -> int:
        return self.receiver.dropped

    def kinds(self) -> dict[str, tuple[int, int]]:
        return {_TRANSIT: (self.times.received, self.times.transit_sum)}

    def jitter(self) -> dict[str, int]:
        return {_TRANSIT: self.times.jitter_sum}

    def waiting_for(self) -> str:
        return f"datagrams sent {self.sender.datagrams}, read {self.receiver.datagrams}"

    def audit(self) -> None:
        """Check that all datagrams are accounted for. Raises ConservationError."""
        sender, receiver = self.sender, self.receiver
        self.audit_ring(sender.datagrams)
        if receiver.frames != receiver.datagrams + receiver.queued + receiver.dropped:
            raise ConservationError(f"{receiver.frames} datagrams came to UDP, {receiver.datagrams} were read, "
                                    f"{receiver.queued} wait, {receiver.dropped} were dropped")  # fmt: skip
        if self.times.received + self.times.lost > sender.datagrams:
            raise ConservationError(f"{self.times.received} datagrams were read and {self.times.lost} lost of "
                                    f"{sender.datagrams}")  # fmt: skip
