"""A segment's way from one process to another: every step once, one after the other, with nothing in the way."""

from __future__ import annotations

from netsim.ethernet import LinkSpec, SwitchSpec
from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.stack import ComputerSpec
from netsim.stack.tcp_costs import TcpCosts


class Way:
    """From one host to another, over the first port of each and a switch if there is one. Lengths are bytes of payload
    of a segment."""

    def __init__(
        self, near: ComputerSpec, far: ComputerSpec, link: LinkSpec, switch: SwitchSpec | None = None
    ) -> None:
        self.near, self.far = near, far
        self._link, self._switch = link, switch
        self._writing, self._reading = TcpCosts(near), TcpCosts(far)

    def written(self, length: int) -> int:
        """ps of a call that writes a segment, up to the doorbell."""
        return self._writing.write(length, length, 0, True, False).total

    def there(self, length: int) -> int:
        """ps from the doorbell until a segment is in the other end's socket."""
        size = self._writing.spec.frame_size(length)
        return self._on_the_way(size) + self._reading.arrival(length, 0, False, None).total

    def read(self, nbytes: int, length: int, slept: bool) -> int:
        """ps of a call that reads `nbytes` of a segment, and has waited for it or not."""
        place = self._reading.place(self._writing.spec.frame_size(length), 0)
        return self._reading.read(nbytes, place, True, slept).total

    def _on_the_way(self, size: int) -> int:
        """ps from the doorbell until a frame of `size` bytes is with the protocols."""
        link, far, memory = self._link, self.far, size - FCS
        out, into = self.near.ports()[0], far.ports()[0]
        fetch = out.adapter.tx_latency(out.bus, memory)
        store = into.adapter.rx_latency(into.bus, link, memory)
        kernel = far.system.kernel
        handler = into.bill_interrupt(far.bill(), kernel.interrupt_cycles)
        if kernel.ring_work == "deferred":
            into.bill_entry(handler, kernel)
        return fetch + self._cabled(size) + store + into.bill_receive(handler, memory).work().total

    def _cabled(self, size: int) -> int:
        """ps from a frame's first bit until its last has come in at the other end: a switch sends it once more."""
        cable = self._link.time(PREAMBLE + size) + self._link.propagation
        return cable if self._switch is None else cable + self._switch.latency + cable
