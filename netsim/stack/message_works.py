"""The works by which the cores of a current host handle a message, each made once."""

from __future__ import annotations

from netsim.machine import Work
from netsim.machine.frame_napi import NapiWorks
from netsim.stack.message_costs import MessageCosts

Parts = tuple[tuple[str, int], ...]


class MessageWorks:
    """Works of the process: to `send`, to come `back` from that call and wait, to `read`, and to read once `woken`.
    Works of softirqs: a message on its way to the socket (`brings`), the same when it wakes the process (`wakes`), and
    on its way to another core (`steered`), whose interrupt is `signal`, or `waking` if that core is idle."""

    def __init__(self, costs: MessageCosts) -> None:
        call, sends = ("system call", costs.call), ("protocol", costs.send)
        self.send = _work(call, sends, ("driver", costs.driver))
        self.back = _work(("system call", costs.back))
        read: Parts = (("copy", costs.read), ("system call", costs.leave))
        self.read = _work(*read)
        self.woken = _work(("wake-up", costs.woken), *read)
        frame: Parts = (("driver", costs.frame),)
        up: Parts = (("protocol", costs.ip + costs.protocol),)
        if costs.ipi:
            self.steered = _work(*frame, ("steering", costs.steer))
        else:
            self.steered = _work(*frame)
            up = frame + up
        self.brings = _work(*up)
        self.wakes = _work(*up, ("wake-up", costs.waking))
        self.signal = _work(("interrupt", costs.ipi))
        self.waking = _work(("idle exit", costs.idle_exit), ("interrupt", costs.ipi))


def napi_works(costs: MessageCosts) -> NapiWorks:
    """The other works of the core that takes interrupts."""
    interrupt = _work(("interrupt", costs.interrupt))
    waking = _work(("idle exit", costs.idle_exit), ("interrupt", costs.interrupt))
    unmask = _work(("interrupt", costs.unmask))
    return NapiWorks(interrupt, waking, unmask, costs.poll, costs.clean)


def _work(*parts: tuple[str, int]) -> Work:
    return Work(parts, 0)
