"""A message over TCP on a shared segment, from one process to another: what it needs at the least, and how long it
takes where nothing is in the way."""

from __future__ import annotations

from netsim.closed_form.stages import Stage, between, least_time, total
from netsim.ethernet import Frame, SegmentSpec
from netsim.ethernet.frame import FCS
from netsim.machine.port import MasterPort
from netsim.stack import ComputerSpec
from netsim.stack.large_send import handed_over
from netsim.stack.remembering import anew
from netsim.stack.socket import CALLED, WITHIN, bill_call
from netsim.stack.tcp_costs import TcpCosts


class TcpMessage:
    """From `near` to `far`, over the first adapter of each. It is written by one call, and read by as few as can be."""

    def __init__(self, near: ComputerSpec, far: ComputerSpec, segment: SegmentSpec, distance: int, mtu: int) -> None:
        self._near, self._far = near, far
        self._segment, self._distance = segment, distance
        self._sending, self._taking = TcpCosts(near, remember=anew), TcpCosts(far, remember=anew)
        self._full = near.segment_size(mtu)
        self._out: MasterPort = near.ports()[0]
        self._into: MasterPort = far.ports()[0]

    def _lengths(self, nbytes: int) -> list[int]:
        full, rest = divmod(nbytes, self._full)
        return [self._full] * full + ([rest] if rest else [])

    def _frame(self, length: int) -> Frame:
        return handed_over(self._sending, self._taking, length)

    def _stage(self, length: int) -> Stage:
        frame = self._frame(length)
        free = self._out.bill_free(self._near.bill(), 1).work().total
        sent = self._sending.write_and_send(length, length, 0, WITHIN).total
        taken = self._into.bill_receive(self._far.bill(), frame.size - FCS).work().total
        taken += self._taking.arrival(length, 0).total
        taken += self._taking.read(length, self._taking.place(frame.size, 0), WITHIN).total
        return Stage(sent, self._segment.frame_time(frame.size), taken, free)

    def _stages(self, nbytes: int) -> list[Stage]:
        """The segments of a message, the first one with the call that writes it, the last one with the call that reads
        it."""
        out, back = (bill_call(host, CALLED).work().total for host in (self._near, self._far))
        stages = [self._stage(length) for length in self._lengths(nbytes)]
        stages[0] = stages[0]._replace(sent=stages[0].sent + out)
        stages[-1] = stages[-1]._replace(taken=stages[-1].taken + back)
        return stages

    def total(self, nbytes: int) -> Stage:
        """ps that a message of `nbytes` keeps each of the three: acknowledgements, and interrupts, left out."""
        return total(self._stages(nbytes))

    def bus(self, nbytes: int) -> tuple[int, int]:
        """ps that the frames of a message keep the sender's bus, and the receiver's."""
        sizes = [self._frame(length).buffer for length in self._lengths(nbytes)]
        out, into = self._out, self._into
        return (
            sum(out.adapter.tx_bus_time(out.bus, size) for size in sizes),
            sum(into.adapter.rx_bus_time(into.bus, size) for size in sizes),
        )

    def time(self, nbytes: int) -> int:
        """ps from the call that sends it until the one that receives it has all of it."""
        frame = self._frame(self._lengths(nbytes)[-1])
        way = between(self._near, self._far, self._segment, self._distance, frame)
        return least_time(self._stages(nbytes)) - self._segment.gap + way
