"""The processor time of opening and closing TCP connections on one host."""

from __future__ import annotations

from collections.abc import Callable

from netsim.errors import ScenarioError
from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine import Bill, Work
from netsim.stack.call_costs import bill_call
from netsim.stack.socket import CALLED, Entry
from netsim.stack.tcp_costs import TcpCosts

_CALLS = 4  # socket(), setsockopt(), bind() and connect() (netperf 2.1: send_tcp_conn_rr)


class ConnectionCosts:
    """The costs of control segments and calls; all other costs of a connection are in TcpCosts. As there, `port` is the
    number of the port that a sent segment goes straight to, and a received segment may have been `checked` before.
    Raises ScenarioError if the system's costs are not known."""

    def __init__(self, costs: TcpCosts) -> None:
        self.costs, self.host = costs, costs.host
        own = costs.spec.connection
        if own is None:
            text = "the costs of opening and closing a connection are not known for this system"
            raise ScenarioError(f"{text}; allowed: a table, as in linux-2.2.16", address="system.tcp.connection")
        self.spec = own
        self.syn_size = frame_size(costs.spec.syn_packet_size)
        self.size = costs.host.frame_size(0)  # of any other segment without data

    def opened(self, port: int | None) -> Work:
        """A process makes a socket and sends a SYN."""
        own, kernel = self.spec, self.host.system.kernel
        bill = self.host.bill().cycles("system call", _CALLS * kernel.system_call_cycles)
        bill.cycles("connection", own.socket_cycles + own.bind_cycles + own.connect_cycles)
        return self._send(bill, self.syn_size, port).work()

    def requested(self, port: int | None, checked: bool = False) -> Work:
        """A SYN is received and answered."""
        return self._send(self._receive(checked, self.spec.request_cycles), self.syn_size, port).work()

    def answered(self, port: int | None, checked: bool = False) -> Work:
        """The answer is received and acknowledged."""
        return self._send(self._receive(checked), self.size, port).work()

    def established(self, checked: bool = False) -> Work:
        """The acknowledgement of the answer is received."""
        return self._receive(checked, self.spec.child_cycles).work()

    def accepted(self, entry: Entry) -> Work:
        """A process accepts an established connection."""
        return bill_call(self.host, entry).cycles("connection", self.spec.accept_cycles).work()

    def ended(self, entry: Entry) -> Work:
        """A reading call finds that the peer has closed."""
        return bill_call(self.host, entry).work()

    def closed(self, port: int | None) -> Work:
        """A process closes its end and sends a FIN."""
        bill = bill_call(self.host, CALLED).cycles("connection", self.spec.close_cycles)
        return self._send(bill, self.size, port).work()

    def finished(self, port: int | None, checked: bool = False) -> Work:
        """A FIN is received and acknowledged."""
        return self._send(self._receive(checked, self.spec.finish_cycles), self.size, port).work()

    def acknowledged(self, checked: bool = False) -> Work:
        """The acknowledgement of the FIN is received."""
        return self._receive(checked).work()

    def _receive(self, checked: bool, more: float = 0.0) -> Bill:
        cycles = self.costs.spec.rx_cycles
        if checked:
            bill = self.host.bill().cycles("protocol", cycles - self.costs.checking)
        else:
            bill = self.host.bill_arrival().cycles("protocol", cycles)
        return bill.cycles("connection", more)

    def _send(self, bill: Bill, size: int, port: int | None) -> Bill:
        cycles = self.costs.spec.ack_cycles
        bill.cycles("protocol", self.costs.spec.tx_cycles if cycles is None else cycles)
        return self.host.bill_transmit(bill, size - FCS, port)


class ConnectionWorks:
    """The same works, each made once; port numbers as in Device.straight. Some are pairs, of which the second is for a
    segment that has been checked before."""

    def __init__(self, costs: TcpCosts) -> None:
        self.costs = own = ConnectionCosts(costs)
        self.established = own.established(), own.established(checked=True)
        self.acknowledged = own.acknowledged(), own.acknowledged(checked=True)
        self.accepted, self.accepted_late = own.accepted(CALLED), own.accepted(CALLED.asleep)
        self.ended, self.ended_late = own.ended(CALLED), own.ended(CALLED.asleep)
        self._sending: dict[tuple[str, int, tuple[bool, ...]], Work] = {}

    def opened(self, port: int) -> Work:
        return self._of("opened", self.costs.opened, port)

    def requested(self, port: int, checked: bool) -> Work:
        return self._of("requested", self.costs.requested, port, checked)

    def answered(self, port: int, checked: bool) -> Work:
        return self._of("answered", self.costs.answered, port, checked)

    def closed(self, port: int) -> Work:
        return self._of("closed", self.costs.closed, port)

    def finished(self, port: int, checked: bool) -> Work:
        return self._of("finished", self.costs.finished, port, checked)

    def _of(self, name: str, cost: Callable[..., Work], port: int, *checked: bool) -> Work:
        key = name, port, checked
        work = self._sending.get(key)
        if work is None:
            work = self._sending[key] = cost(None if port < 0 else port, *checked)
        return work
