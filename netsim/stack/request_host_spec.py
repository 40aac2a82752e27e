"""A current host that exchanges small messages: a server, its slot, adapter and driver, and Linux."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.bus import PcieSpec
from netsim.errors import ScenarioError
from netsim.machine import NapiSpec, QueueDriverSpec, ServerSpec
from netsim.machine.interrupt_policy_spec import FixedIntervalPolicy
from netsim.nic import QueuedNicSpec
from netsim.spec import Spec
from netsim.stack.message_costs import MessageCosts
from netsim.stack.message_protocol_spec import MessageProtocolSpec
from netsim.stack.socket_path_spec import SocketPathSpec
from netsim.units import Time


class RequestHostSpec(Spec):
    """One queue of an `adapter` in a slot `pcie` of a `server`, under a `driver`, a `kernel` and its `path` to sockets.

    One core takes interrupts. With `rps` another core runs IP and the protocol. The process has a separate core, or
    `shares` the one that takes interrupts. While it waits for a message it sleeps ("sleep"), polls its socket ("spin"),
    or polls the adapter's queue without interrupts ("busy-poll": SO_BUSY_POLL). The adapter may be on the other socket
    (`remote`), away from memory and cores, and behind switches that add `switch_time` (ps) in each direction."""

    server: ServerSpec
    pcie: PcieSpec
    adapter: QueuedNicSpec
    driver: QueueDriverSpec
    kernel: NapiSpec
    path: SocketPathSpec
    wait: Literal["sleep", "spin", "busy-poll"] = "sleep"
    rps: bool = False
    shares: bool = False
    remote: bool = False
    switch_time: Time = 0

    @model_validator(mode="after")
    def _has_cores(self) -> Self:
        """A process that polls the queue uses no other core; a process that softirqs wake needs a core for them. Each
        ring has enough descriptors."""
        if self.wait == "busy-poll" and (self.rps or self.shares):
            name = "rps" if self.rps else "shares"
            raise ScenarioError("a process that polls the queue has no softirq; allowed: false", address=name)
        if self.rps and self.shares:
            raise ScenarioError("with rps the process has a core of its own; allowed: false", address="shares")
        if self.cores > self.server.cores:
            text = f"{self.server.cores} is less than the host needs; allowed: {self.cores} or more"
            raise ScenarioError(text, address="server.cores")
        self.driver.check_adapter(self.adapter)
        return self

    @property
    def cores(self) -> int:
        """The number of cores that work for these messages."""
        return 1 if self.shares or self.wait == "busy-poll" else 3 if self.rps else 2

    @property
    def room(self) -> int:
        """The number of messages that can be sent to it at once without loss."""
        rings = min(self.driver.rx_ring, self.driver.room)
        return min(rings, self.path.backlog) if self.rps else rings

    def hold(self, rate: int) -> int:
        """The least time (ps) for which an adapter on a link of `rate` (bit/s) holds back a lone message, if it counts
        from the first one."""
        policy = self.driver.moderation
        if self.wait == "busy-poll" or self.adapter.throttle != "since-first":
            return 0
        if isinstance(policy, FixedIntervalPolicy) and policy.frames > 1:
            return self.adapter.held(policy.interval)
        return self.adapter.held(policy.least(rate))

    def told(self, rate: int) -> int:
        """The time (ps) from a lone message's arrival in memory to its interrupt, on a link of `rate` (bit/s)."""
        if self.wait == "busy-poll":
            return 0
        message = self.adapter.interrupt_time(self.pcie) + self.written_time
        return self.hold(rate) + message

    @property
    def answer_time(self) -> int:
        """The time (ps) from a read of the adapter to its first completion."""
        return self.server.root_complex.answer_time(cached=True, remote=self.remote) + 2 * self.switch_time

    @property
    def written_time(self) -> int:
        """The time (ps) from a write's arrival at the link's end until it is visible, in either direction."""
        return self.server.root_complex.visible_time(remote=self.remote) + self.switch_time

    @property
    def longest(self) -> int:
        """The largest completion (bytes)."""
        return self.server.root_complex.longest(self.pcie)

    def interval(self, rate: int) -> int:
        """The shortest time (ps) from one interrupt to the next, on a link of `rate` (bit/s)."""
        return 0 if self.wait == "busy-poll" else self.adapter.held(self.driver.moderation.least(rate))

    def costs(self, protocol: MessageProtocolSpec, sends: int, takes: int, opens: bool) -> MessageCosts:
        """The costs of one message in each direction, with `sends` and `takes` bytes. `opens`: the host is the client,
        and the call opens a transaction."""
        time, path, driver, kernel = self.server.time, self.path, self.driver, self.kernel
        polls, copy = self.wait == "busy-poll", path.byte_cycles
        opening = protocol.open_cycles
        call = time(path.call_cycles)
        return MessageCosts(
            call=call,
            send=time(protocol.send_cycles + copy * sends + (opening if opens else 0)),
            driver=time(path.output_cycles + driver.tx_cycles + driver.doorbell_cycles),
            back=2 * call,
            interrupt=0 if polls else time(kernel.entry_cycles + driver.handler_cycles),
            unmask=0 if polls else time(driver.unmask_cycles + kernel.interrupt_cycles - kernel.entry_cycles),
            poll=time(driver.poll_cycles),
            clean=time(driver.clean_cycles),
            frame=time(driver.rx_cycles + path.buffer_cycles),
            steer=time(path.steer_cycles) if self.rps else 0,
            ipi=self._from_another_core + time(kernel.entry_cycles) if self.rps else 0,
            ip=time(path.input_cycles),
            protocol=time(protocol.receive_cycles + (0 if opens else opening)),
            waking=time(path.wake_cycles) if self.wait == "sleep" else 0,
            woken=self._woken,
            read=time(protocol.read_cycles + copy * takes),
            leave=call,
            idle_exit=0 if self.shares and self.wait == "spin" else self.server.idle_exit,
            shares=self.shares,
        )

    @property
    def _from_another_core(self) -> int:
        """The time (ps) until a core has data that another core has written."""
        return self.server.line_transfer

    @property
    def _woken(self) -> int:
        """The time (ps) of the process's core between the softirq's wake-up and the read."""
        server, path = self.server, self.path
        if self.wait == "busy-poll":
            return 0
        far = 0 if self.shares else self._from_another_core
        if self.wait == "spin":
            return far + server.time(path.spin_cycles)
        if not self.shares:
            far += server.idle_exit + server.time(self.kernel.entry_cycles)
        return far + server.time(path.switch_cycles)
