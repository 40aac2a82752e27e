"""A PCI Express switch in a running simulation: devices' packets wait for their turn on the uplink.

Upstream, a packet costs an event when it may go on, and another when the next packet's turn comes; a device that has to
wait for credits is notified when they come back. Downstream needs no arbitration, as all packets come over one link,
and is arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from netsim.accounts import Resource
from netsim.bus.credits_spec import CreditsSpec, data_credits
from netsim.bus.pcie import PcieDirection
from netsim.bus.pcie_spec import PcieSpec
from netsim.bus.pcie_switch_spec import PcieSwitchSpec
from netsim.bus.root_complex import ReadRequest, Requester, RootComplex
from netsim.engine import Environment, Fifo, Idle


@final
class Upward:
    """A packet on its way up: `wire` bytes, with `data` to be written to a `page`, or a `request`. `written` is called
    when it has left the root complex's buffer, with the `command` that ends with it, if any."""

    __slots__ = ("command", "data", "page", "request", "wire", "written")

    def __init__(self, wire: int, data: int, page: int, request: ReadRequest | None) -> None:
        self.wire = wire
        self.data = data
        self.page = page
        self.request = request
        self.written: Callable[[Any], None] | None = None
        self.command: object = None


@final
class Room:
    """Credits of one kind that a port gives its device."""

    def __init__(self, credits: int) -> None:
        self.credits = self.free = credits
        self._area = self._since = 0  # credits x ps held; when their number last changed (ps)

    def change(self, count: int, now: int) -> None:
        """`count` more are free, or fewer if negative."""
        self._area += (self.credits - self.free) * (now - self._since)
        self._since = now
        self.free += count

    def held_until(self, now: int) -> int:
        """Credits x ps up to now."""
        return self._area + (self.credits - self.free) * (now - self._since)


@final
class Delayed(PcieDirection):
    """The direction to a device, whose packets may go only later, when they are ready."""

    def __init__(self, env: Environment, spec: PcieSpec, name: Resource) -> None:
        super().__init__(env, spec, name)
        self._idle = Idle()  # until packets are ready

    def put_at(self, ready: int, wire: int) -> int:
        """Send a packet that may go at `ready`. Returns when its last bit arrives (ps)."""
        start, time = max(self._free, ready), self.time(wire)
        self._idle.add(self._free, start, self._calendar.now)
        self._free = start + time
        self._busy += time
        self.packets += 1
        return self._free

    def busy_until(self, now: int) -> int:
        """See PcieDirection."""
        return super().busy_until(now) + self._idle.ahead(now)


@final
class PcieSwitchPort(Requester):
    """A port with a device behind it: its own link, and the packets that wait for their turn."""

    def __init__(
        self, env: Environment, spec: PcieSpec, up: Resource, down: Resource, switch: PcieSwitch,
        credits: CreditsSpec | None,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self._switch = switch
        self.up = PcieDirection(env, spec, up)
        self.down = Delayed(env, spec, down)
        self.queue: Fifo[Upward] = Fifo()  # packets that may go on
        self._kept: Fifo[Upward] = Fifo()  # packets kept by the device for lack of credits
        self._entered, self._returned, self._answers = self._enter, self._return, self._answer  # bound once
        self.posted = self.data = self.nonposted = None if credits is None else Room(0)
        if credits is not None:
            self.posted, self.data = Room(credits.posted_headers), Room(credits.posted_data)
            self.nonposted = Room(credits.nonposted_headers)
        self._return_time = 0 if credits is None else credits.return_time
        self.bytes_inside = 0  # still to be written, at the device or in the switch
        self.reads_inside = 0  # requests on their way up
        self.answers_inside = 0  # reads whose completions are on the last link
        self._last = 0  # when all completions so far are at the device (ps)

    # --- up ----------------------------------------------------------------------------------------------------------

    def put(self, packet: Upward) -> None:
        """The device sends a packet as soon as the port has room for it."""
        self.bytes_inside += packet.data
        if packet.request is not None:
            self.reads_inside += 1
        if self._kept or not self._has_room(packet):
            self._kept.append(packet)
        else:
            self._send(packet)

    def _has_room(self, packet: Upward) -> bool:
        posted, data, nonposted = self.posted, self.data, self.nonposted
        if posted is None or data is None or nonposted is None:
            return True
        if packet.request is not None:
            return nonposted.free > 0
        return posted.free > 0 and data.free >= data_credits(packet.data)

    def _take(self, packet: Upward, count: int) -> None:
        """Take the credits for a packet (`count` -1), or give them back."""
        now = self._calendar.now
        posted, data, nonposted = self.posted, self.data, self.nonposted
        if posted is None or data is None or nonposted is None:
            return
        if packet.request is not None:
            nonposted.change(count, now)
        else:
            posted.change(count, now)
            data.change(count * data_credits(packet.data), now)

    def _send(self, packet: Upward) -> None:
        self._take(packet, -1)
        last_bit, switch = self.up.put(packet.wire), self._switch
        ready = switch.spec.ready(last_bit, self.up.time(packet.wire), switch.uplink.time(packet.wire))
        self._calendar.call_at(ready, self._entered, packet)

    def _enter(self, packet: Upward) -> None:
        self.queue.append(packet)
        self._switch.serve()

    def leave(self, packet: Upward, at: int) -> None:
        """The packet has left the switch at `at` (ps)."""
        self.bytes_inside -= packet.data
        if packet.request is not None:
            self.reads_inside -= 1
        if self.posted is not None:
            self._calendar.call_at(at + self._return_time, self._returned, packet)

    def _return(self, packet: Upward) -> None:
        self._take(packet, 1)
        while self._kept and self._has_room(self._kept[0]):
            self._send(self._kept.popleft())

    # --- down --------------------------------------------------------------------------------------------------------

    def coming(self, request: ReadRequest, nbytes: int, at: int) -> None:
        """See Requester. The data arrive at the switch, and go on to the device."""
        own = request.transfer
        assert isinstance(own, ReadRequest)
        wire = request.completions[request.answered][1]
        request.answered += 1
        switch = self._switch
        ready = switch.spec.ready(at, switch.uplink.time(wire), self.down.time(wire))
        self._last = self.down.put_at(ready, wire)
        own.requester.coming(own, nbytes, self._last)
        if request.answered == len(request.completions):
            self.answers_inside += 1
            self._calendar.call_at(self._last, self._answers, own)

    def answered(self, request: ReadRequest) -> None:
        """See Requester. The last data are at the switch, not yet at the device."""

    def _answer(self, own: ReadRequest) -> None:
        self.answers_inside -= 1
        own.requester.answered(own)


@final
class PcieSwitch:
    """Its ports take turns on the `uplink`, which leads to `memory`."""

    def __init__(self, env: Environment, spec: PcieSwitchSpec, uplink: PcieDirection, memory: RootComplex) -> None:
        self._calendar = env.calendar
        self.spec = spec
        self.uplink = uplink
        self._memory = memory
        self.ports: list[PcieSwitchPort] = []
        self._next = 0  # the port whose turn it is
        self._free = 0  # when the uplink has sent the last packet (ps)
        self._due = False  # a turn is planned
        self._turns = self._turn  # bound once

    def serve(self) -> None:
        """A packet waits: send it now, or plan the next turn."""
        if self._due:
            return
        self._due = True
        self._calendar.call_at(max(self._free, self._calendar.now), self._turns, None)

    def _turn(self, _: object) -> None:
        self._due = False
        count = len(self.ports)
        for place in range(self._next, self._next + count):
            port = self.ports[place % count]
            if port.queue:
                self._next = (place + 1) % count
                self._forward(port, port.queue.popleft())
                break
        if any(port.queue for port in self.ports):
            self.serve()

    def _forward(self, port: PcieSwitchPort, packet: Upward) -> None:
        self._free = left = arrival = self.uplink.put(packet.wire, packet.data)
        request = packet.request
        if request is None:
            left = self._memory.write(packet.data, arrival, packet.page)
        else:
            through = ReadRequest(port, request, request.completions)
            through.page = request.page
            self._memory.read(through, arrival)
        port.leave(packet, arrival)
        if packet.written is not None:
            self._calendar.call_at(left, packet.written, packet.command)
