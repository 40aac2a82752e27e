"""Requests in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import CABLE, POLLING, PROCESS_CORE, RECEIVER, TRANSMITTER
from netsim.engine import Environment, Meter, ResponseLog, Transactions
from netsim.errors import ConservationError
from netsim.ethernet import Link
from netsim.machine.frame_napi import NapiLimits
from netsim.nic.queued_port import PortTimes, QueuedPort
from netsim.scenario import StreamRun
from netsim.stack.request_host import RequestHost
from netsim.stack.small_message import BETWEEN, SENDING, TAKING, SmallMessage

if TYPE_CHECKING:
    from netsim.stack import RequestHostSpec
    from netsim.workload.requests.tool import Requests

KIND = "transaction"
STAGES = tuple(
    f"{where}: {stage}"
    for where, names in (("client", SENDING), ("there", BETWEEN), ("server", (*TAKING, *SENDING)), ("back", BETWEEN),
                         ("client", TAKING))
    for stage in names
)  # fmt: skip


class RequestsRun(StreamRun):
    """Two hosts and the wire between them."""

    def __init__(self, env: Environment, test: Requests) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        self.transactions = Transactions(env, [KIND], test.outstanding)
        self.response_log = self.log = ResponseLog(STAGES)
        names, sizes = list(test.hosts), test.sizes
        self._request_size, self._response_size = sizes
        wires = [env.part(Link)(env, test.link, Resource(name, CABLE)) for name in names[::-1]]
        ends = zip(test.hosts.items(), test.costs, sizes, sizes[::-1], wires, strict=True)
        self.hosts = [self._host(*host, costs, sent, taken, wire) for host, costs, sent, taken, wire in ends]
        self.client, self.server = self.hosts
        for wire, host in zip(wires, self.hosts[::-1], strict=True):
            wire.attach(host.port)
        self.wires = wires
        self.client.process.taken, self.server.process.taken = self._answered, self._asked

    def _host(self, name: str, spec: RequestHostSpec, costs: Any, sent: int, taken: int, wire: Link) -> RequestHost:
        port = self.env.part(QueuedPort)(self.env, name, spec.pcie, port_times(self.test, spec, sent, taken), wire)
        adapter = spec.adapter
        polls, first = spec.wait == "busy-poll", adapter.throttle == "since-first"
        limits = NapiLimits(spec.kernel.weight, first, adapter.interval_step, sent - 4, polls)
        rule = spec.driver.moderation.rule(self.test.link.rate, spec.kernel.jiffy)
        return RequestHost(self.env, name, spec.cores, port, costs, rule, limits)

    def start(self) -> None:
        """Both processes wait, and the client's first requests begin."""
        for host in self.hosts:
            host.process.start()
        for _ in range(self.test.outstanding):
            self._ask()

    def _ask(self) -> None:
        began = self.transactions.begin(KIND)
        self.client.process.send(SmallMessage(self._request_size, began, None))

    def _asked(self, request: SmallMessage) -> None:
        self.server.process.send(SmallMessage(self._response_size, self.env.now, request))

    def _answered(self, response: SmallMessage) -> None:
        request = response.request
        assert request is not None
        self.transactions.end(KIND, request.began)
        self.log.note(request.stages() + response.stages())
        self._ask()

    @property
    def delivered(self) -> int:
        return self.transactions.completed

    @property
    def meter(self) -> Meter:
        return self.transactions

    # --- accounts -----------------------------------------------------------------------------------------------------

    def accounts(self) -> Accounts:
        now = self.env.now
        cores = {core.name: core for host in self.hosts for core in host.cores}
        idle = {name: core.idle_until_now() for name, core in cores.items()}
        busy = {name: core.busy() for name, core in cores.items()}
        occupied = {one.name: one.busy_until(now) for host in self.hosts for one in (host.port.up, host.port.down)}
        for host, spec in zip(self.hosts, self.test.hosts.values(), strict=True):
            occupied[Resource(host.name, TRANSMITTER)] = host.port.transmitter.busy_until(now)
            occupied[Resource(host.name, RECEIVER)] = host.port.receiver.busy_until(now)
            name = host.cores[-1].name
            if spec.cores > 1:
                occupied[Resource(host.name, PROCESS_CORE)] = sum(busy[name].values())
            if spec.wait != "sleep":  # the process's core is never idle
                busy[name][POLLING], idle[name] = idle[name], 0
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            busy=busy,
            idle=idle,
            occupied=occupied | {wire.name: wire.busy_until(now) for wire in self.wires},
            frames={wire.name: wire.frames for wire in self.wires},
            counts={
                "events": self.env.events,
                "interrupts": sum(host.napi.interrupts for host in self.hosts),
                "polls": sum(host.napi.rounds for host in self.hosts),
            },
            ended=self.transactions.counts(),
            stays=self.transactions.stays(),
            under_way=self.transactions.all.area_until(now),
        )

    def audit(self) -> None:
        """Check Little's law, that each frame handed over is on its way, inside the receiver or read, and that each
        core's work and idle time add up to the run. Raises ConservationError."""
        self.transactions.audit()
        for host, wire in zip(self.hosts, self.wires, strict=True):
            _at_most(host.port.reported, wire.frames, host.port.handed, f"{host.name}: frames sent")
            _at_most(host.napi.cleaned, host.port.reported, wire.frames, f"{host.name}: frames reported")
            _at_most(host.read + host.inside, host.port.frames_arrived, host.read + host.inside, f"{host.name}: frames")
            for core in host.cores:
                known = sum(core.busy().values()) + core.idle_until_now()
                _at_most(known, self.env.now, known, core.name)

    def waiting_for(self) -> str:
        return f"{self.transactions.all.inside} transactions are under way"


def _at_most(least: int, found: int, most: int, what: str) -> None:
    if not least <= found <= most:
        raise ConservationError(f"{what}: {found}, between {least} and {most} expected")


def port_times(test: Requests, host: RequestHostSpec, sent: int, taken: int) -> PortTimes:
    """The times of an adapter that sends and receives frames of these sizes."""
    pcie, adapter = host.pcie, host.adapter
    wire = test.link.sending_time(taken), test.cable, test.switch or 0
    times = PortTimes(adapter.latency, host.answer_time, host.written_time, wire)
    times.tx_packet, times.rx_packet = round(adapter.tx_apart(1)), adapter.rx_packet_time
    times.request, times.register = pcie.request_bytes, adapter.register_bytes(pcie)
    times.reads = adapter.tx_reads(pcie, sent, host.longest)
    times.told, times.stored = adapter.tx_entry(pcie), adapter.rx_writes(pcie, taken)
    return times
