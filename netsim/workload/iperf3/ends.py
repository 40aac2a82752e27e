"""Both ends of a stream in a running simulation, for any protocol: cores, queues and poll loops, wired to each
other."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet import BitErrors
from netsim.ethernet.frame import FCS
from netsim.machine import FairShare, NapiSpec, PollCosts, PollLimits, PollUser, ServerCore, StreamNapi
from netsim.machine.tally import Cost
from netsim.nic import HostLink, Landing, QueueEngine, ReceiveQueue, TransmitPort
from netsim.stack import StreamHostSpec
from netsim.stack.device_queue import DeviceQueue
from netsim.stack.landed_data import ROUNDS, STEPS, WHOLE, LandedData
from netsim.stack.stream_way import StreamWay

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3

_NO_LIMIT = 1 << 40  # frames: the adapter's FIFO precedes the queue here


class SharedParts:
    """The parts that all streams share: each direction of the wire, each adapter's link to memory, the receiver's
    cache."""

    def __init__(self, env: Environment, test: Iperf3) -> None:
        sizes = test.sizes
        self.ports = {
            "sender": _port(env, test, test.sender, test.receiver, sizes["sender"]),
            "receiver": _port(env, test, test.receiver, test.sender, sizes["receiver"]),
        }
        self.landings = {
            "sender": _landing(env, test, test.sender, sizes["receiver"]),
            "receiver": _landing(env, test, test.receiver, sizes["sender"]),
        }
        self.errors = {
            "sender": _errors(env, test, "sender", sizes["receiver"]),
            "receiver": _errors(env, test, "receiver", sizes["sender"]),
        }
        self.landed = landed_data(test.receiver)

    def way(self, test: Iperf3, sends: str, receives: str) -> StreamWay:
        """The path from one host to the other."""
        hosts, size = dict(test.hosts), test.sizes[sends]
        requests = test.pcie_times(hosts[sends], size, True)[0]
        descriptors = test.pcie_times(hosts[receives], size, False)[1]
        ports, landings = (self.ports[sends], self.ports[receives]), (self.landings[receives], self.landings[sends])
        engine = QueueEngine(hosts[sends].adapter.tx_queue_packet_time)
        return StreamWay(ports, engine, landings, (requests, descriptors), self.errors[receives])


def _port(env: Environment, test: Iperf3, host: StreamHostSpec, to: StreamHostSpec, size: int) -> TransmitPort:
    return TransmitPort(env.calendar, test.step(host, size), test.fetch_latency(host, size), test.way(to, size))


def _landing(env: Environment, test: Iperf3, host: StreamHostSpec, size: int) -> Landing:
    return Landing(env.calendar, test.service(host, size), host.adapter.fifo // size)


def _errors(env: Environment, test: Iperf3, name: str, size: int) -> BitErrors | None:
    rate = test.link.bit_error_rate
    return BitErrors(env.stream(Resource(name, CABLE)), rate, size) if rate else None


def landed_data(host: StreamHostSpec) -> LandedData:
    """The data in a host's cache. A line written by a device survives n further writes with probability
    exp(-n / C), where C is the number of lines that devices may fill, as in LastLevelCacheSpec.lost."""
    cache = host.server.cache
    share = cache.size * cache.dma_ways // cache.ways
    lost = [round(WHOLE * (1 - exp(-step / STEPS))) for step in range(STEPS * ROUNDS)]
    return LandedData(share // STEPS, [*lost, WHOLE])


@mypyc_attr(allow_interpreted_subclasses=True)
class StreamEnds:
    """Both ends of the stream with this `number`, for any protocol. `cores` are keyed by host and number."""

    data: StreamWay

    def __init__(self, test: Iperf3, number: int) -> None:
        self.test = test
        self._number = number
        self.cores: dict[tuple[str, int], ServerCore] = {}
        self.napis: dict[str, StreamNapi] = {}

    def two(self, env: Environment, name: str) -> tuple[ServerCore, ServerCore]:
        """The core of the process, and that of softirqs."""
        test, number = self.test, self._number
        host = dict(test.hosts)[name]
        own = self.cores[name, number] = ServerCore(env)
        irq = host.irq_core(number, test.streams)
        return own, self.cores.setdefault((name, irq), own if irq == number else ServerCore(env))

    def napi(self, env: Environment, name: str, way: StreamWay, user: PollUser, portion: int) -> StreamNapi:
        """The poll loop of a host, which hands on `portion` frames at a time."""
        test, number = self.test, self._number
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
            _limits(host, portion), _poll_costs(host, costs.interrupt, frame), host.driver.returns(),
            (costs.interrupt, costs.idle.plus(costs.idle_exit), costs.poll, frame), user,
            host.stream_driver.sent_interval, host.kernel.weight, FairShare(host.server.cores, host.kernel.jiffy),
        )  # fmt: skip
        return self.napis[name]

    def start(self) -> None:
        """The poll loops wait for frames, and the sender begins."""
        for napi in self.napis.values():
            napi.start()

    @property
    def delivered(self) -> int:
        """Bytes that the receiving process has read."""
        raise NotImplementedError

    @property
    def device(self) -> DeviceQueue:
        """What is below the sender's protocol."""
        raise NotImplementedError

    @property
    def acks(self) -> StreamWay | None:
        """The return path, if anything uses it."""
        return None

    @property
    def refused(self) -> int:
        """Frames that arrived at a socket without room."""
        return 0

    def unsent(self, since: int) -> int:
        """See StreamRun."""
        return 0

    def counts(self) -> dict[str, int]:
        """The protocol's counts, as `nstat` and iperf3 name them."""
        raise NotImplementedError

    def kinds(self) -> dict[str, tuple[int, int]]:
        """Timed events by kind: how many, and their total time (ps)."""
        raise NotImplementedError

    def jitter(self) -> dict[str, int]:
        """The sum of the jitter after each of them (ps), by kind, of kinds that have one."""
        return {}

    def waiting_for(self) -> str:
        """A text that describes the stream's progress."""
        raise NotImplementedError

    def audit(self) -> None:
        """Check that all data are accounted for. Raises ConservationError."""
        raise NotImplementedError

    def audit_ring(self, sent: int) -> None:
        """Check that each frame that arrived is accounted for, that no more arrived or were dropped than were `sent`,
        and that each descriptor of both rings is accounted for. Raises ConservationError."""
        napi, data = self.napis["receiver"], self.data
        queue = napi.queue
        known = queue.taken + queue.waiting + queue.dropped_by_ring + queue.dropped_by_link
        if known != queue.arrived or queue.arrived + data.dropped > sent:
            text = f"{queue.arrived} arrived, {data.dropped} found no room in the adapter, {known} are known"
            raise ConservationError(f"{sent} segments were sent, {text}")
        ring, whole = queue.posted + queue.waiting + napi.returns.owed, self.test.receiver.driver.rx_ring
        if ring != whole:
            raise ConservationError(f"the ring has {ring} descriptors, and should have {whole}")
        if (packets := self.device.in_ring) > (room := self.test.sender.driver.room):
            raise ConservationError(f"{packets} packets are in the sender's ring, which has room for {room}")


def lost_frames(queue: ReceiveQueue) -> list[tuple[int, int]]:
    """A list in which the queue records the frames that it drops from now on."""
    queue.lost = []
    return queue.lost


def _limits(host: StreamHostSpec, portion: int) -> PollLimits:
    kernel: NapiSpec = host.kernel
    most = min(portion, kernel.weight)
    found = PollLimits(most, kernel.budget, kernel.jiffies, kernel.restarts, kernel.restart_jiffies, kernel.jiffy)
    found.since_first, found.step = host.adapter.throttle == "since-first", host.adapter.interval_step
    found.message = host.adapter.interrupt_time(host.pcie) + host.server.root_complex.visible_time(remote=host.far)
    return found


def _poll_costs(host: StreamHostSpec, interrupt: Cost, frame: Cost) -> PollCosts:
    return PollCosts(interrupt.total, 0, 0, max(1, frame.total), host.server.time(host.kernel.thread_cycles))
