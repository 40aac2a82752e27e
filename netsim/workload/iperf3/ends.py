"""One TCP stream in a running simulation: both hosts' cores, queues and poll loops, wired to each other."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.frame import FCS
from netsim.machine import ByteQueueLimits, FairShare, NapiSpec, PollCosts, PollLimits, PollUser, ServerCore, StreamNapi
from netsim.machine.tally import Cost
from netsim.nic import HostLink, Landing, ReceiveQueue, TransmitPort
from netsim.stack import StreamHostSpec
from netsim.stack.congestion_window import Reno
from netsim.stack.cubic import Cubic
from netsim.stack.device_queue import DeviceQueue
from netsim.stack.gro import Gro
from netsim.stack.landed_data import ROUNDS, STEPS, WHOLE, LandedData
from netsim.stack.receive_window import ReceiveWindow
from netsim.stack.send_buffer import SendBuffer
from netsim.stack.socket_backlog import SocketBacklog, joined_at_most
from netsim.stack.stream_input import StreamInput
from netsim.stack.stream_output import StreamOutput
from netsim.stack.stream_receiver import StreamReceiver
from netsim.stack.stream_sender import StreamSender
from netsim.stack.stream_way import AckWay, StreamWay
from netsim.units import PS_PER_S

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3

_NO_LIMIT = 1 << 40  # frames: the adapter's FIFO is before the queue here
_JIFFY = 1000  # per second: from this many on GRO keeps packets from one full poll to the next


class SharedParts:
    """What all streams share: each direction of the wire, each adapter's link to memory, the receiver's cache."""

    def __init__(self, test: Iperf3) -> None:
        sizes = test.sizes
        self.ports = {name: _port(test, host, sizes[name]) for name, host in test.hosts}
        self.landings = {
            "sender": _landing(test, test.sender, sizes["receiver"]),
            "receiver": _landing(test, test.receiver, sizes["sender"]),
        }
        self.landed = landed_data(test.receiver)

    def way(self, test: Iperf3, sends: str, receives: str) -> StreamWay:
        """From one host to the other one."""
        hosts, size = dict(test.hosts), test.sizes[sends]
        requests = test.pcie_times(hosts[sends], size, True)[0]
        descriptors = test.pcie_times(hosts[receives], size, False)[1]
        ports, landings = (self.ports[sends], self.ports[receives]), (self.landings[receives], self.landings[sends])
        return StreamWay(ports, landings, (requests, descriptors))


def _port(test: Iperf3, host: StreamHostSpec, size: int) -> TransmitPort:
    return TransmitPort(test.step(host, size), test.fetch_latency(host, size), test.way(size))


def _landing(test: Iperf3, host: StreamHostSpec, size: int) -> Landing:
    return Landing(test.service(host, size), host.adapter.fifo // size)


def landed_data(host: StreamHostSpec) -> LandedData:
    """A line that a device wrote outlives n writes among the C lines that devices may fill with the probability
    exp(-n / C), as in LastLevelCacheSpec.lost."""
    cache = host.server.cache
    share = cache.size * cache.dma_ways // cache.ways
    lost = [round(WHOLE * (1 - exp(-step / STEPS))) for step in range(STEPS * ROUNDS)]
    return LandedData(share // STEPS, [*lost, WHOLE])


class Stream:
    """The stream of that `number`. `cores` are by host and number."""

    def __init__(self, env: Environment, test: Iperf3, shared: SharedParts, number: int) -> None:
        self.cores: dict[tuple[str, int], ServerCore] = {}
        self.napis: dict[str, StreamNapi] = {}
        self._ring = test.receiver.driver.rx_ring
        mss, length = test.mss, test.length
        data = shared.way(test, "sender", "receiver")
        self.acks = AckWay(shared.way(test, "receiver", "sender"))
        to_write, to_read = test.costs(test.sender), test.costs(test.receiver)
        window = ReceiveWindow(mss, to_read.buffer, test.receiver.tcp_rmem)
        keeps = test.receiver.kernel.hz >= _JIFFY
        governed: Reno = Cubic(test.sender.kernel.hz) if test.congestion == "cubic" else Reno()
        visible = test.sender.server.root_complex.visible_time(remote=False)
        cores, bills = self._two(env, "receiver", test, number), to_read.receiver_bills()
        backlog = SocketBacklog(joined_at_most(to_read.fragments))
        self.receiver = StreamReceiver(
            env, cores, bills, StreamInput(env, cores[1], bills, window, backlog, self.acks, mss), backlog,
            Gro(to_read.merged, keeps), shared.landed, data.trains, mss, length,
        )  # fmt: skip
        device = DeviceQueue(data, test.sizes["sender"] - FCS, visible, ByteQueueLimits() if test.sender.bql else None)
        written = to_write.sender_bills()
        output = StreamOutput(
            env.calendar, written, governed, device, mss, test.sender.tso, window.offered // mss
        )
        self.sender = StreamSender(
            env, self._two(env, "sender", test, number), written, output, SendBuffer(mss, test.sender.tcp_wmem),
            self.acks, mss, length, PS_PER_S // test.sender.kernel.hz,
        )  # fmt: skip
        data.napi = self._napi(env, "receiver", test, number, data, self.receiver)
        self.acks.way.napi = self._napi(env, "sender", test, number, self.acks.way, self.sender)
        self.data = data
        self.receiver.listen_to(_lost(data.napi.queue))
        self.sender.listen_to(_lost(self.acks.way.napi.queue))

    def _two(self, env: Environment, name: str, test: Iperf3, number: int) -> tuple[ServerCore, ServerCore]:
        """The core of the process, and that of softirqs."""
        host = dict(test.hosts)[name]
        own = self.cores[name, number] = ServerCore(env)
        irq = host.irq_core(number, test.streams)
        return own, self.cores.setdefault((name, irq), own if irq == number else ServerCore(env))

    def _napi(
        self, env: Environment, name: str, test: Iperf3, number: int, way: StreamWay, user: PollUser
    ) -> StreamNapi:
        host = dict(test.hosts)[name]
        size = test.sizes["sender" if name == "receiver" else "receiver"]
        costs = test.costs(host)
        frame = user.frame_bill()
        visible = host.server.root_complex.visible_time(remote=host.far)
        queue = ReceiveQueue(way.trains, HostLink(1, _NO_LIMIT), host.driver.rx_ring, visible)
        core = self.cores[name, host.irq_core(number, test.streams)]
        rule = host.driver.moderation.rule(test.link.rate, host.kernel.jiffy)
        self.napis[name] = StreamNapi(
            env, core, queue, host.driver.rx_ring, size - FCS, rule,
            _limits(test, host), _poll_costs(host, costs.interrupt, frame),
            (costs.interrupt, costs.idle, costs.poll, frame), user, host.stream_driver.sent_interval,
            host.kernel.weight, FairShare(host.server.cores, host.kernel.jiffy),
        )  # fmt: skip
        return self.napis[name]

    def start(self) -> None:
        """Poll loops wait, and the sender writes."""
        for napi in self.napis.values():
            napi.start()
        self.sender.start()

    def audit(self) -> None:
        """Raises ConservationError."""
        sender, receiver = self.sender.output, self.receiver.tcp
        if not receiver.copied <= receiver.rcv_nxt <= sender.snd_nxt <= sender.write_seq:
            raise ConservationError(f"{receiver.copied} segments were read, {receiver.rcv_nxt} received, "
                                    f"{sender.snd_nxt} sent, {sender.write_seq} written")  # fmt: skip
        if sender.snd_una > receiver.rcv_nxt:
            raise ConservationError(f"{sender.snd_una} segments are acknowledged, {receiver.rcv_nxt} were received")
        queue = self.napis["receiver"].queue
        known = queue.taken + queue.waiting + queue.dropped_by_ring + queue.dropped_by_link
        if known != queue.arrived or queue.arrived + self.data.dropped > sender.segments:
            text = f"{queue.arrived} arrived, {self.data.dropped} found no room in the adapter, {known} are known"
            raise ConservationError(f"{sender.segments} segments were sent, {text}")
        ring = queue.posted + queue.waiting + queue.taken - self.napis["receiver"].delivered
        if ring != self._ring:
            raise ConservationError(f"the ring has {ring} descriptors, and should have {self._ring}")


def _lost(queue: ReceiveQueue) -> list[tuple[int, int]]:
    queue.lost = []
    return queue.lost


def _limits(test: Iperf3, host: StreamHostSpec) -> PollLimits:
    kernel: NapiSpec = host.kernel
    portion = kernel.weight if host.gro else 1  # without GRO each frame goes up by itself
    found = PollLimits(portion, kernel.budget, kernel.softirq_time, kernel.restarts, kernel.restart_time)
    found.since_first, found.step = host.adapter.throttle == "since-first", host.adapter.interval_step
    found.message = host.adapter.interrupt_time(host.pcie) + host.server.root_complex.visible_time(remote=host.far)
    return found


def _poll_costs(host: StreamHostSpec, interrupt: Cost, frame: Cost) -> PollCosts:
    return PollCosts(interrupt.total, 0, 0, max(1, frame.total), host.server.time(host.kernel.thread_cycles))
