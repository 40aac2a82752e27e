"""Processors that share bottom halves and a kernel lock, without the rest of a host."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment, Fifo
from netsim.machine.bottom_halves import BottomHalves
from netsim.machine.lock import Lock
from netsim.machine.processor import Processor
from netsim.machine.task import Task
from netsim.machine.work import Work


def work(ps: int, inside: int | None = None) -> Work:
    """Work of `ps`, and of `inside` more during which a frame is handed to a device."""
    whole = Work((("protocol", ps + (inside or 0)),), 0)
    if inside is not None:
        whole.outside, whole.inside = work(ps), work(inside)
    return whole


class Processors:
    """A set of `count` processors."""

    def __init__(self, count: int) -> None:
        self.env = Environment()
        self.halves = BottomHalves(Lock(self.env, Resource("cpu", "bottom halves")))
        shared: Fifo[Task] = Fifo()
        common = [lambda _: 0], shared, True, None, None, None, self.halves
        self.cpus = [Processor(self.env, Resource("cpu", PROCESSOR, i), *common) for i in range(count)]
        self.halves.connect(self.cpus)
        self.kernel = Lock(self.env, Resource("cpu", "kernel lock"))
