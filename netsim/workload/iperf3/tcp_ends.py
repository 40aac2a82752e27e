"""A TCP stream in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import ByteQueueLimits
from netsim.stack.congestion_window import Reno
from netsim.stack.cubic import Cubic
from netsim.stack.device_queue import DeviceQueue
from netsim.stack.gro import Gro
from netsim.stack.receive_window import ReceiveWindow
from netsim.stack.send_buffer import SendBuffer
from netsim.stack.socket_backlog import SocketBacklog, joined_at_most
from netsim.stack.stream_input import StreamInput
from netsim.stack.stream_output import StreamOutput
from netsim.stack.stream_receiver import StreamReceiver
from netsim.stack.stream_sender import StreamSender
from netsim.stack.stream_way import AckWay, StreamWay
from netsim.units import MS, PS_PER_S, US
from netsim.workload.iperf3.ends import SharedParts, StreamEnds, lost_frames

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3

_CLOCKS = {"us": US, "ms": MS}
_JIFFY = 1000  # per second: at this rate and above GRO keeps packets from one full poll to the next


class TcpEnds(StreamEnds):
    """Both ends of a TCP stream, with acknowledgements on the return path."""

    def __init__(self, env: Environment, test: Iperf3, shared: SharedParts, number: int) -> None:
        super().__init__(test, number)
        self.data = shared.way(test, "sender", "receiver")
        self._acks = AckWay(shared.way(test, "receiver", "sender"))
        to_read = test.costs(test.receiver)
        window = ReceiveWindow(test.mss, to_read.buffer, test.receiver.tcp_rmem)
        self.receiver = self._receiver(env, shared, window)
        self.sender = self._sender(env, window.offered // test.mss)
        weight = test.receiver.kernel.weight
        # Without GRO each frame goes up the stack separately, and only then finds out whether the socket is free.
        self.data.napi = self.napi(env, "receiver", self.data, self.receiver, weight if test.receiver.gro else 1)
        napi = self.napi(env, "sender", self._acks.way, self.sender, test.sender.kernel.weight)
        self._acks.way.napi = self.sender.output.device.napi = napi
        self.receiver.listen_to(lost_frames(self.data.napi.queue))
        self.sender.listen_to(lost_frames(napi.queue))

    def _receiver(self, env: Environment, shared: SharedParts, window: ReceiveWindow) -> StreamReceiver:
        test = self.test
        costs, cores, keeps = test.costs(test.receiver), self.two(env, "receiver"), test.receiver.kernel.hz >= _JIFFY
        bills, backlog = costs.receiver_bills(test.block), SocketBacklog(joined_at_most(costs.fragments))
        return StreamReceiver(
            env, cores, bills, StreamInput(env, cores[1], bills, window, backlog, self._acks, test.mss), backlog,
            Gro(costs.merged, keeps), shared.landed, self.data.trains, test.mss, test.block,
        )  # fmt: skip

    def _sender(self, env: Environment, edge: int) -> StreamSender:
        test, host = self.test, self.test.sender
        bills, visible = test.costs(host).sender_bills(), host.server.root_complex.visible_time(remote=False)
        governed: Reno = Cubic(host.kernel.hz, _CLOCKS[host.costs.hystart_clock]) if test.control == "cubic" else Reno()
        limits = ByteQueueLimits() if host.bql else None
        device = DeviceQueue(self.data, test.sizes["sender"] - FCS, visible, host.driver.room, limits)
        output = StreamOutput(env.calendar, bills, governed, device, test.mss, host.tso, edge)
        return StreamSender(
            env, self.two(env, "sender"), bills, output, SendBuffer(test.mss, host.tcp_wmem), self._acks, test.mss,
            test.block, PS_PER_S // host.kernel.hz,
        )  # fmt: skip

    def start(self) -> None:
        super().start()
        self.sender.start()

    @property
    def delivered(self) -> int:
        return self.test.mss * self.receiver.tcp.copied

    @property
    def device(self) -> DeviceQueue:
        return self.sender.output.device

    @property
    def acks(self) -> StreamWay | None:
        return self._acks.way

    def counts(self) -> dict[str, int]:
        sender, receiver, output = self.sender, self.receiver, self.sender.output
        return {
            "packets sent": output.packets, "segments sent": output.segments,
            "TCP retransmissions": output.retransmitted, "TCP timeouts": sender.timeouts,
            "TCP tail loss probes": sender.probes, "TCP recoveries": sender.recoveries,
            "acknowledgements": self._acks.sent, "segments received": receiver.frames,
            "packets received": receiver.packets, "TCP out of order": receiver.tcp.out_of_order,
            "backlog": receiver.backlog.packets, "held by byte queue limits": output.device.held,
            "held by a full ring": output.device.kept_out,
            "sender wake-ups": sender.wakeups, "receiver wake-ups": receiver.wakeups,
        }  # fmt: skip

    def kinds(self) -> dict[str, tuple[int, int]]:
        return {"round trip": (self.sender.rtt.samples, self.sender.rtt.total)}

    def waiting_for(self) -> str:
        output, tcp = self.sender.output, self.receiver.tcp
        return (f"segments written {output.write_seq}, sent {output.snd_nxt}, acknowledged {output.snd_una}, "
                f"received {tcp.rcv_nxt}, read {tcp.copied}")  # fmt: skip

    def audit(self) -> None:
        """Check that all data are accounted for. Raises ConservationError."""
        output, tcp = self.sender.output, self.receiver.tcp
        if not tcp.copied <= tcp.rcv_nxt <= output.snd_nxt <= output.write_seq:
            raise ConservationError(f"{tcp.copied} segments were read, {tcp.rcv_nxt} received, "
                                    f"{output.snd_nxt} sent, {output.write_seq} written")  # fmt: skip
        if output.snd_una > tcp.rcv_nxt:
            raise ConservationError(f"{output.snd_una} segments are acknowledged, {tcp.rcv_nxt} were received")
        self.audit_ring(output.segments)
