"""A segment's way from one process to another: every step once, in succession, with all parts idle."""

from __future__ import annotations

from collections.abc import Sequence

from netsim.closed_form.bursts import quickest
from netsim.closed_form.outline import handed_over
from netsim.closed_form.passage import Ports
from netsim.closed_form.wires import OnWire, before_last, crossing_time
from netsim.ethernet import Frame, LinkSpec, SegmentSpec, SwitchSpec
from netsim.machine import Port
from netsim.stack import ComputerSpec
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts


class Way:
    """The way from one host to another, its first peer, through these ports of both, along a cable or a segment for
    `distance` (ps), and through a switch if there is one. Lengths are bytes of payload of a segment.

    `lone`: a message is one frame, and its sender has none before it that could share a burst with it.
    """

    def __init__(
        self,
        near: ComputerSpec,
        far: ComputerSpec,
        medium: LinkSpec | SegmentSpec,
        distance: int,
        switch: SwitchSpec | None = None,
        ports: Ports = (0, 0),
        lone: bool = False,
    ) -> None:
        self.near, self.far = near, far
        self._medium, self._distance, self._switch = medium if lone else quickest(medium), distance, switch
        self._ports = ports
        self._writing = TcpCosts(near, near.offloads(), through=ports[0])
        self._reading = TcpCosts(far, far.offloads())

    def written(self, length: int, *, alone: bool = False) -> int:
        """The time (ps) of a call that writes a segment, up to the doorbell; `alone` as in TcpCosts."""
        return self._writing.write_and_send(length, length, self._ports[0], CALLED, alone=alone).total

    def there(self, length: int, *, interrupts: bool = True, acks: bool = False) -> int:
        """The time (ps) from the doorbell until a segment is in the other end's socket; `acks` as in TcpCosts. Without
        `interrupts` a handler that is already running finds it."""
        frame = handed_over(self._writing, self._reading, length)
        return self._on_the_way(frame, interrupts) + self._reading.arrival(length, self._ports[1], acks=acks).total

    def crossed(self, frames: Sequence[tuple[int, Frame]]) -> int:
        """The time (ps) from the doorbell for the first of consecutive `frames`, with equal ones counted, until the
        driver has finished with the last, if an interrupt has already started it."""
        out, into = self._ends()
        last = frames[-1][1]
        driver = into.bill_receive(self.far.bill(), last.buffer, last.decipher > 0).work().total
        fetch = out.adapter.ahead(out.bus, frames[0][1])
        store = into.adapter.behind(into.bus, self._medium, last, driver)
        return fetch + self.cabled(frames) + store + driver

    def read(self, nbytes: int, length: int, *, slept: bool) -> int:
        """The time (ps) of a call that reads `nbytes` of a segment of `length` bytes. `slept`: it slept until the
        segment arrived."""
        place = self._reading.place(self.near.frame_size(length), self._ports[1])
        return self._reading.read(nbytes, place, CALLED.asleep if slept else CALLED).total

    def _ends(self) -> tuple[Port, Port]:
        out, into = self._ports
        return self.near.ports()[out], self.far.ports()[into]

    def _on_the_way(self, frame: Frame, interrupts: bool) -> int:
        """The time (ps) from the doorbell until a frame reaches the protocols."""
        medium, far = self._medium, self.far
        out, into = self._ends()
        kernel = far.system.kernel
        fetch = out.adapter.ahead(out.bus, frame)
        store = into.adapter.behind(into.bus, medium, frame, into.handling_time(far.bill, kernel, frame.buffer))
        handler = into.bill_interrupt(far.bill()) if interrupts else far.bill()
        if interrupts and kernel.ring_work == "deferred":
            into.bill_entry(handler, kernel)
        into.bill_end(into.bill_receive(handler, frame.buffer, frame.decipher > 0))
        return fetch + self.cabled([(1, frame)]) + store + handler.work().total

    def cabled(self, frames: Sequence[tuple[int, Frame]]) -> int:
        """The time (ps) from the first bit of the first of consecutive `frames`, with equal ones counted, until the
        last bit of the last arrives at the other end."""
        return crossing_time(self._wires(frames))

    def _wires(self, frames: Sequence[tuple[int, Frame]]) -> list[OnWire]:
        """These frames on each wire of the way."""
        first, last = (self._steps(frames[place][1].size) for place in (0, -1))
        ahead = before_last(self._medium, frames)
        return [OnWire(one, ahead, other) for one, other in zip(first, last, strict=True)]

    def _steps(self, size: int) -> list[int]:
        """The times (ps) of a frame on each wire; a switch sends it once more."""
        cable = self._medium.sending_time(size) + self._distance
        return [cable] if self._switch is None else [cable + self._switch.latency, cable]
