"""A store-and-forward switch (IEEE 802.1D, clause 7; no pause frames): ports that receive whole frames, and a queue for
each outgoing cable.

A frame whose last bit has arrived is ready to leave after the switch's latency, and leaves as soon as the cable is
free. It occupies its size in the output port's buffer until its last bit has left; without room it is dropped.
Addresses are already learned (7.8): the topology determines which port, or which group of ports, leads to each
(netsim.ethernet.trunk).
"""

from __future__ import annotations

from typing import Any, Protocol

from mypy_extensions import mypyc_attr

from netsim.engine import Environment, Fifo
from netsim.errors import SimulationError
from netsim.ethernet.frame import Frame
from netsim.ethernet.link import Link
from netsim.ethernet.switch_spec import SwitchSpec


class Outlet(Protocol):
    """Takes the frames for an address."""

    def put(self, frame: Frame) -> None:
        """Put `frame` into a port's buffer, or drop it if there is no room."""


class Switch:
    """The switch in a running simulation. Frames for an address leave by the port that leads to it."""

    def __init__(self, env: Environment, spec: SwitchSpec, name: str = "switch") -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.ports: list[SwitchPort] = []
        self.forward = self._forward  # bound once
        self._table: dict[Any, Outlet] = {}

    def plug(self, neighbour: str, into: Link, out: Link) -> SwitchPort:
        """Add a port with a cable to `neighbour`: receive from `into`, send on `out`."""
        port = self.env.part(SwitchPort)(self, neighbour, out)
        self.ports.append(port)
        into.attach(port.ingress)
        return port

    def learn(self, address: Any, behind: Outlet) -> None:
        """`behind`, one port of the switch or a group of them, leads to `address`, the `port` of frames."""
        self._table[address] = behind

    def _forward(self, frame: Frame) -> None:
        """A frame is ready to leave."""
        outlet = self._table.get(frame.port)
        if outlet is None:
            raise SimulationError(f"{self.name}: no port has address {frame.port!r}")
        outlet.put(frame)

    # --- accounts -----------------------------------------------------------------------------------------------------

    @property
    def frames_arrived(self) -> int:
        """Frames that have arrived, on all ports."""
        return sum(port.ingress.frames_arrived for port in self.ports)

    @property
    def frames_sent(self) -> int:
        """Frames handed to the cables, on all ports, including those that wait for a cable."""
        return sum(port.out.frames for port in self.ports)

    @property
    def frames_inside(self) -> int:
        """Frames that have arrived and are not ready to leave yet, according to the calendar."""
        return self.env.calendar.planned(self.forward)

    @property
    def drops(self) -> dict[str, int]:
        """Frames that found no room, by place."""
        return {f"port to {port.neighbour}": port.dropped for port in self.ports}


@mypyc_attr(allow_interpreted_subclasses=True)
class Ingress:
    """Frames that arrive on a port of a switch, ready to leave after the switch's latency."""

    __slots__ = ("_calendar", "_forward", "_latency", "frames_arrived")

    def __init__(self, switch: Switch) -> None:
        self.frames_arrived = 0
        self._calendar = switch.env.calendar
        self._forward = switch.forward
        self._latency = switch.spec.latency

    def receive_lead(self, size: int) -> int:
        """Nothing (ps): the whole frame is stored first."""
        return 0

    def put(self, frame: Frame) -> None:
        """The last bit of `frame` arrives."""
        self.frames_arrived += 1
        calendar = self._calendar
        calendar.call_at(calendar.now + self._latency, self._forward, frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class SwitchPort:
    """One port of a switch: its `ingress`, and the buffer for frames that go `out`."""

    __slots__ = ("_buffer", "_calendar", "_held", "_leaving", "dropped", "ingress", "neighbour", "out", "switch")

    def __init__(self, switch: Switch, neighbour: str, out: Link) -> None:
        self.switch = switch
        self.neighbour = neighbour
        self.ingress = switch.env.part(Ingress)(switch)
        self.out = out
        self.dropped = 0
        self._calendar = switch.env.calendar
        self._buffer = switch.spec.buffer
        self._held = 0  # bytes of the frames below
        self._leaving: Fifo[tuple[int, int]] = Fifo()  # in the buffer: when the last bit leaves (ps), bytes

    def put(self, frame: Frame) -> None:
        """Put `frame` at the end of the buffer, or drop it if there is no room."""
        now, leaving, size = self._calendar.now, self._leaving, frame.size
        while leaving and leaving[0][0] <= now:
            self._held -= leaving.popleft()[1]
        if self._held + size > self._buffer:
            self.drop(frame)
            return
        self._held += size
        frame.sent_on = end = self.out.put(frame, now)
        leaving.append((end, size))

    def drop(self, frame: Frame) -> None:
        """The buffer has no room for `frame`."""
        self.dropped += 1
