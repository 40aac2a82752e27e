"""All flows of a network in a running simulation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from netsim.accounts import Accounts, DropPlace
from netsim.engine import Environment, Transactions
from netsim.scenario import StreamRun
from netsim.topology.network_run import NetworkRun
from netsim.topology.routes import Route
from netsim.topology.stations import contention
from netsim.units import MS
from netsim.workload.flows.flow_run import DatagramFlow, FlowRun, StreamFlow, TcpRequestFlow, UdpRequestFlow
from netsim.workload.flows.flow_spec import DatagramsSpec, RequestsSpec, StreamSpec

if TYPE_CHECKING:
    from netsim.workload.flows.tool import Flows

_START_SPREAD = 1 * MS  # ps: flows with the same start begin within a millisecond, and before they stop


class FlowsRun(NetworkRun, StreamRun):
    """The network with its flows."""

    def __init__(self, env: Environment, test: Flows) -> None:
        asking = {name: flow.outstanding for name, flow in test.each.items() if isinstance(flow, RequestsSpec)}
        super().__init__(env, test, Transactions(env, asking, sum(asking.values())))
        self.test = test
        self.duration = test.duration
        self.moments = test.moments()
        self.flows = [self._flow(name, *ways) for name, ways in test.routes().items() if ways is not None]
        self.response_logs = {flow.name: flow.log for flow in self.flows if flow.log is not None}

    def _flow(self, name: str, there: Route, back: Route) -> FlowRun:
        spec = self.test.each[name]
        if isinstance(spec, StreamSpec):
            return StreamFlow(self, self.test, spec, name, there, back)
        if isinstance(spec, DatagramsSpec):
            return DatagramFlow(self, self.test, spec, name, there, back)
        assert isinstance(spec, RequestsSpec)
        part = TcpRequestFlow if spec.over == "tcp" else UdpRequestFlow
        return part(self, self.test, spec, name, there, back)

    def start(self) -> None:
        """Receivers start first; senders begin at times drawn from the seed, after the start of their flow."""
        for flow in self.flows:
            flow.listen()
            start, stop = flow.spec.start, flow.spec.stop
            spread = _START_SPREAD if stop is None else min(_START_SPREAD, stop - start)
            drawn = int(self.env.stream(f"start {flow.name}").integers(spread))
            self.env.call_at(start + drawn, flow.begin)
            if stop is not None:
                self.env.call_at(stop, flow.stop)

    @property
    def delivered(self) -> int:
        """Bytes of payload delivered by all flows."""
        return sum(flow.delivered for flow in self.flows)

    def unsent(self, since: int) -> int:
        return sum(flow.unsent(since) for flow in self.flows)

    def parts(self) -> dict[str, int]:
        return {flow.name: flow.delivered for flow in self.flows}

    def accounts(self) -> Accounts:
        counts: Counter[str] = Counter()
        lost: Counter[DropPlace] = Counter()
        for flow in self.flows:
            counts.update(flow.counts())
            lost.update(flow.lost())
        if self.segments:
            counts.update(contention([*self.segments.values()]))
        return self.ledger.read(self.delivered, counts, lost, self.parts())

    def audit(self) -> None:
        self.ledger.audit()
        for flow in self.flows:
            flow.audit()

    def waiting_for(self) -> str:
        return "; ".join(f"{flow.name}: {flow.waiting_for()}" for flow in self.flows)
