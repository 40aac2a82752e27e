"""Requests and responses between two processes, possibly several at once, and the time of each, stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from netsim.engine import Environment, Fifo, ResponseLog, Transactions
from netsim.ethernet import Medium
from netsim.stack import Arrivals, TcpEndpoint, UdpEndpoint
from netsim.stack.arrivals import Passed

KIND: Final = "transaction"
STAGES: Final = ("call", "to the wire", "wire", "interrupt and driver", "protocols", "process")
SWITCHED: Final = (*STAGES[:3], "switch", *STAGES[3:])


class Crossing(NamedTuple):
    """The path of a frame from one host to the other: the wire on which it leaves, the propagation times (ps) of this
    and of the last wire, and whether there are switches between the two. Without any they are one wire."""

    medium: Medium
    first: int
    last: int
    switched: bool


class Dialogue:
    """A client that sends requests of `request` bytes to a server, which answers each with `response` bytes: first
    `outstanding` requests, then one for each response, until it is stopped. A transaction of this `kind` begins with
    the call that sends its request, and ends when the call that reads the response returns; then the client waits for
    `think` (ps). The server responds as soon as it has read a request.

    The time of a transaction is that of its request and its response, each in these stages: from the call until the
    last frame is handed to the driver; until the frame begins on the wire; until its last bit arrives at the other end
    of that; with switches, until it arrives at the host; until the other driver hands it up; until it is in the socket;
    and until the process has read it. `crossings` are the paths there and back.
    """

    def __init__(
        self,
        env: Environment,
        ends: tuple[TcpEndpoint | UdpEndpoint, TcpEndpoint | UdpEndpoint],
        arrivals: tuple[Arrivals, Arrivals],
        crossings: tuple[Crossing, Crossing],
        sizes: tuple[int, int],
        outstanding: int,
        transactions: Transactions,
        kind: str = KIND,
        think: int = 0,
    ) -> None:
        self._calendar = env.calendar
        self._client, self._server = ends
        self._responses, self._requests = arrivals  # those received at each end
        self._there, self._back = crossings
        self._switched = self._there.switched or self._back.switched
        self._request, self._response = sizes
        self._burst = outstanding - 1
        self._kind, self._think = kind, think
        self._thought = self._resume  # bound once
        self._over = False
        self.transactions = transactions
        self.log = ResponseLog(SWITCHED if self._switched else STAGES)
        self._begun: Fifo[int] = Fifo()  # start times (ps) of the transactions under way,
        self._requested: Fifo[list[int]] = Fifo()  # and the stages of their requests that have been read

    def listen(self) -> None:
        """The server waits for a request."""
        self._server.receive(self._request, self._answer)

    def begin(self) -> None:
        """The client sends its first requests."""
        self._ask(self._more if self._burst else self._wait)

    def stop(self) -> None:
        """Send no more requests."""
        self._over = True

    @property
    def under_way(self) -> int:
        """The number of transactions under way."""
        return len(self._begun)

    def _more(self) -> None:
        self._burst -= 1
        self.begin()

    def _ask(self, then: Callable[[], None]) -> None:
        self._begun.append(self.transactions.begin(self._kind))
        self._client.send(self._request, then)

    def _wait(self) -> None:
        self._client.receive(self._response, self._ended)

    def _answer(self) -> None:
        """The server has read a request."""
        began = self._begun[len(self._requested)]
        self._requested.append(self._stages(began, self._server.came(self._requests), self._there))
        self._server.send(self._response, self.listen)

    def _ended(self) -> None:
        """The client has read a response."""
        began, request = self._begun.popleft(), self._requested.popleft()
        self.transactions.end(self._kind, began)
        asked = began + sum(request)
        response = self._stages(asked, self._client.came(self._responses), self._back)
        self.log.note([there + back for there, back in zip(request, response, strict=True)])
        if self._think:
            self.transactions.resting += 1
            self._calendar.call_at(self._calendar.now + self._think, self._thought, None)
        elif self._over:
            self.transactions.resting += 1
            self._go_on()
        else:
            self._ask(self._wait)

    def _resume(self, nothing: object) -> None:
        """The client's think time is over."""
        if self._over:
            self._go_on()
        else:
            self.transactions.resting -= 1
            self._ask(self._wait)

    def _go_on(self) -> None:
        """Wait for the transactions still under way."""
        if self._begun:
            self._wait()

    def _stages(self, began: int, passed: Passed, crossing: Crossing) -> list[int]:
        """The time (ps) of each stage of a message that `began` at that time and has just been read."""
        size, sent, last_bit, sent_on, handed_up, there = passed
        crossed = [last_bit + crossing.first, sent_on + crossing.last][: 1 + self._switched]
        times = [began, sent, last_bit - crossing.medium.sending_time(size), *crossed, handed_up, there]
        return [end - start for start, end in zip(times, [*times[1:], self._calendar.now], strict=True)]
