"""iperf3 in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSOR, RECEIVER, TRANSMITTER, TX_RING
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet.link import BIT_ERRORS
from netsim.machine import CATEGORIES
from netsim.nic import TransmitPort
from netsim.scenario import StreamRun
from netsim.workload.iperf3.ends import SharedParts, StreamEnds
from netsim.workload.iperf3.tcp_ends import TcpEnds
from netsim.workload.iperf3.udp_ends import UdpEnds

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3


class Iperf3Run(StreamRun):
    """Streams, each with separate cores and queues; the wire and both slots are shared."""

    def __init__(self, env: Environment, test: Iperf3) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self.shared = SharedParts(env, test)
        ends: type[TcpEnds] | type[UdpEnds] = UdpEnds if test.protocol == "udp" else TcpEnds
        self.streams: list[StreamEnds] = [ends(env, test, self.shared, number) for number in range(test.streams)]

    def start(self) -> None:
        """All streams begin at once."""
        for one in self.streams:
            one.start()

    @property
    def delivered(self) -> int:
        return sum([one.delivered for one in self.streams])

    def unsent(self, since: int) -> int:
        return sum([one.unsent(since) for one in self.streams])

    def accounts(self) -> Accounts:
        now = self.env.now
        kinds = _summed([one.kinds() for one in self.streams])
        busy = {Resource(name, PROCESSOR, number): dict(zip(CATEGORIES, core.spent.times, strict=True))
                for one in self.streams for (name, number), core in one.cores.items()}  # fmt: skip
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            busy={core: {what: time for what, time in parts.items() if time} for core, parts in busy.items()},
            idle={core: now - sum(parts.values()) for core, parts in busy.items()},
            occupied=self._occupied(now),
            frames={Resource(name, CABLE): port.sent(now) for name, port in self._ports()},
            drops=self._drops(),
            pairs={f"stream {number}": one.delivered for number, one in enumerate(self.streams)}
            if len(self.streams) > 1 else {},
            counts={"events": self.env.events} | self._counts(),
            ended={name: count for name, (count, _) in kinds.items()},
            stays={name: time for name, (_, time) in kinds.items()},
            under_way=next(time for _, time in kinds.values()),
            jitter=_added([one.jitter() for one in self.streams]),
        )  # fmt: skip

    def _ports(self) -> tuple[tuple[str, TransmitPort], tuple[str, TransmitPort]]:
        """The ports, with the host to which each sends."""
        return ("receiver", self.shared.ports["sender"]), ("sender", self.shared.ports["receiver"])

    def _occupied(self, now: int) -> dict[Resource, int]:
        """The busy times (ps) of wires, adapters and slots, for both directions of the streams, and of the sender's
        rings, which are busy while they are full."""
        test, found = self.test, dict[Resource, int]()
        full = [one.device.full_time(now) for one in self.streams]
        found[Resource("sender", TX_RING)] = sum(full) // len(full)
        for to, port in self._ports():
            sends = "sender" if to == "receiver" else "receiver"
            frames, size = port.sent(now), test.sizes[sends]
            found[Resource(to, CABLE)] = frames * test.link.frame_time(size)
            for name, host in test.hosts:
                moved = frames if name == sends else self.shared.landings[name].moved(now)
                half = TRANSMITTER if name == sends else RECEIVER
                found[Resource(name, half)] = int(moved * test.engine_time(host, sends=name == sends))
                taken = test.pcie_times(host, size, sends=name == sends)
                for kind, time in zip((PCIE_UPSTREAM, PCIE_DOWNSTREAM), taken, strict=True):
                    one = Resource(name, kind)
                    found[one] = found.get(one, 0) + moved * time
        return found

    def _drops(self) -> dict[DropPlace, int]:
        found = dict[DropPlace, int]()
        for name, _ in self.test.hosts:
            queues = [one.napis[name].queue for one in self.streams]
            found[DropPlace(name, "receive ring")] = sum([one.dropped_by_ring for one in queues])
            fifo = DropPlace(name, "adapter's FIFO", self._behind_fifo(name))
            ways = [one.data if name == "receiver" else one.acks for one in self.streams]
            found[fifo] = sum([one.dropped for one in ways if one is not None])
            if (errors := self.shared.errors[name]) is not None:
                found[DropPlace(Resource(name, CABLE), BIT_ERRORS)] = errors.lost
        if any(one.refused for one in self.streams):
            found[DropPlace("receiver", "socket buffer")] = sum([one.refused for one in self.streams])
        return found

    def _behind_fifo(self, name: str) -> Resource:
        """The slowest part after a host's FIFO."""
        test, host = self.test, dict(self.test.hosts)[name]
        up, down = test.pcie_times(host, test.sizes["receiver" if name == "sender" else "sender"], sends=False)
        times = {PCIE_UPSTREAM: up, PCIE_DOWNSTREAM: down, RECEIVER: test.engine_time(host, sends=False)}
        return Resource(name, max(times, key=lambda kind: times[kind]))

    def _counts(self) -> dict[str, int]:
        """The protocol's counts, and those of both poll loops."""
        found = _added([one.counts() for one in self.streams])
        for name, _ in self.test.hosts:
            napis = [one.napis[name] for one in self.streams]
            found |= {f"{name} interrupts": sum([one.interrupts for one in napis]),
                      f"{name} polls": sum([one.polls for one in napis]),
                      f"{name} ksoftirqd": sum([one.threads for one in napis])}  # fmt: skip
        return found

    def audit(self) -> None:
        """Check that no core worked for longer than the run, that every segment that arrived was dropped or received or
        is waiting, and that the process read only data that the sender sent. Raises ConservationError."""
        for one in self.streams:
            for (name, number), core in one.cores.items():
                if core.spent.total > self.env.now:
                    text = f"{name} processor {number} was busy for {core.spent.total} of {self.env.now} ps"
                    raise ConservationError(text)
            one.audit()

    def waiting_for(self) -> str:
        return "; ".join(one.waiting_for() for one in self.streams)


def _summed(each: list[dict[str, tuple[int, int]]]) -> dict[str, tuple[int, int]]:
    """The sums of both numbers over all streams."""
    return {name: (sum([one[name][0] for one in each]), sum([one[name][1] for one in each])) for name in each[0]}


def _added(each: list[dict[str, int]]) -> dict[str, int]:
    """The sums over all streams."""
    return {name: sum([one[name] for one in each]) for name in each[0]}
