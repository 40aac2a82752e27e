"""The costs of an interrupt handler's steps. Each is computed once: a step is known by what the handler does in it, by
the numbers of ring entries and buffers, and by the frame's size."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from netsim.ethernet import Frame
from netsim.machine.port import Port
from netsim.machine.send_queue import Kernel
from netsim.machine.system import KernelSpec
from netsim.machine.work import Work

# The contents of a step besides its frame.
STARTS: Final = 32  # the next frame, on a chip that does not continue by itself
ENTERING: Final = 16
AGAIN: Final = 8  # a further pass
LEAVING: Final = 4
ENDING: Final = 2  # the look that finds no further frame
BEHIND: Final = 1  # other frames, not sent yet, follow those freed
_FRAME_BITS: Final = 20  # a frame's size, and whether it has been deciphered


class HandlerStep:
    """A work of the handler, and the ps of it that remain once its frame can go up."""

    __slots__ = ("tail", "work")

    def __init__(self, work: Work, tail: int) -> None:
        self.work = work
        self.tail: i64 = tail


class HandlerSteps:
    """The steps of the handler of a `port`, on a host with these `costs`."""

    __slots__ = ("_costs", "_count_bits", "_kernel", "_moving_times", "_port", "_recoveries", "_start_times", "_steps")

    def __init__(self, port: Port, kernel: Kernel, costs: KernelSpec) -> None:
        spec = port.adapter.driver
        self._port = port
        self._kernel = kernel
        self._costs = costs
        self._count_bits = max(spec.tx_ring, spec.rx_ring, spec.rx_ring_bytes).bit_length()  # for ring entries
        self._steps: dict[int, HandlerStep] = {}  # by all that they are known by, in one number
        self._start_times = [port.start_time(kernel.bill, costs, entering) for entering in (False, True)]
        self._moving_times: dict[int, int] = {}  # ps to take a frame, by bytes of memory
        self._recoveries: dict[bool, Work] = {}  # by whether the handler is entered

    def step(self, contents: int, freed: int, frame: Frame | None, entries: int, buffers: int) -> HandlerStep:
        """A step with these `contents`, which takes back the buffers of `freed` frames, takes a `frame`, and fills ring
        `entries`, some of them with new `buffers`."""
        bits = self._count_bits
        key = ((contents << bits | freed) << bits | entries) << bits | buffers
        key <<= _FRAME_BITS
        if frame is not None:
            key |= frame.size << 1 | (frame.decipher > 0)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = self._priced(contents, freed, frame, entries, buffers)
        return step

    def _priced(self, contents: int, freed: int, frame: Frame | None, entries: int, buffers: int) -> HandlerStep:
        port, bill = self._port, self._kernel.bill()
        if contents & ENTERING:
            port.bill_entry(bill, self._costs)
        if contents & AGAIN:
            port.bill_pass(bill)
        if frame is not None:
            port.bill_take(bill, frame.buffer, frame.decipher > 0)
        if contents & STARTS:
            port.bill_start(bill)
        before = bill.work().total
        if contents & ENDING:
            port.bill_end(bill)
        port.bill_free(port.bill_refill(bill, entries, buffers), freed, contents & BEHIND)
        if contents & LEAVING:
            port.bill_exit(bill, self._costs)
        work = bill.work()
        return HandlerStep(work, work.total - before)

    def until_start(self, entering: bool, taken_before: Frame | None) -> int:
        """ps from the beginning of a step until the chip has been told to start the next frame: after the entry, if the
        handler is `entering`, and after a received frame, if one is `taken_before`."""
        if taken_before is None:
            return self._start_times[entering]
        size = taken_before.buffer
        return self._start_times[entering] + (self._moving_times.get(size) or self._moving_time(size))

    def _moving_time(self, size: int) -> int:
        time = self._moving_times[size] = self._port.moving_time(self._kernel.bill, size)
        return time

    def recovery(self, entering: bool) -> Work:
        """The step that makes a card continue which has stopped for lack of room."""
        work = self._recoveries.get(entering)
        if work is None:
            bill = self._kernel.bill().time("driver", self._port.adapter.driver.overrun)
            work = self._recoveries[entering] = (self._port.bill_entry(bill, self._costs) if entering else bill).work()
        return work
