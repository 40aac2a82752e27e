"""iperf3 in a running simulation."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSOR
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.machine import CATEGORIES
from netsim.nic import TransmitPort
from netsim.scenario import StreamRun
from netsim.workload.iperf3.ends import SharedParts, Stream

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3


class Iperf3Run(StreamRun):
    """Streams, each with cores and queues of its own; the wire and both slots are shared."""

    def __init__(self, env: Environment, test: Iperf3) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self.shared = SharedParts(test)
        self.streams = [Stream(env, test, self.shared, number) for number in range(test.streams)]

    def start(self) -> None:
        """All begin at once."""
        for one in self.streams:
            one.start()

    @property
    def delivered(self) -> int:
        return self.test.mss * sum([one.receiver.tcp.copied for one in self.streams])

    def accounts(self) -> Accounts:
        now, mss = self.env.now, self.test.mss
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
            pairs={f"stream {number}": mss * one.receiver.tcp.copied for number, one in enumerate(self.streams)}
            if len(self.streams) > 1 else {},
            counts={"events": self.env.events} | self._counts(),
            ended={"round trip": self._sum("rtt.samples")},
            stays={"round trip": self._sum("rtt.total")},
            under_way=self._sum("rtt.total"),
        )  # fmt: skip

    def _ports(self) -> tuple[tuple[str, TransmitPort], tuple[str, TransmitPort]]:
        """By the host to which frames go."""
        return ("receiver", self.shared.ports["sender"]), ("sender", self.shared.ports["receiver"])

    def _occupied(self, now: int) -> dict[Resource, int]:
        """Wires and slots: what both ways of a stream take of them."""
        test, found = self.test, dict[Resource, int]()
        for to, port in self._ports():
            sends = "sender" if to == "receiver" else "receiver"
            frames, size = port.sent(now), test.sizes[sends]
            found[Resource(to, CABLE)] = frames * test.link.frame_time(size)
            for name, host in test.hosts:
                moved = frames if name == sends else self.shared.landings[name].moved(now)
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
            fifo = DropPlace(name, "adapter's FIFO", Resource(name, PCIE_UPSTREAM))
            ways = [one.data if name == "receiver" else one.acks.way for one in self.streams]
            found[fifo] = sum([one.dropped for one in ways])
        return found

    def _sum(self, what: str) -> int:
        """Of all senders."""
        own = attrgetter(what)
        return sum([own(one.sender) for one in self.streams])

    def _counts(self) -> dict[str, int]:
        """TCP's own, as `nstat` and iperf3 have them, and those of both poll loops."""
        senders, receivers = [one.sender for one in self.streams], [one.receiver for one in self.streams]

        outputs = [one.output for one in senders]

        def of(parts: list[Any], name: str) -> int:
            return sum([getattr(one, name) for one in parts])

        found = {
            "packets sent": of(outputs, "packets"), "segments sent": of(outputs, "segments"),
            "TCP retransmissions": of(outputs, "retransmitted"), "TCP timeouts": of(senders, "timeouts"),
            "TCP tail loss probes": of(senders, "probes"),
            "TCP recoveries": of(senders, "recoveries"),
            "acknowledgements": of([one.acks for one in self.streams], "sent"),
            "segments received": of(receivers, "frames"), "packets received": of(receivers, "packets"),
            "TCP out of order": of([one.tcp for one in receivers], "out_of_order"),
            "backlog": of([one.backlog for one in receivers], "packets"),
            "held by byte queue limits": of([one.device for one in outputs], "held"),
        }  # fmt: skip
        for name, parts in (("sender", senders), ("receiver", receivers)):
            napis = [one.napis[name] for one in self.streams]
            found |= {f"{name} interrupts": of(napis, "interrupts"), f"{name} polls": of(napis, "polls"),
                      f"{name} wake-ups": of(parts, "wakeups"), f"{name} ksoftirqd": of(napis, "threads")}  # fmt: skip
        return found

    def audit(self) -> None:
        """No core worked for longer than it was there; segments that arrived were dropped, taken or wait; what the
        process has is what the sender sent. Raises ConservationError."""
        for one in self.streams:
            for (name, number), core in one.cores.items():
                if core.spent.total > self.env.now:
                    text = f"{name} processor {number} was busy for {core.spent.total} of {self.env.now} ps"
                    raise ConservationError(text)
            one.audit()

    def waiting_for(self) -> str:
        return "; ".join(f"segments written {one.sender.output.write_seq}, sent {one.sender.output.snd_nxt}, acknowledged "
                         f"{one.sender.output.snd_una}, received {one.receiver.tcp.rcv_nxt}, read {one.receiver.tcp.copied}"
                         for one in self.streams)  # fmt: skip
