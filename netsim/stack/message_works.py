"""What the cores of a host of today do with a message, as works, each made once."""

from __future__ import annotations

from netsim.machine import Work
from netsim.machine.frame_napi import NapiWorks
from netsim.stack.message_costs import MessageCosts

Parts = tuple[tuple[str, int], ...]


class MessageWorks:
    """Of the process: to `send`, to come `back` from that and wait, to `read`, and to read when it was `woken`. Of
    softirqs: what a message takes up to the socket (`brings`), with its process waked there (`wakes`), and on its way
    to another core (`steered`), whose interrupt is `signal`, or `waking` where that has nothing to do."""

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
    """What the core that takes interrupts does beside its messages."""
    interrupt = _work(("interrupt", costs.interrupt))
    waking = _work(("idle exit", costs.idle_exit), ("interrupt", costs.interrupt))
    unmask = _work(("interrupt", costs.unmask))
    return NapiWorks(interrupt, waking, unmask, costs.poll, costs.clean)


def _work(*parts: tuple[str, int]) -> Work:
    return Work(parts, 0)
